# find_package(gpuplan): the target gpuplan::gpuplan, with <gpuplan/gpuplan.h> for C++23 and <gpuplan/ask.h> for C.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/gpuplanTargets.cmake)
