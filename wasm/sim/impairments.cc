#include "sim/impairments.h"

#include <algorithm>
#include <cmath>

namespace ccscope {

Timestamp Jitter::Release(Timestamp now, Random& random) {
  constexpr double kCap = 3;
  const double deviations = active() ? std::min(std::fabs(random.Gaussian()), kCap) : 0;
  last_ = std::max(last_, now + sd_ * deviations);
  return last_;
}

}  // namespace ccscope
