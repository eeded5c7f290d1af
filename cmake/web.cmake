# gpuplan as a WebAssembly module for pages and node: a library ("reactor") without a main that exports what
# src/api/ask.h declares, and malloc() for the text of a question. Its C++ library knows no exceptions, no threads and no
# files, and there is no yaml-cpp, re2 or zlib: src/web/instead stands in for the files that need one of them, and for
# the digits of numbers.
set(GPUPLAN_EMBEDDED_PLAIN ON)
set(GPUPLAN_NOT_EMBEDDED "/data/measured/")  # runs, which only `validate` reads
include(cmake/embedded_data.cmake)
find_path(GPUPLAN_JSON_INCLUDE nlohmann/json.hpp PATHS /usr/include /usr/local/include REQUIRED)
# A folder of its own: beside the library lie the headers of the machine that builds.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${GPUPLAN_JSON_INCLUDE}/nlohmann ${PROJECT_BINARY_DIR}/include/nlohmann SYMBOLIC)

gpuplan_sources(read_sources src/evidence src/input src/web)
list(FILTER read_sources EXCLUDE REGEX
  "/src/(input/(logs/.*|models/(model_files|weights/.*)|feeds/.*|text/(untidy/zip|embedded_data|gunzip|(toml|yaml)_[a-z]+))|web/((ask|page)_c|instead/[a-z_]*decimal))[.]cpp$")
add_library(gpuplan_read STATIC ${read_sources} ${GPUPLAN_EMBEDDED_DATA})
target_include_directories(gpuplan_read SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/include)
target_link_libraries(gpuplan_read PUBLIC gpuplan_core)
target_compile_definitions(gpuplan_read PUBLIC GPUPLAN_VERSION="${PROJECT_VERSION}")
gpuplan_together(gpuplan_read)

gpuplan_sources(write_sources src/output src/launch src/api)
list(FILTER write_sources EXCLUDE REGEX "/src/api/ask_c[.]cpp$")
add_library(gpuplan_write STATIC ${write_sources})
target_link_libraries(gpuplan_write PUBLIC gpuplan_read)
target_compile_options(gpuplan_write PRIVATE ${GPUPLAN_COLD})
gpuplan_together(gpuplan_write)

include(cmake/facts_image.cmake)

# gpuplan.wasm answers every question, gpuplan_page.wasm those of a page, in which it travels. Deep questions fail cleanly
# only where the stack ends before the data.
foreach(door gpuplan_web:ask_c:gpuplan gpuplan_web_page:page_c:gpuplan_page)
  string(REPLACE ":" ";" door ${door})
  list(GET door 0 target)
  list(GET door 1 source)
  list(GET door 2 name)
  add_executable(${target} src/web/${source}.cpp)
  target_link_libraries(${target} PRIVATE gpuplan_write)
  target_link_options(${target} PRIVATE -mexec-model=reactor -Wl,-s,--gc-sections,--compress-relocations,--stack-first
    -Wl,-z,stack-size=1048576 -Wl,--export=gpuplan_ask,--export=gpuplan_free,--export=malloc -Wl,-mllvm,-inline-threshold=0)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .wasm)
endforeach()

# The page's planner starts from the image of the facts, and no question of a page brings tables of its own: it needs
# neither the tables that the image holds nor what launch scripts bring along. Its own table of files stands before the
# one in the library.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  file(READ ${PROJECT_SOURCE_DIR}/src/input/tables/catalogue_files.h catalogue_files)
  string(REGEX MATCH "kDataFiles = {[^}]*}" catalogue_files "${catalogue_files}")
  string(REGEX MATCHALL "[a-z_]+[.]csv" catalogue_files "${catalogue_files}")
  list(JOIN catalogue_files "|" catalogue_files)
  string(REPLACE "." "[.]" catalogue_files "${catalogue_files}")
  gpuplan_embed(${PROJECT_BINARY_DIR}/embedded_page.S "^(${catalogue_files}|templates/.*|(price_sources|run_ends)[.]csv)$")
  target_sources(gpuplan_web_page PRIVATE ${PROJECT_BINARY_DIR}/embedded_page.S)
endif()

# The hash of the core (./test same).
add_executable(gpuplan_web_check EXCLUDE_FROM_ALL tests/self_check/wasm.cpp src/web/wasi_shim.cpp)
target_link_libraries(gpuplan_web_check PRIVATE gpuplan_check)
target_link_options(gpuplan_web_check PRIVATE -mexec-model=reactor -Wl,-s,--stack-first,-z,stack-size=1048576)
set_target_properties(gpuplan_web_check PROPERTIES OUTPUT_NAME gpuplan_self_check SUFFIX .wasm)
