// The pacer between encoder and network. Media packets wait in its queue. Each interval Delta T = 5 ms has a budget of
// pacing rate * Delta T (GRP, the pacer of Chromium's sending engine). A packet leaves the queue while the budget is
// positive, even if the packet overdraws it. The budgets of the next intervals repay the overdraft, even if no packet
// waits. Unused budget is lost, so that no burst follows a silence. If draining the queue would take longer than two
// seconds, the rate is raised (as in libwebrtc of 2016).
#ifndef CCSCOPE_CC_PACER_H_
#define CCSCOPE_CC_PACER_H_

#include <algorithm>
#include <cmath>

#include "units/units.h"

namespace ccscope {

class Pacer {
 public:
  static constexpr TimeDelta kInterval = TimeDelta::Millis(5);

  void SetRate(DataRate rate) { rate_ = rate; }

  // Begins an interval, at a time when `waiting` bytes are queued. Unused budget of the previous interval is lost.
  // After an overdraft, the budgets of this interval and of all skipped intervals repay the overdraft.
  void BeginInterval(Timestamp now, DataSize waiting) {
    const double skipped = began_ ? std::floor((now - last_) / kInterval + kRounding) - 1 : 0;
    if (skipped > 0) budget_ = std::min(budget_ + rate_ * kInterval * skipped, DataSize::Zero());
    began_ = true;
    last_ = now;
    budget_ = std::min(budget_, DataSize::Zero()) + std::max(rate_, waiting / kLongestQueue) * kInterval;
  }
  bool may_send() const { return budget_ > DataSize::Zero(); }
  void OnSent(DataSize size) { budget_ -= size; }

 private:
  static constexpr TimeDelta kLongestQueue = TimeDelta::Seconds(2);
  static constexpr double kRounding = 1e-6;  // absorbs rounding errors in sums of intervals

  DataRate rate_;
  DataSize budget_;
  bool began_ = false;
  Timestamp last_;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_PACER_H_
