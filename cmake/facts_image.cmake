# The tables of data/ as the program starts with them: gpuplan_pack_facts, built from the very reader, reads and checks the
# files once and writes the rows as bytes. It runs as soon as `read` is built, beside the compiler of what comes after.
# Where it can not run (cross-building without an emulator) the image is empty and the program reads the tables itself.
add_executable(gpuplan_pack_facts tools/pack_facts/main.cpp)
target_link_libraries(gpuplan_pack_facts PRIVATE gpuplan_read)

set(image ${PROJECT_BINARY_DIR}/facts.image)
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  file(WRITE ${image} "")
else()
  add_custom_command(OUTPUT ${image} COMMAND gpuplan_pack_facts ${image} DEPENDS gpuplan_pack_facts VERBATIM
    COMMENT "Reading data/*.csv")
endif()
set(image_source ${PROJECT_BINARY_DIR}/facts_image.S)
gpuplan_asm_object(image_object gpuplan_facts_image "  .incbin \"${image}\"")
gpuplan_asm_object(size_object gpuplan_facts_image_size
  "  ${asm_word} .Lgpuplan_facts_image_end - gpuplan_facts_image")
file(CONFIGURE OUTPUT ${image_source} @ONLY CONTENT [=[
# Written by cmake/facts_image.cmake.
  @asm_constants@
  .globl gpuplan_facts_image
@image_object@
  .p2align 3
  .globl gpuplan_facts_image_size
@size_object@
  @asm_end@
]=])
set_source_files_properties(${image_source} PROPERTIES OBJECT_DEPENDS ${image})
add_library(gpuplan_facts STATIC ${image_source})
# To whoever links what asks for it; the library itself need not wait for the image.
target_link_libraries(gpuplan_write INTERFACE gpuplan_facts)
