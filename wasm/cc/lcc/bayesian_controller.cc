#include "cc/lcc/bayesian_controller.h"

#include <algorithm>

namespace ccscope::lcc {

void BayesianController::Update(const Delays& delays, TimeDelta lowest, TimeDelta highest) {
  target_ = delays.smallest + TimeDelta::Millis(params_.delay_target_ms);
  if (!started_) control_ = target_;
  started_ = true;
  control_ = std::clamp(control_ + (target_ - delays.average) * params_.delta, lowest, highest);  // eq. 5
}

bool BayesianController::Exorbitant(const Delays& delays) const {
  const TimeDelta offset = delays.smallest - delays.propagation;
  return delays.average - offset > (target_ - offset) * params_.cut_threshold;  // eq. 8
}

}  // namespace ccscope::lcc
