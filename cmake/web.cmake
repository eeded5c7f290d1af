# The core as a WebAssembly module: a library ("reactor") without a main, whose doors are in tests/self_check/wasm.cpp.
add_executable(gpuplan_web tests/self_check/wasm.cpp src/web/wasi_shim.cpp)
target_link_libraries(gpuplan_web PRIVATE gpuplan_check)
target_link_options(gpuplan_web PRIVATE -mexec-model=reactor -Wl,-s)
set_target_properties(gpuplan_web PROPERTIES OUTPUT_NAME gpuplan SUFFIX .wasm)
