# The laws (tests/laws): random jobs and markets held against what must be true of every answer. ./test laws runs them;
# the fuzzers that plan assert the same invariants.
gpuplan_sources(law_sources tests/laws)
list(REMOVE_ITEM law_sources ${PROJECT_SOURCE_DIR}/tests/laws/main.cpp)
add_library(gpuplan_law_kit STATIC EXCLUDE_FROM_ALL ${law_sources})
target_include_directories(gpuplan_law_kit PUBLIC tests)
target_link_libraries(gpuplan_law_kit PUBLIC gpuplan_cli)
add_executable(gpuplan_laws EXCLUDE_FROM_ALL tests/laws/main.cpp)
target_link_libraries(gpuplan_laws PRIVATE gpuplan_law_kit)
