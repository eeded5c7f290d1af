# Several files in one run of the compiler: headers are read and templates made once for all of them, which takes half of
# the time. Names in anonymous namespaces therefore differ within a library. The preset `alone` compiles each by itself, as
# `./test full` does, and notices a missing include and a hidden name.
set(GPUPLAN_TOGETHER 0 CACHE STRING "Files compiled together; 0: each alone")
function(gpuplan_together target)
  if(GPUPLAN_TOGETHER GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${GPUPLAN_TOGETHER})
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()
