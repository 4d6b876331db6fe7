#include "cc/live/frame_capacity.h"

#include <algorithm>
#include <array>

namespace ccscope {
namespace {

// The capacity is estimated from the frames of the last kHorizon. Frames that arrived more than kFallHorizon before a
// fall of the capacity are excluded. But at least kFrames frames are always used.
constexpr TimeDelta kHorizon = TimeDelta::Seconds(1);
constexpr int kFrames = 6;
constexpr TimeDelta kFallHorizon = TimeDelta::Millis(150);
// The capacity has fallen if it is below this fraction of the rate sent or, for a suspicion, of the delivered rate.
constexpr double kFallenTo = 0.85;
// While frames may wait for lost packets, at least this many frames are needed to show a fall of the capacity.
constexpr int kFramesBehindLoss = 5;
// A fall counts only if the frames that show it were served at similar rates: the fastest frame at less than this
// multiple of the rate of the slowest frame.
constexpr double kAlike = 2.5;
// A single frame raises a suspicion if its service takes longer than expected by more than kSuspectExcess plus
// kSuspectLatenesses times the lateness of stamps. After an unconfirmed suspicion, the next one waits for kTrustAgain.
// For kHorizon after a fall, frames still take longer than expected, so there is no suspicion.
// These constants were chosen in simulated calls (sim/live/live_flow.h) with idle, busy and loaded machines.
constexpr TimeDelta kSuspectExcess = TimeDelta::Millis(10);
constexpr double kSuspectLatenesses = 8;
constexpr TimeDelta kTrustAgain = TimeDelta::Seconds(20);
// A wait longer than kQueue counts as a queue. Only the part of a wait beyond kWaitToDrain is drained.
constexpr TimeDelta kQueue = TimeDelta::Millis(12);
constexpr TimeDelta kWaitToDrain = TimeDelta::Millis(10);
// It is certain that a queue exists in each of four cases: losses are heavy; there are losses and also a queue; the
// wait is longer than kLongQueue; or the two latest frames both took much longer to be served than expected. "Much
// longer" means by more than kSureExcess plus kSureLatenesses times the lateness of stamps.
constexpr TimeDelta kLongQueue = TimeDelta::Millis(100);
constexpr TimeDelta kSureExcess = TimeDelta::Millis(8);
constexpr double kSureLatenesses = 6;

}  // namespace

void FrameCapacity::OnFrame(const Arrival& arrival) {
  now_ = arrival.arrival_time;
  dispersion_->OnFrame(arrival);
  estimate_ = dispersion_->Capacity(Horizon(), kFrames);
  UpdateSuspicion();
}

TimeDelta FrameCapacity::Horizon() const {
  return fell_at_ ? std::clamp(now_ - *fell_at_ + kFallHorizon, kFallHorizon, kHorizon) : kHorizon;
}

bool FrameCapacity::SeesQueue() const { return Wait() > kQueue; }

TimeDelta FrameCapacity::WaitToDrain() const { return std::max(TimeDelta::Zero(), Wait() - kWaitToDrain); }

bool FrameCapacity::IsSureOfQueue(double loss) const {
  return loss > kHeavyLoss || (loss > 0 && SeesQueue()) || Wait() > kLongQueue ||
         dispersion_->ServiceExcess(2) > kSureExcess + dispersion_->Lateness() * kSureLatenesses;
}

void FrameCapacity::UpdateSuspicion() {
  const DataRate served = dispersion_->ServiceRatesOf(1).fastest;
  const DataRate delivered = dispersion_->Delivered(kHorizon).value_or(DataRate::Zero());
  const bool has_just_fallen = fell_at_ && now_ - *fell_at_ < kHorizon;
  const bool is_slow = estimate_ && !has_just_fallen && !IsBehindLoss() && served < delivered * kFallenTo &&
                       dispersion_->ServiceExcess(1) > kSuspectExcess + dispersion_->Lateness() * kSuspectLatenesses;
  if (!is_slow) return suspected_.reset();
  const bool was_confirmed = fell_at_ && *fell_at_ >= suspected_at_;
  if (!suspected_ && !was_confirmed && now_ - suspected_at_ < kTrustAgain) return;
  if (!suspected_) suspected_at_ = now_;
  suspected_ = served;
}

std::optional<DataRate> FrameCapacity::Fallen() const {
  struct Evidence {
    int frames;
    TimeDelta excess;
    double latenesses;
  };
  constexpr std::array<Evidence, 3> kEnough{{{2, TimeDelta::Millis(4), 2}, {3, TimeDelta::Millis(3), 1}, {5, TimeDelta::Millis(2), 0.3}}};
  for (const auto& [frames, excess, latenesses] : kEnough) {
    if (IsBehindLoss() && frames < kFramesBehindLoss) continue;
    if (dispersion_->ServiceExcess(frames) <= excess + dispersion_->Lateness() * latenesses) continue;
    const auto [slowest, fastest] = dispersion_->ServiceRatesOf(frames);
    if (fastest < slowest * kAlike) return fastest;
  }
  return std::nullopt;
}

std::optional<DataRate> FrameCapacity::FallenBelow(DataRate sent) const {
  if (!SeesQueue()) return std::nullopt;
  const auto fallen = Fallen();
  return fallen && *fallen < sent * kFallenTo ? fallen : std::nullopt;
}

}  // namespace ccscope
