# ccache is used when it is there and never needed. Precompiled headers need two of its checks relaxed.
find_program(GPUPLAN_CCACHE ccache)
mark_as_advanced(GPUPLAN_CCACHE)
if(GPUPLAN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${GPUPLAN_CCACHE})
endif()
