#include "sim/media_source.h"

#include <algorithm>
#include <cmath>

#include "units/deterministic_math.h"

namespace ccscope {
namespace {

// A frame is at least this fraction of the mean size, however large the noise is.
constexpr double kSmallestShare = 0.2;

double Step(TimeDelta interval, TimeDelta time_constant) {
  return time_constant > TimeDelta::Zero() ? 1 - det::Exp(-(interval / time_constant)) : 1;
}

}  // namespace

const ParameterSpec kMediaSourceParameterSpecs[kMediaSourceParameterCount] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/media_source.def"
#undef PARAMETER
};

DataSize MediaSource::Params::LargestFragment(DataSize frame) const {
  enum class Fragments { kFull, kEqual };
  if (Choice<Fragments>(fragments) == Fragments::kFull) return payload();
  const double count = std::max(1.0, std::ceil(frame / payload()));
  return DataSize::Bytes(std::ceil((frame / count).bytes()));
}

MediaSource::MediaSource(const Params& params, DataRate start_rate)
    : params_(params),
      target_(start_rate),
      rate_(std::clamp(start_rate, params.min_rate(), std::max(params.min_rate(), params.max_rate()))),
      follow_down_(Step(params.frame_interval(), TimeDelta::Millis(params.encoder_lag_ms))),
      follow_up_(params.encoder_rise_lag_ms > 0 ? Step(params.frame_interval(), TimeDelta::Millis(params.encoder_rise_lag_ms)) : follow_down_),
      inverse_(params.encoder_lag_ms > 0 ? params.inverse_response_ms / params.encoder_lag_ms : 0),
      innovation_(params.noise_sd * std::sqrt(1 - params.noise_correlation * params.noise_correlation)),
      give_back_(params.recovery_ms > 0 ? std::min(1.0, params.frame_interval() / TimeDelta::Millis(params.recovery_ms)) : 0),
      key_frame_interval_(static_cast<int>(params.key_frame_interval_s * params.frame_rate)) {
  if (params.ramp_time_constant_s > 0) {
    ramp_ = det::Exp(params.frame_interval() / TimeDelta::Seconds(params.ramp_time_constant_s));
    rate_ = params.min_rate();
  }
}

void MediaSource::SetTarget(DataRate target) {
  if (target != target_) frames_of_target_ = 0;
  if (target < target_ * (1 - params_.cut_without_inverse)) cut_frame_ = rate_ * params_.frame_interval() * params_.cut_frame_factor;
  target_ = target;
}

// For the first frames after a change of the target, the encoder gets only a fraction of the target. libwebrtc does
// this because it creates a new EncoderBitrateAdjuster for each new maxBitrate (video/encoder_bitrate_adjuster.cc,
// kDefaultUtilizationFactor, kMinFramesSinceLayoutChange).
DataRate MediaSource::GivenTarget() const {
  return frames_of_target_ < params_.new_target_frames ? target_ * params_.new_target_share : target_;
}

void MediaSource::FollowTarget() {
  const DataRate target = GivenTarget();
  const DataRate highest = std::max(params_.min_rate(), params_.max_rate());
  const DataRate next = ramp_ > 1 ? rate_ * ramp_ : rate_ + (target + rate_ * -1) * (target < rate_ ? follow_down_ : follow_up_);
  rate_ = std::clamp(next, params_.min_rate(), highest);
}

// After a fall of the target, VP8 first makes larger frames: its rate-control buffer is above the optimal level for
// the new target, and VP8 spends the surplus (media_source.md).
DataRate MediaSource::MeanRate() const {
  const DataRate target = GivenTarget();
  if (target >= rate_ || target_ < rate_ * (1 - params_.cut_without_inverse)) return rate_;
  const DataRate highest = std::max(params_.min_rate(), params_.max_rate());
  const DataRate mean = rate_ + (rate_ + std::min(target, highest) * -1) * inverse_;
  return std::clamp(mean, params_.min_rate(), highest);
}

bool MediaSource::IsStill() const {
  if (params_.still_s <= 0) return false;
  return std::fmod(frames_ / params_.frame_rate, params_.moving_s + params_.still_s) >= params_.moving_s;
}

MediaSource::Frame MediaSource::NextFrame(Random& random) {
  FollowTarget();
  if (params_.noise_sd > 0) noise_ = params_.noise_correlation * noise_ + innovation_ * random.Gaussian();
  Frame frame;
  frame.key_frame = key_frame_requested_ || (key_frame_interval_ > 0 && frames_ % key_frame_interval_ == 0);
  key_frame_requested_ = false;
  const DataRate most = IsStill() ? DataRate::BitsPerSec(params_.still_bitrate_bps) : DataRate::PlusInfinity();
  const DataSize mean = std::min(MeanRate(), most) * params_.frame_interval();
  const double wanted = frame.key_frame && params_.key_frame_factor > 1 ? params_.key_frame_factor : 1 + noise_;
  const double share = std::max(kSmallestShare, wanted - excess_ * give_back_);
  if (give_back_ > 0) excess_ += share - 1;
  const DataSize wire = std::max(mean * share, cut_frame_);
  cut_frame_ = DataSize::Zero();
  ++frames_;
  ++frames_of_target_;
  // The frame is divided into as few packets as possible. The headers of these packets are part of the size of the
  // frame on the wire.
  const DataSize packet = params_.payload() + params_.header();
  frame.packets = std::max(1, static_cast<int>(std::ceil(wire / packet)));
  const DataSize coded = wire - params_.header() * frame.packets;
  frame.size = DataSize::Bytes(std::max(std::floor(coded.bytes()), static_cast<double>(frame.packets)));
  return frame;
}

}  // namespace ccscope
