#include "cc/gcc/loss_controller.h"

#include <algorithm>
#include <cmath>

namespace ccscope::gcc {

void LossController::Configure(const Parameters& parameters) {
  params_ = parameters;
  if (!counting_) a_s_ = parameters.start_bitrate();
}

// Whether A_s is set to A_r (the parameter a_s_follows_a_r). `fast_start`: as in libwebrtc of 2016, A_s follows A_r
// until there is a sign of congestion, since eq. 14 alone would raise A_s by only 5 % per report.
bool LossController::FollowsDelayBased(double fraction_lost) const {
  const auto follows = Choice<FollowsA_r>(params_.a_s_follows_a_r);
  if (follows == FollowsA_r::kOn) return fraction_lost <= params_.loss_high;
  return follows == FollowsA_r::kFastStart && fast_start_ && fraction_lost < params_.loss_low;
}

void LossController::NoteDelayBasedRate(DataRate a_r) {
  if (a_r < last_a_r_) fast_start_ = false;
  last_a_r_ = a_r;
}

void LossController::OnDelayBasedRate(DataRate a_r) {
  NoteDelayBasedRate(a_r);
  a_s_ = FollowsDelayBased(fraction_lost_) ? a_r : std::min(a_s_, a_r);
}

double LossController::Rounded(double fraction_lost) const {
  if (params_.fraction_lost_bits == 0) return fraction_lost;
  const double steps = std::ldexp(1, static_cast<int>(params_.fraction_lost_bits));
  return std::floor(fraction_lost * steps) / steps;
}

void LossController::OnCounters(double packets_received, double packets_lost, DataRate a_r, TimeDelta rtt,
                                Timestamp now) {
  NoteDelayBasedRate(a_r);
  if (!counting_ || packets_received < received_at_report_) {  // the first reading, or a restarted receiver
    counting_ = true;
    received_at_report_ = packets_received;
    lost_at_report_ = packets_lost;
    last_report_ = now;
    return;
  }
  if (now - last_report_ < TimeDelta::Millis(params_.loss_report_interval_ms)) return OnDelayBasedRate(a_r);
  // Late packets can make the number of lost packets shrink. A negative difference counts as no loss (RFC 3550 A.3).
  const double lost = std::max(0.0, packets_lost - lost_at_report_);
  const double expected = packets_received - received_at_report_ + lost;
  if (expected < std::max(1.0, params_.loss_report_min_packets)) return;
  received_at_report_ = packets_received;
  lost_at_report_ = packets_lost;
  last_report_ = now;
  OnReport(Rounded(lost / expected), a_r, rtt, now);
}

// The rate from which A_s is increased after a report with little loss: either A_s itself, or the minimum of A_s over
// the last second.
DataRate LossController::IncreaseBase(Timestamp now) {
  if (Choice<LossIncreaseBase>(params_.loss_increase_base) == LossIncreaseBase::kCurrent) return a_s_;
  int kept = 0;
  DataRate lowest = a_s_;
  for (int i = 0; i < samples_; ++i) {
    const Sample sample = last_second_[static_cast<std::size_t>(i)];
    if (now - sample.time > TimeDelta::Seconds(1)) continue;
    last_second_[static_cast<std::size_t>(kept++)] = sample;
    lowest = std::min(lowest, sample.rate);
  }
  samples_ = kept;
  if (samples_ < static_cast<int>(last_second_.size())) last_second_[static_cast<std::size_t>(samples_++)] = {now, a_s_};
  return lowest;
}

void LossController::OnReport(double fraction_lost, DataRate a_r, TimeDelta rtt, Timestamp now) {
  fraction_lost_ = fraction_lost;
  if (fraction_lost >= params_.loss_low) fast_start_ = false;
  const DataRate base = IncreaseBase(now);
  if (fraction_lost > params_.loss_high) {
    const bool may_cut = params_.loss_decrease_interval_ms == 0 ||
                         now - last_cut_ >= TimeDelta::Millis(params_.loss_decrease_interval_ms) + rtt;
    if (may_cut) {
      a_s_ = a_s_ * (1 - params_.loss_decrease_factor * fraction_lost);
      last_cut_ = now;
    }
  } else if (FollowsDelayBased(fraction_lost)) {
    a_s_ = a_r;
  } else if (fraction_lost < params_.loss_low) {
    a_s_ = base * params_.loss_increase_factor + DataRate::BitsPerSec(params_.loss_increase_offset_bps);
  }
  a_s_ = std::min(a_s_, a_r);
  a_s_ = std::clamp(a_s_, params_.min_bitrate(), std::max(params_.min_bitrate(), params_.max_bitrate()));
}

}  // namespace ccscope::gcc
