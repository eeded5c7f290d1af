# Programs that fit the constants in data/ to measurements: cmake --build --preset release --target gpuplan_fit
find_package(Eigen3 3.3 QUIET NO_MODULE)
if(Eigen3_FOUND)
  gpuplan_sources(fit_sources tools/fit)
  add_executable(gpuplan_fit EXCLUDE_FROM_ALL ${fit_sources})
  target_include_directories(gpuplan_fit PRIVATE tools)
  target_link_libraries(gpuplan_fit PRIVATE gpuplan_edge Eigen3::Eigen)
endif()
