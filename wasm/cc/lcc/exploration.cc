#include "cc/lcc/exploration.h"

#include <algorithm>

namespace ccscope::lcc {
namespace {

constexpr double kGrowthWithRoom = 4;

}  // namespace

DataRate Exploration::Raise(DataRate rate, DataRate expected, DataRate received, bool has_room) const {
  const DataRate step = DataRate::BitsPerSec(params_.exploration_step_bps) + rate * (params_.exploration_growth * (has_room ? kGrowthWithRoom : 1));
  const DataRate raised = std::max(rate, (rate + expected) / 2) + step;
  if (params_.exploration_bound == 0) return raised;
  return std::max(rate, std::min(raised, received * params_.exploration_bound + DataRate::KilobitsPerSec(10)));
}

DataRate Exploration::Vary(DataRate rate) {
  if (!on() || params_.exploration_noise == 0) return rate;
  return rate * std::max(0.0, 1 + params_.exploration_noise * random_.Gaussian());
}

}  // namespace ccscope::lcc
