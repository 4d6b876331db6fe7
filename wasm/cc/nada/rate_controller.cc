#include "cc/nada/rate_controller.h"

#include <algorithm>
#include <cstddef>

#include "cc/nada/whole_numbers.h"

namespace ccscope::nada {
namespace {

// The longest interval between feedback messages in the control law; a longer interval counts as this long. The law is
// linearised for intervals well below TAU.
constexpr TimeDelta kLongestInterval = TimeDelta::Seconds(1);
// The weight of a new measurement of the encoder's share.
constexpr double kShareWeight = 0.1;

// If there is an upper bound from the capacity (capacity_bound.h), the rate is at least this fraction of the received
// rate, but never above the bound.
constexpr double kLeastOfReceived = 0.5;
// With RateOrigin::kRmin, r_ref - RMIN is taken as at least this. Otherwise a rate at RMIN could not grow.
constexpr DataRate kLeastAboveOrigin = DataRate::BitsPerSec(1);
// If the received rate is below this fraction of the bound from the capacity, the ramp-up uses GAMMA_MAX as gamma.
constexpr double kMuchUnused = 0.8;

}  // namespace

double RampUpGamma(TimeDelta rtt, const Parameters& p) {
  return std::min(p.gamma_max, p.qbound_ms / (rtt.ms() + p.delta_ms + p.dfilt_ms));
}

void RateController::Configure(const Parameters& parameters) {
  params_ = parameters;
  if (!last_update_) r_ref_ = params_.start_bitrate();
  Clip();
}

// Measures the encoder's share: the received rate divided by the rate that was requested about a second earlier. (An
// encoder takes about that long to follow a request.) Measures only in ramp-up, while there is no queue. With a queue,
// the received rate would reflect the capacity instead of the encoder.
void RateController::ObserveEncoder(Mode mode, DataRate r_recv) {
  DataRate& then = history_[static_cast<std::size_t>(updates_ % kHistory)];
  if (mode == Mode::kRampUp && updates_ >= kHistory) {
    const double share = std::clamp(r_recv / then, params_.encoder_share_min, 1.0);
    encoder_share_ += (share - encoder_share_) * kShareWeight;
  }
  then = r_ref_;
  ++updates_;
}

// gamma of the ramp-up, which may cause a queue of at most QBOUND. If frames show that much of the capacity is unused,
// gamma is GAMMA_MAX instead.
double RateController::Gamma(DataRate r_recv, TimeDelta rtt, std::optional<DataRate> bound) const {
  return bound && r_recv < *bound * kMuchUnused ? params_.gamma_max : RampUpGamma(rtt, params_);
}

// The rate that the encoder actually sends should grow by gamma. So the target is the grown rate divided by the
// encoder's share. Otherwise an encoder that leaves more than gamma of its target unused would stop the ramp-up
// forever.
DataRate RateController::RampedUp(DataRate r_recv, double gamma, DataRate gradual) const {
  const double share = std::max(encoder_share_, params_.encoder_share_min);
  const DataRate exact = r_recv * ((1 + gamma) / share);
  const DataRate ramped = params_.is_whole() ? WholeKbps(exact) : exact;
  switch (Choice<RampUpFloor>(params_.ramp_up_floor)) {
    case RampUpFloor::kNone:
      return ramped;
    case RampUpFloor::kRRef:
      return std::max(r_ref_, ramped);
    case RampUpFloor::kGradual:
      return std::max(gradual, ramped);
  }
  return ramped;
}

DataRate RateController::GraduallyUpdated(TimeDelta x_curr, TimeDelta delta) const {
  const double tau_ms = params_.tau_ms;
  const bool from_rmin = Choice<RateOrigin>(params_.rate_origin) == RateOrigin::kRmin;
  const DataRate origin = from_rmin ? params_.min_bitrate() : DataRate::Zero();
  const DataRate above = from_rmin ? std::max(r_ref_ - origin, kLeastAboveOrigin) : r_ref_;
  const double x_offset_ms =
      x_curr.ms() - params_.prio * params_.xref_ms * ((params_.max_bitrate() - origin) / above);
  const double x_diff_ms = (x_curr - x_prev_).ms();
  const double fall = params_.kappa * (delta.ms() / tau_ms) * (x_offset_ms / tau_ms) +
                      params_.kappa * params_.eta * (x_diff_ms / tau_ms);
  const DataRate updated = origin + above * (1 - fall);
  return params_.is_whole() ? r_ref_ + WholeKbps(updated - r_ref_) : updated;
}

TimeDelta RateController::RampUpRttOf(TimeDelta rtt) {
  if (rtt > TimeDelta::Zero()) least_rtt_ = std::min(least_rtt_, rtt);
  return Choice<RampUpRtt>(params_.ramp_up_rtt) == RampUpRtt::kLeast && least_rtt_.IsFinite() ? least_rtt_ : rtt;
}

void RateController::Clip() { r_ref_ = std::clamp(r_ref_, params_.min_bitrate(), params_.max_bitrate()); }

void RateController::Update(Mode mode, TimeDelta x_curr, DataRate r_recv, TimeDelta rtt, Timestamp now,
                            std::optional<DataRate> bound) {
  const bool measured = Choice<Elapsed>(params_.elapsed) == Elapsed::kMeasured && last_update_;
  const TimeDelta delta =
      measured ? std::clamp(now - *last_update_, TimeDelta::Zero(), kLongestInterval) : params_.delta();
  ObserveEncoder(mode, r_recv);
  const TimeDelta ramp_up_rtt = RampUpRttOf(rtt);
  const DataRate gradual = GraduallyUpdated(x_curr, delta);
  r_ref_ = mode == Mode::kRampUp ? RampedUp(r_recv, Gamma(r_recv, ramp_up_rtt, bound), gradual) : gradual;
  if (bound) r_ref_ = std::clamp(r_ref_, std::min(*bound, r_recv * kLeastOfReceived), *bound);
  Clip();
  x_prev_ = x_curr;
  last_update_ = now;
}

}  // namespace ccscope::nada
