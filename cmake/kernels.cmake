# cmake --build --preset release --target gpuplan_fit_kernels: fits kernel constants in data/ to published times.
gpuplan_sources(kernel_fit_sources tools/kernels)
add_executable(gpuplan_fit_kernels EXCLUDE_FROM_ALL ${kernel_fit_sources})
target_include_directories(gpuplan_fit_kernels PRIVATE tools)
target_compile_definitions(gpuplan_fit_kernels PRIVATE GPUPLAN_DATA_DIR="${PROJECT_SOURCE_DIR}/data")
target_link_libraries(gpuplan_fit_kernels PRIVATE gpuplan_edge)
