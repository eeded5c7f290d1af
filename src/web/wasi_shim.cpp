// Two symbols that the compiler's runtime wants and the WASI C library of Debian 12 lacks.
extern "C" {
unsigned long __stack_chk_guard = 0x595e9fbdUL;  // NOLINT(bugprone-reserved-identifier): the name is the interface
[[noreturn]] void __stack_chk_fail() {           // NOLINT(bugprone-reserved-identifier)
  __builtin_trap();
}
}
