#include "cc/lcc/exploration.h"

#include <algorithm>

namespace ccscope::lcc {

DataRate Exploration::Raise(DataRate rate, DataRate expected) const {
  return std::max(rate, (rate + expected) / 2) + DataRate::BitsPerSec(params_.exploration_step_bps);
}

DataRate Exploration::Vary(DataRate rate) {
  if (!on() || params_.exploration_noise == 0) return rate;
  return rate * std::max(0.0, 1 + params_.exploration_noise * random_.Gaussian());
}

}  // namespace ccscope::lcc
