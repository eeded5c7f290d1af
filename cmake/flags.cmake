# The flags of every build. The same answers everywhere need -ffp-contract=off (no fused multiply-add behind our back)
# and never -ffast-math.
add_library(gpuplan_flags INTERFACE)
target_compile_options(gpuplan_flags INTERFACE -Wall -Wextra -Wconversion -ffp-contract=off
  $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  target_compile_options(gpuplan_flags INTERFACE -march=${GPUPLAN_MARCH})
endif()
if(GPUPLAN_WERROR)
  # Other compilers have other warnings; a user with one of those should still get a program.
  if("${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" MATCHES "^(GNU 12|Clang 22)\\.")
    target_compile_options(gpuplan_flags INTERFACE -Werror)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns wrongly about std::string + "text" (gcc.gnu.org/bugzilla, PR 105329 and 105651); clang and the
  # address sanitizer look for the real thing.
  target_compile_options(gpuplan_flags INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 22)
  # clang 22 reports the buffer that libstdc++ 12's stable_sort takes inside; g++ still warns of our own uses.
  target_compile_options(gpuplan_flags INTERFACE -Wno-deprecated-declarations)
endif()
# What computes and reads: in the trees of the sanitizers the tests take longer than the compiler without it.
set(GPUPLAN_HOT "" CACHE STRING "Further options of the libraries below the commands, such as -O1")
# What words answers and takes commands runs once. Without the three passes the compiler takes a tenth less time and the
# program grows by a hundredth.
set(GPUPLAN_COLD "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")  # there all is for size
  set(GPUPLAN_COLD -Os)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND GPUPLAN_COLD -fno-tree-pta -fno-gcse -fno-tree-loop-optimize)
  endif()
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(gpuplan_flags INTERFACE -ffunction-sections -fdata-sections)
endif()
