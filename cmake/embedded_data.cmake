# Compiles every data/*.csv, data/measured/*.csv and, of data/interfaces, the tables that the program reads, into it, and
# the programs that launch scripts bring along, src/launch/templates/*, packed by gzip (a seventh of the size): one assembler file with
# .incbin, and a table of names ("gpus.csv", "measured/train_runs.csv", "templates/lib.sh") that
# src/input/text/embedded_table.cpp reads. Rebuilt when a file changes, comes or goes. GPUPLAN_EMBEDDED_PLAIN: not packed.
# GPUPLAN_NOT_EMBEDDED: an expression for those left out. GPUPLAN_EMBEDDED_MORE: NAME=FILE of files that are built, such as
# the page (cmake/page.cmake).
include(cmake/assembler.cmake)
file(GLOB data_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/*.csv ${PROJECT_SOURCE_DIR}/data/measured/*.csv
  ${PROJECT_SOURCE_DIR}/data/interfaces/index.csv ${PROJECT_SOURCE_DIR}/src/launch/templates/*)
foreach(table megatron nanochat sglang torchtitan transformers trl vllm)  # kArgumentTables of src/launch/parts/interfaces.h
  list(APPEND data_files ${PROJECT_SOURCE_DIR}/data/interfaces/${table}.csv)
endforeach()
if(GPUPLAN_NOT_EMBEDDED)
  list(FILTER data_files EXCLUDE REGEX "${GPUPLAN_NOT_EMBEDDED}")
endif()
list(SORT data_files)
if(NOT GPUPLAN_EMBEDDED_PLAIN)
  find_program(GPUPLAN_GZIP gzip REQUIRED)
  find_program(GPUPLAN_XZ xz)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/embedded)
endif()
set(data_names "")
foreach(file IN LISTS data_files)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/data ${file})
  string(REPLACE "../src/launch/" "" name "${name}")
  list(APPEND data_names ${name})
endforeach()
foreach(more IN LISTS GPUPLAN_EMBEDDED_MORE)
  string(REGEX MATCH "^([^=]+)=(.+)$" parts "${more}")
  list(APPEND data_names ${CMAKE_MATCH_1})
  list(APPEND data_files ${CMAKE_MATCH_2})
endforeach()

# The assembler file of these tables. Names that match `without` are left out.
function(gpuplan_embed output without)
  set(contents "")
  set(rows "")
  set(embedded_files "")
  set(index 0)
  foreach(file name IN ZIP_LISTS data_files data_names)
    if(without AND name MATCHES "${without}")
      continue()
    endif()
    if(NOT GPUPLAN_EMBEDDED_PLAIN)
      set(packed ${PROJECT_BINARY_DIR}/embedded/${index}.gz)
      set(packer ${GPUPLAN_GZIP} -9nc)
      # What pages carry stays packed until a browser has it: a quarter smaller than by gzip.
      if(GPUPLAN_XZ AND name STREQUAL "page/engine.wasm")
        set(packer ${GPUPLAN_XZ} --format=lzma --lzma1=preset=9e,lc=4,pb=0 -c)
      endif()
      add_custom_command(OUTPUT ${packed} COMMAND ${packer} ${file} > ${packed} DEPENDS ${file} VERBATIM
        COMMENT "Packing ${name}")
      set(file ${packed})
    endif()
    list(APPEND embedded_files ${file})
    gpuplan_asm_object(name_object name${index} "  .ascii \"${name}\"")
    gpuplan_asm_object(bytes_object bytes${index} "  .incbin \"${file}\"")
    string(APPEND contents "${name_object}${bytes_object}")
    foreach(label name${index} bytes${index})
      string(APPEND rows "  ${asm_word} ${label}\n  ${asm_word} .L${label}_end - ${label}\n")
    endforeach()
    math(EXPR index "${index} + 1")
  endforeach()
  gpuplan_asm_object(table gpuplan_embedded_table "${rows}")
  gpuplan_asm_object(count gpuplan_embedded_count "  ${asm_word} ${index}")
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [=[
# Written by cmake/embedded_data.cmake.
  @asm_constants@
@contents@
  @asm_addresses@
  .p2align 3
  .globl gpuplan_embedded_table
@table@
  .globl gpuplan_embedded_count
@count@
  @asm_end@
]=])
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS "${embedded_files}")
endfunction()
set(GPUPLAN_EMBEDDED_DATA ${PROJECT_BINARY_DIR}/embedded_data.S)
gpuplan_embed(${GPUPLAN_EMBEDDED_DATA} "")
