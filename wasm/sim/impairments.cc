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

TimeDelta Reordering::Hold(Random& random) const {
  return params_.ratio > 0 && random.Uniform() < params_.ratio ? params_.delay : TimeDelta::Zero();
}

}  // namespace ccscope
