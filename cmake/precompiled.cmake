# Precompiled headers for the trees that only test (GPUPLAN_PRECOMPILED: the sanitizers), where reading headers takes
# half of the compiler's time. The program that ships is built without, so that a missing include is noticed there; the
# stage `headers` of ./test compiles every header alone.
option(GPUPLAN_PRECOMPILED "Precompile the headers that most files read" OFF)
function(gpuplan_precompile target)
  if(GPUPLAN_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <charconv> <cmath> <cstdint> <functional> <limits> <map> <memory> <numeric> <optional> <set>
      <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> ${ARGN})
  endif()
endfunction()
