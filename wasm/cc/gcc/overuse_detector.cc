#include "cc/gcc/overuse_detector.h"

#include <algorithm>

namespace ccscope::gcc {

OveruseDetector::Params::Params(const Parameters& p)
    : gain_groups(static_cast<int>(p.detector_gain_groups)),
      overuse_time(TimeDelta::Millis(p.overuse_time_ms)),
      overuse_min_groups(static_cast<int>(p.overuse_min_groups)),
      needs_rising_m(IsOn(p.overuse_needs_rising_m)) {}

void OveruseDetector::Configure(const Parameters& parameters) {
  params_ = Params(parameters);
  threshold_.Configure(parameters);
}

void OveruseDetector::OnAboveThreshold(TimeDelta m, TimeDelta send_delta) {
  // T crossed the threshold at an unknown time between the two groups, so half of the time between them counts.
  time_above_ = time_above_ ? *time_above_ + send_delta : send_delta / 2;
  ++groups_above_;
  const bool persists = *time_above_ > params_.overuse_time && groups_above_ >= params_.overuse_min_groups;
  if (persists && (!params_.needs_rising_m || m >= previous_m_)) {
    time_above_ = TimeDelta::Zero();
    groups_above_ = 0;
    signal_ = Signal::kOveruse;
  }
}

void OveruseDetector::OnQueueRestored() {
  signal_ = Signal::kNormal;
  previous_m_ = TimeDelta::Zero();
  time_above_.reset();
  groups_above_ = 0;
}

Signal OveruseDetector::Detect(TimeDelta m, TimeDelta send_delta, int num_deltas, Timestamp now) {
  detector_input_ = TimeDelta::Micros(std::min(num_deltas, params_.gain_groups) * m.us());
  if (num_deltas < 2) return Signal::kNormal;
  if (detector_input_ > gamma()) {
    OnAboveThreshold(m, send_delta);
  } else {
    time_above_.reset();
    groups_above_ = 0;
    signal_ = detector_input_ < -gamma() ? Signal::kUnderuse : Signal::kNormal;
  }
  previous_m_ = m;
  threshold_.Update(detector_input_, now);
  return signal_;
}

}  // namespace ccscope::gcc
