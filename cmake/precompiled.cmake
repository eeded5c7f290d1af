# Precompiled headers for the trees that people and tests wait for (GPUPLAN_PRECOMPILED: release and the sanitizers), where
# reading headers takes a third of the compiler's time. The trees `dev` and `tidy` are compiled without, so that a missing
# include is noticed there; the stage `headers` of ./test compiles every header alone.
option(GPUPLAN_PRECOMPILED "Precompile the headers that most files read" OFF)
function(gpuplan_precompile target)
  if(GPUPLAN_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <charconv> <cmath> <cstdint> <functional> <limits> <map> <memory> <numeric> <optional> <set>
      <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()
# The same for a target that is compiled with the options of `owner`: g++ takes the file that is there.
function(gpuplan_precompile_as owner target)
  if(GPUPLAN_PRECOMPILED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    gpuplan_precompile(${target} ${ARGN})
  endif()
endfunction()
