#include "input/models/usual_shape.h"

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "base/whole.h"

namespace gpuplan {

UsualShape usual_shape(double params) {
  // GPT-2, GPT-3 and their relatives: about 64 times as wide as deep while they are small, 110 times later. A layer
  // with the customary MLP has 12 hidden^2 parameters.
  const bool small = params < 1e9;
  const double wanted = small ? 64 : 110;
  UsualShape best;
  double nearest = 1e9;
  // Widths whose heads (of 64 up to 2048 wide, of 128 beyond) divide by two, four and eight, as those of published
  // ones.
  const auto step = [](int hidden) { return hidden < 1024 ? 128 : hidden < 4096 ? 512 : 1024; };
  for (int hidden = 64; hidden <= 32'768; hidden += hidden == 64 ? 64 : step(hidden)) {
    const double tables = small ? hidden : 2.0 * hidden;
    const double vocab = std::min(32'000.0, std::floor(0.5 * params / tables));
    const double depth = std::round((params - tables * vocab) / (12.0 * hidden * hidden));
    if (depth < 1 || depth > 1000) continue;
    const double miss = std::abs(math::log(hidden / depth / wanted));
    if (miss >= nearest) continue;
    nearest = miss;
    best = {whole<int>(depth), hidden, whole<int>(vocab), small};
  }
  return best;
}

}  // namespace gpuplan
