// The pacer between encoder and network: media packets wait in a queue that is drained each interval
// Delta T = 5 ms with a budget of pacing rate * Delta T (GRP, the pacer of Chromium's sending engine).
// A packet leaves while the budget is positive and may take it below zero, which the next intervals
// pay back; a budget that is left over is lost, so that silence does not turn into a burst.
#ifndef CCSCOPE_CC_PACER_H_
#define CCSCOPE_CC_PACER_H_

#include <algorithm>

#include "units/units.h"

namespace ccscope {

class Pacer {
 public:
  static constexpr TimeDelta kInterval = TimeDelta::Millis(5);

  void SetRate(DataRate rate) { rate_ = rate; }

  // Begins an interval: what is left of the last one is lost, what was overdrawn is paid back.
  void BeginInterval() { budget_ = std::min(budget_, DataSize::Zero()) + rate_ * kInterval; }
  bool may_send() const { return budget_ > DataSize::Zero(); }
  void OnSent(DataSize size) { budget_ -= size; }

  DataRate rate() const { return rate_; }

 private:
  DataRate rate_;
  DataSize budget_;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_PACER_H_
