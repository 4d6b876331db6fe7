#include "sim/tcp/hystart.h"

#include <algorithm>

namespace ccscope::tcp {

HyStart::HyStart(const Parameters& parameters)
    : ack_train_(parameters.starts_by() == HyStartBy::kAckTrain || parameters.starts_by() == HyStartBy::kBoth),
      delay_(parameters.starts_by() == HyStartBy::kDelay || parameters.starts_by() == HyStartBy::kBoth),
      low_window_(parameters.hystart_low_window_segments),
      min_samples_(static_cast<int>(parameters.hystart_min_samples)),
      delay_min_(TimeDelta::Millis(parameters.hystart_delay_min_ms)),
      delay_max_(TimeDelta::Millis(std::max(parameters.hystart_delay_max_ms, parameters.hystart_delay_min_ms))),
      ack_delta_(TimeDelta::Millis(parameters.hystart_ack_delta_ms)) {
  Reset();
}

void HyStart::Reset() {
  minimum_rtt_ = TimeDelta::PlusInfinity();
  round_end_ = -1;
}

void HyStart::OnRtt(TimeDelta rtt) { minimum_rtt_ = std::min(minimum_rtt_, rtt); }

bool HyStart::ShouldExit(const AckEvent& ack, double cwnd) {
  if (!ack_train_ && !delay_) return false;
  if (ack.una > round_end_) {
    round_end_ = ack.next;
    round_start_ = last_ack_ = ack.now;
    round_rtt_ = TimeDelta::PlusInfinity();
    samples_ = 0;
  }
  if (cwnd < low_window_) return false;
  bool exit = false;
  if (ack.now - last_ack_ <= ack_delta_) {
    last_ack_ = ack.now;
    exit = ack_train_ && ack.now - round_start_ > minimum_rtt_ / 2;
  }
  if (samples_ < min_samples_) {
    round_rtt_ = std::min(round_rtt_, ack.rtt);
    ++samples_;
  } else if (delay_ && round_rtt_ > minimum_rtt_ + std::clamp(minimum_rtt_ / 8, delay_min_, delay_max_)) {
    exit = true;
  }
  return exit;
}

}  // namespace ccscope::tcp
