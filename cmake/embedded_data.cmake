# Compiles every data/*.csv and data/measured/*.csv into the program, and the programs that launch scripts bring along,
# src/launch/templates/*, packed by gzip (a seventh of the size): one assembler file with .incbin, and a table of names
# ("gpus.csv", "measured/train_runs.csv", "templates/lib.sh") that src/input/text/embedded_data.cpp reads. Rebuilt when a
# file changes, comes or goes.
find_program(GPUPLAN_GZIP gzip REQUIRED)
file(GLOB data_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/data/*.csv ${PROJECT_SOURCE_DIR}/data/measured/*.csv
  ${PROJECT_SOURCE_DIR}/src/launch/templates/*)
list(SORT data_files)
set(contents "")
set(table "")
set(packed_files "")
set(index 0)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/embedded)
foreach(file IN LISTS data_files)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/data ${file})
  string(REPLACE "../src/launch/" "" name "${name}")
  set(packed ${PROJECT_BINARY_DIR}/embedded/${index}.gz)
  add_custom_command(OUTPUT ${packed} COMMAND ${GPUPLAN_GZIP} -9nc ${file} > ${packed} DEPENDS ${file} VERBATIM
    COMMENT "Packing ${name}")
  list(APPEND packed_files ${packed})
  string(APPEND contents "name${index}: .ascii \"${name}\"\nname${index}_end:\n"
    "bytes${index}: .incbin \"${packed}\"\nbytes${index}_end:\n")
  string(APPEND table "  .quad name${index}, name${index}_end - name${index}, "
    "bytes${index}, bytes${index}_end - bytes${index}\n")
  math(EXPR index "${index} + 1")
endforeach()
set(GPUPLAN_EMBEDDED_DATA ${PROJECT_BINARY_DIR}/embedded_data.S)
file(CONFIGURE OUTPUT ${GPUPLAN_EMBEDDED_DATA} @ONLY CONTENT [=[
# Written by cmake/embedded_data.cmake.
  .section .rodata
@contents@
  .section .data.rel.ro, "aw"
  .balign 8
  .globl gpuplan_embedded_table
gpuplan_embedded_table:
@table@
  .globl gpuplan_embedded_count
gpuplan_embedded_count:
  .quad @index@
  .section .note.GNU-stack, "", %progbits
]=])
set_source_files_properties(${GPUPLAN_EMBEDDED_DATA} PROPERTIES OBJECT_DEPENDS "${packed_files}")
