// Prints the hash of self_check/self_check.h, for comparison between builds.
#include <cinttypes>
#include <cstdio>

#include "self_check/self_check.h"

int main() { return std::printf("%016" PRIx64 "\n", gpuplan::self_check_hash()) > 0 ? 0 : 1; }
