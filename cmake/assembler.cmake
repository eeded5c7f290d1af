# What differs between assemblers: sections of constants and of addresses, words as wide as an address, one a line, and
# what data are called. WebAssembly wants every symbol with its size, which other systems take as well; ends are labels
# that no symbol is made of.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
  set(asm_constants [[.section .rodata.gpuplan, "", @]])
  set(asm_addresses [[.section .data.gpuplan, "", @]])
  set(asm_word .int32)
  set(asm_data @object)
  set(asm_end "")
else()
  set(asm_constants ".section .rodata")
  set(asm_addresses [[.section .data.rel.ro, "aw"]])
  set(asm_word .quad)
  set(asm_data %object)
  set(asm_end [[.section .note.GNU-stack, "", %progbits]])
endif()

# "NAME: CONTENT" with its size.
function(gpuplan_asm_object variable name content)
  set(${variable} "  .type ${name}, ${asm_data}\n${name}:\n${content}\n.L${name}_end:\n  .size ${name}, .L${name}_end - ${name}\n"
    PARENT_SCOPE)
endfunction()
