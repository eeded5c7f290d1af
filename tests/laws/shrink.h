// The smallest case that still breaks a law.
#pragma once

#include "laws/laws.h"

namespace gpuplan::laws {

/// The verdict of a law on a case; silent when the case can not be asked at all.
Verdict judge(const Law& law, const Case& one);

/// Takes away offers, phases and keys and halves numbers while the law stays broken; tries at most so many cases.
Case shrunk(const Law& law, Case broken, int tries = 4000);

}  // namespace gpuplan::laws
