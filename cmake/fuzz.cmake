# Every fuzz/NAME_fuzz.cpp is one libFuzzer program. The library is compiled with fuzzer-no-link by the preset.
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/*_fuzz.cpp)
add_custom_target(gpuplan_fuzzers)
set(planning plan_fuzz own_market_fuzz whatif_fuzz simulate_fuzz fit_fuzz check_fuzz)  # they assert the laws' invariants
foreach(file IN LISTS fuzz_sources)
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE gpuplan_edge)
  if(name IN_LIST planning)
    target_link_libraries(${name} PRIVATE gpuplan_law_kit)
  endif()
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(gpuplan_fuzzers ${name})
endforeach()
