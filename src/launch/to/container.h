// What SkyPilot and dstack share: images where their own do not do, and machines that do not see each other's files.
#pragma once

#include <initializer_list>
#include <string_view>

#include "base/result.h"
#include "domain/hardware/hardware.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan {

/// Beside an image of launcher_image() in a file that somebody may edit.
std::string_view image_words(const Gpu& gpu);

/// Fails where a phase on several machines is of one of these frameworks, whose machines each write a part of the
/// model: one machine has to see all of them to go on or to join them, and here none does. `why` says so, and what to
/// do.
Result<void> sees_all_parts(const Launch& launch, std::initializer_list<std::string_view> frameworks,
                            std::string_view why);

}  // namespace gpuplan
