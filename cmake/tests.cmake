# All unit tests in one program: one link, one process, one precompiled <gtest/gtest.h>. They are linked with the objects
# that ship; the tests' own files are compiled without optimisation, which takes a third of the time.
find_package(GTest 1.12 REQUIRED)
find_library(GPUPLAN_RAPIDCHECK rapidcheck REQUIRED)

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS tests/*_test.cpp tests/cli/*.cpp)
if(GPUPLAN_TESTS_MATCHING)
  set(kept "")
  foreach(file IN LISTS test_sources)
    file(READ ${file} text)
    if(text MATCHES "${GPUPLAN_TESTS_MATCHING}")
      list(APPEND kept ${file})
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${test_sources})
  set(test_sources ${kept})
endif()

# What reads YAML in WebAssembly is held against yaml-cpp, its numbers against the C++ library.
add_executable(gpuplan_test EXCLUDE_FROM_ALL ${test_sources} src/web/instead/plain_yaml.cpp
  src/web/instead/small_decimal.cpp)
target_include_directories(gpuplan_test PRIVATE tests tools)
target_include_directories(gpuplan_test SYSTEM PRIVATE ${GPUPLAN_YAML_INCLUDE})
# "." makes objects that several checkouts can share through ccache; the tests are then run from the root of one.
set(GPUPLAN_TEST_ROOT "${PROJECT_SOURCE_DIR}" CACHE STRING "Where unit tests look for data/, examples/ and tests/")
target_compile_definitions(gpuplan_test PRIVATE
  GPUPLAN_DATA_DIR="${GPUPLAN_TEST_ROOT}/data" GPUPLAN_SOURCE_DIR="${GPUPLAN_TEST_ROOT}")
target_compile_options(gpuplan_test PRIVATE -O0 $<$<BOOL:${GPUPLAN_TOGETHER}>:-Wno-shadow>)
target_precompile_headers(gpuplan_test PRIVATE <gtest/gtest.h> <algorithm> <map> <optional> <string> <vector>
  ${PROJECT_SOURCE_DIR}/src/base/text.h ${PROJECT_SOURCE_DIR}/src/domain/facts/catalogue.h
  ${PROJECT_SOURCE_DIR}/src/plan/answer/plan.h)
# Which are compiled together (cmake/together.cmake) hangs on their names alone: a new file joins some ten others, whose
# names in anonymous namespaces it must not have, and leaves all the rest where they are.
gpuplan_together(gpuplan_test)
if(GPUPLAN_TOGETHER GREATER 1)
  set_target_properties(gpuplan_test PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(file IN LISTS test_sources)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
    string(SHA1 digest ${name})
    string(SUBSTRING ${digest} 0 2 digits)
    math(EXPR group "0x${digits} % 32")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endif()
# Of a function that many objects hold (those of std::string) the linker takes the first, and that shall not be one without
# optimisation: the tests take half as long. Options stand before the tests' own objects on the linker's line.
foreach(library core read ask write cli)
  target_link_options(gpuplan_test PRIVATE $<FILTER:$<TARGET_OBJECTS:gpuplan_${library}>,INCLUDE,[.]o$>)
endforeach()
target_link_libraries(gpuplan_test PRIVATE gpuplan_cli ${GPUPLAN_RAPIDCHECK} GTest::gtest GTest::gtest_main)

# What the WebAssembly module is held against (./test web).
add_executable(gpuplan_ask_lines EXCLUDE_FROM_ALL tests/web/ask_lines.cpp)
target_link_libraries(gpuplan_ask_lines PRIVATE gpuplan_edge)
# Pages of reports that no job comes to (./test page).
add_executable(gpuplan_make_page EXCLUDE_FROM_ALL tests/web/make_page.cpp)
target_link_libraries(gpuplan_make_page PRIVATE gpuplan_edge)

enable_testing()
add_test(NAME unit COMMAND gpuplan_test --gtest_brief=1)
find_program(GPUPLAN_PYTHON python3 REQUIRED)
add_test(NAME floors COMMAND ${GPUPLAN_PYTHON} ${PROJECT_SOURCE_DIR}/tools/check_floors.py)
