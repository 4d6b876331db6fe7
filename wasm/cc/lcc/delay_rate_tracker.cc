#include "cc/lcc/delay_rate_tracker.h"

#include <algorithm>
#include <cmath>

namespace ccscope::lcc {

std::optional<EpochDelays> EpochCollector::Advance(Timestamp now) {
  if (now < end_) return std::nullopt;
  const bool had_arrivals = arrivals_ > 0;
  arrivals_ = 0;
  // The next epoch starts where this one ended. If that epoch would have ended by now too, it starts at `now` instead.
  end_ = now < end_ + epoch_ ? end_ + epoch_ : now + epoch_;
  if (!had_arrivals) return std::nullopt;
  return delays_;
}

std::optional<EpochDelays> EpochCollector::Add(TimeDelta one_way_delay, Timestamp now) {
  const std::optional<EpochDelays> ended = Advance(now);
  if (arrivals_ == 0) delays_ = {one_way_delay, one_way_delay};
  ++arrivals_;
  delays_.mean += (one_way_delay - delays_.mean) / arrivals_;
  delays_.smallest = std::min(delays_.smallest, one_way_delay);
  return ended;
}

void DelayRateTracker::Configure(const Parameters& parameters) {
  alpha_ = parameters.alpha;
  jump_ = TimeDelta::Millis(parameters.delay_jump_reset_ms);
}

bool DelayRateTracker::OnEpoch(const EpochDelays& delays, bool may_be_clock) {
  const bool jumped = may_be_clock && started_ && jump_ > TimeDelta::Zero() && std::fabs((delays.mean - average_).us()) >= jump_.us();
  if (!started_ || jumped) {
    started_ = true;
    average_ = delays.mean;
    smallest_ = delays.smallest;
    return !jumped;
  }
  average_ += (delays.mean - average_) * alpha_;  // eq. 2
  smallest_ = std::min(smallest_, delays.smallest);
  return true;
}

}  // namespace ccscope::lcc
