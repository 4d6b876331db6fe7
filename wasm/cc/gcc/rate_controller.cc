#include "cc/gcc/rate_controller.h"

#include <algorithm>
#include <cmath>

#include "units/deterministic_math.h"

namespace ccscope::gcc {
namespace {

constexpr double kFramesPerSecond = 30;
constexpr DataSize kPacketSize = DataSize::Bytes(1200);
// One increase covers at most this much time (draft-02 5.5 has this limit for multiplicative increases).
constexpr TimeDelta kMaxElapsed = TimeDelta::Seconds(1);
// Bounds of the normalised variance of R_r at decreases (as in libwebrtc of 2016: standard deviations of 14 to 35
// kbps at 500 kbps).
constexpr double kMinVariance = 0.4;
constexpr double kMaxVariance = 2.5;
constexpr DataRate kMinMultiplicativeStep = DataRate::BitsPerSec(1000);
// Regions (remote_rate_control.cc): the region above the maximum begins this many standard deviations above the known
// maximum.
constexpr double kAboveMaxSigmas = 2.5;
constexpr double kAlphaNearMax = 0.95;
constexpr double kAlphaElsewhere = 0.9;
// Regions: the upper bound that depends on R_r does not apply if R_r is at most kLowReceived and the new rate is at
// most kLowRate.
constexpr DataRate kLowReceived = DataRate::BitsPerSec(100e3);
constexpr DataRate kLowRate = DataRate::BitsPerSec(150e3);
// A rate that the hooks (receiver_hooks.h) set counts as a decrease if it is below this fraction of the previous rate.
constexpr double kDecreased = 0.95;

// The average size of the packets into which a frame is divided at this rate.
DataSize AveragePacketSize(DataRate rate) {
  const DataSize frame = DataSize::Bits(rate.bps() / kFramesPerSecond);
  return frame / std::max(1.0, std::ceil(frame / kPacketSize));
}

}  // namespace

RateState NextState(RateState state, Signal signal) {
  switch (signal) {
    case Signal::kOveruse:
      return RateState::kDecrease;
    case Signal::kUnderuse:
      return RateState::kHold;
    case Signal::kNormal:
      return state == RateState::kDecrease ? RateState::kHold : RateState::kIncrease;
  }
  return state;
}

double AdaptiveEta(TimeDelta response_time, double noise_variance_ms2) {
  constexpr double kLowest = 1.005;
  constexpr double kHighest = 1.3;
  constexpr double kRange = 0.0407;
  constexpr double kSlopePerMs = 0.0025;
  constexpr double kResponseWeight = 0.85;
  constexpr double kMiddleMs = 800;
  constexpr double kMsPerVariance = 6700.0 / (33 * 33);  // 33 ms: interval of frames at 30 fps
  const double late_ms = kResponseWeight * response_time.ms() + kMsPerVariance * noise_variance_ms2 - kMiddleMs;
  const double eta = kLowest + kRange / (1 + det::Exp(kSlopePerMs * late_ms));
  return std::clamp(eta, kLowest, kHighest);
}

RateController::RateController(const Parameters& parameters)
    : params_(parameters), a_r_(parameters.start_bitrate()), initialised_(parameters.initialise_after_ms == 0) {}

void RateController::Configure(const Parameters& parameters) {
  params_ = parameters;
  if (!updated_) a_r_ = parameters.start_bitrate();
  a_r_ = Clamped(a_r_);
}

bool RateController::MayDecreaseAgain(std::optional<DataRate> received_rate, TimeDelta rtt, Timestamp now) const {
  if (!last_decrease_) return true;
  const TimeDelta interval = std::max(TimeDelta::Millis(params_.decrease_interval_min_ms),
                                      std::min(rtt, TimeDelta::Millis(params_.decrease_interval_max_ms)));
  if (now - *last_decrease_ >= interval) return true;
  return received_rate && *received_rate < a_r_ * params_.decrease_again_fraction;
}

// Returns false while A_r must stay at the start bitrate. libwebrtc of 2015 and 2016 keeps the start bitrate until the
// received rate has been measured for some time (initialise_after_ms), or until the first overuse.
bool RateController::Initialised(const Input& input, Timestamp now) {
  if (initialised_) return true;
  if (input.received_rate) {
    if (!first_received_) {
      first_received_ = now;
    } else if (now - *first_received_ > TimeDelta::Millis(params_.initialise_after_ms)) {
      a_r_ = Bounded(*input.received_rate, input);
      initialised_ = true;
    }
  }
  return initialised_ || input.signal == Signal::kOveruse;
}

double RateController::MaxDeviationKbps() const { return std::sqrt(variance_max_ * *mean_max_kbps_); }

void RateController::OnMaximumSeen(DataRate received_rate) {
  const double kbps = received_rate.kbps();
  const double w = params_.near_max_weight;
  mean_max_kbps_ = mean_max_kbps_ ? (1 - w) * *mean_max_kbps_ + w * kbps : kbps;
  const double deviation = *mean_max_kbps_ - kbps;
  variance_max_ = (1 - w) * variance_max_ + w * deviation * deviation / std::max(1.0, *mean_max_kbps_);
  variance_max_ = std::clamp(variance_max_, kMinVariance, kMaxVariance);
}

DataRate RateController::AdditiveIncrease(TimeDelta elapsed, TimeDelta rtt) const {
  const DataSize step = AveragePacketSize(a_r_) * params_.additive_packets;
  const TimeDelta response = std::max(rtt + TimeDelta::Millis(params_.response_time_offset_ms), TimeDelta::Millis(1));
  const bool literal = params_.mode_of_increase() == IncreaseMode::kAdditiveTon;
  const double responses = literal ? elapsed / response : std::min(elapsed / response, 1.0);
  const DataRate slowest = DataRate::BitsPerSec(params_.additive_min_bps_per_s) * elapsed.seconds();
  // In each response time, the rate in bits per second grows by the number of bits in `step`.
  return std::max(DataRate::BitsPerSec(step.bits() * responses), slowest);
}

double RateController::Alpha() const {
  if (!IsOn(params_.regions)) return params_.alpha;
  return region_ == Region::kNearMax ? kAlphaNearMax : kAlphaElsewhere;
}

// Factor on the growth of the rate: 0.5 near the maximum, 3 while no maximum is known, otherwise 1.
double RateController::RegionalGrowth() const {
  constexpr double kNear = 0.5;
  constexpr double kUnknown = 3;
  if (!IsOn(params_.regions)) return mean_max_kbps_ ? kNear : kUnknown;
  switch (region_) {
    case Region::kNearMax:
      return kNear;
    case Region::kAboveMax:
      return 1;
    case Region::kMaxUnknown:
      return kUnknown;
  }
  return 1;
}

bool RateController::Recover(DataRate& rate) {
  const DataRate after_hold = most_on_hold_ * Alpha();
  most_on_hold_ = DataRate::Zero();
  if (!IsOn(params_.regions) || after_hold <= rate) return false;
  rate = after_hold;
  mean_max_kbps_ = after_hold.kbps();
  region_ = Region::kNearMax;
  return true;
}

DataRate RateController::AdaptiveIncrease(TimeDelta elapsed, const Input& input) const {
  constexpr TimeDelta kFrames = TimeDelta::Millis(300);  // the receiver's part of the response time: about ten frames
  const double eta = AdaptiveEta(update_period_ + input.rtt + kFrames, input.noise_variance_ms2);
  const double growth = det::Pow(eta, elapsed.seconds()) - 1;
  return a_r_ * (1 + growth * RegionalGrowth()) + kMinMultiplicativeStep;
}

DataRate RateController::Increased(const Input& input, Timestamp now) {
  const TimeDelta elapsed = std::min(now - last_change_.value_or(now), kMaxElapsed);
  if (fast_start_ && input.loss >= params_.loss_low) fast_start_ = false;
  if (fast_start_ && params_.fast_start_factor > 1) {
    return a_r_ * det::Pow(params_.fast_start_factor, elapsed.seconds());
  }
  if (mean_max_kbps_ && input.received_rate) {
    const double above_kbps = input.received_rate->kbps() - *mean_max_kbps_;
    const double deviation_kbps = MaxDeviationKbps();
    if (above_kbps > params_.near_max_sigmas * deviation_kbps) {
      mean_max_kbps_.reset();  // above the old maximum: a new maximum has to be found
      region_ = Region::kMaxUnknown;
    } else if (above_kbps > kAboveMaxSigmas * deviation_kbps) {
      region_ = Region::kAboveMax;
    }
  }
  const IncreaseMode mode = params_.mode_of_increase();
  if (mode == IncreaseMode::kAdaptiveEta) return AdaptiveIncrease(elapsed, input);
  const bool near_max = last_decrease_ && mean_max_kbps_.has_value();
  if (mode == IncreaseMode::kMultiplicative || (mode == IncreaseMode::kHybrid && !near_max)) {
    const DataRate step = a_r_ * (det::Pow(params_.eta, elapsed.seconds()) - 1);
    return a_r_ + (mode == IncreaseMode::kHybrid ? std::max(step, kMinMultiplicativeStep) : step);
  }
  return a_r_ + AdditiveIncrease(elapsed, input.rtt);
}

DataRate RateController::Decreased(const Input& input) {
  const DataRate received = input.received_rate.value_or(a_r_);
  DataRate cut = received * Alpha();
  // If alpha times the received rate is still above A_r, the cut is computed from the known maximum instead of the
  // received rate.
  if (IsOn(params_.regions) && cut > a_r_ && region_ != Region::kMaxUnknown && mean_max_kbps_) {
    cut = DataRate::KilobitsPerSec(*mean_max_kbps_) * Alpha();
  }
  region_ = Region::kNearMax;
  if (mean_max_kbps_ && received.kbps() < *mean_max_kbps_ - params_.near_max_sigmas * MaxDeviationKbps()) {
    mean_max_kbps_.reset();
  }
  OnMaximumSeen(received);
  return std::min(a_r_, cut);
}

DataRate RateController::Bounded(DataRate rate, const Input& input) const {
  if (input.received_rate && params_.upper_bound_factor > 0 && IsOn(params_.regions)) {
    // If the new rate is too far above the received rate, A_r stays as it is.
    const bool is_low = *input.received_rate <= kLowReceived && rate <= kLowRate;
    if (!is_low && rate > *input.received_rate * params_.upper_bound_factor) rate = a_r_;
  } else if (input.received_rate && params_.upper_bound_factor > 0) {
    DataRate bound = *input.received_rate * params_.upper_bound_factor + DataRate::BitsPerSec(params_.upper_bound_offset_bps);
    if (!IsOn(params_.upper_bound_forces_decrease)) bound = std::max(bound, a_r_);
    rate = std::min(rate, bound);
  }
  return Clamped(rate);
}

DataRate RateController::Clamped(DataRate rate) const {
  return std::clamp(rate, params_.min_bitrate(), std::max(params_.min_bitrate(), params_.max_bitrate()));
}

DataRate RateController::Update(const Input& input, Timestamp now) {
  updated_ = true;
  if (!Initialised(input, now)) return a_r_;
  if (last_update_) update_period_ = update_period_ * 0.9 + (now - *last_update_) * 0.1;
  last_update_ = now;
  const RateState before = state_;
  state_ = NextState(state_, input.signal);
  acted_state_ = state_;
  if (state_ == RateState::kIncrease) {
    if (before == RateState::kHold) last_change_ = now;
    DataRate increased = Increased(input, now);
    a_r_ = Recover(increased) ? Clamped(increased) : Bounded(increased, input);
    last_change_ = now;
  } else if (state_ == RateState::kHold) {
    most_on_hold_ = std::max(most_on_hold_, input.received_rate.value_or(DataRate::Zero()));
  } else if (state_ == RateState::kDecrease) {
    fast_start_ = false;
    initialised_ = true;
    a_r_ = Bounded(Decreased(input), input);
    last_change_ = last_decrease_ = now;
    state_ = RateState::kHold;  // until the pipe is drained
  }
  return a_r_;
}

void RateController::Follow(DataRate rate, Timestamp now) {
  updated_ = initialised_ = true;
  fast_start_ = false;
  state_ = acted_state_ = rate < a_r_ * kDecreased ? RateState::kDecrease : RateState::kIncrease;
  if (state_ == RateState::kDecrease) last_decrease_ = now;
  a_r_ = Clamped(rate);
  last_change_ = now;
}

}  // namespace ccscope::gcc
