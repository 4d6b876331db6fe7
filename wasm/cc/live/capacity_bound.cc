#include "cc/live/capacity_bound.h"

#include <algorithm>

#include "cc/live/drain_limits.h"

namespace ccscope {
namespace {

// The fraction of the capacity that the bound allows. It is a little less than the corresponding fraction in GCC
// (capacity_probe_target). While the controller requests less than the bound, the encoder's share (encoder_share.h) is
// measured too low, which makes the bound too high. The smaller fraction compensates for this.
constexpr double kTarget = 0.985;
constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
constexpr TimeDelta kHalf = TimeDelta::Millis(500);
// The time in which a queue is to be drained.
constexpr TimeDelta kDrainTime = TimeDelta::Millis(300);
// When a fall of the capacity is noticed, data has already been sent at the old rate for as long as the newest frame
// waited. The backlog continues to grow for about kResponse, until the new rate takes effect.
constexpr TimeDelta kResponse = TimeDelta::Millis(150);
// There is room to grow while the delivered rate is below this fraction of the capacity.
constexpr double kMuchUnused = 0.8;

}  // namespace

void CapacityBound::OnLoss(double fraction, Timestamp now) {
  loss_ = fraction;
  room_.Update(fraction > 0, now);
  if (fraction > 0) capacity_.OnLoss(now);
}

bool CapacityBound::ShowsRoom(DataRate delivered) const {
  const auto capacity = capacity_.capacity();
  return capacity && capacity_.WaitToDrain() == TimeDelta::Zero() && delivered < *capacity * kMuchUnused;
}

void CapacityBound::OnFall(DataRate fallen, DataRate delivered, Timestamp now) {
  const TimeDelta wait = capacity_.Wait();
  const TimeDelta backlog = wait + (wait + kResponse) * std::max(0.0, delivered / fallen - 1);
  drained_at_ = now + std::min(backlog, kLongestDrain);
  capacity_.OnFall(now);
}

void CapacityBound::ObserveEncoder(DataRate delivered, Timestamp now) {
  if (!last_next_.IsFinite()) first_ = now;
  const TimeDelta elapsed = std::clamp(now - last_next_, TimeDelta::Zero(), kSecond);
  last_next_ = now;
  encoder_share_.OnAsked(bound_, elapsed);
  if (now < drained_at_ + kSecond || now - first_ < kSecond) return;
  const DataRate latest = capacity_.frames().Delivered(kHalf).value_or(DataRate::Zero());
  const bool may_be_less = !room_.LostIn(FrameCapacity::kLossShows, now) && !capacity_.SeesQueue();
  encoder_share_.OnDelivered({delivered, latest, ShowsRoom(delivered), may_be_less}, elapsed);
  encoder_share_.OnQueue(capacity_.WaitToDrain(), elapsed);
}

DataRate CapacityBound::Bound(DataRate delivered, Timestamp now) {
  DataRate level = *capacity_.capacity();
  if (const auto fallen = capacity_.FallenBelow(delivered)) {
    level = std::min(level, *fallen);
    OnFall(level, delivered, now);
  }
  const bool is_sure = capacity_.IsSureOfQueue(loss_);
  if (now < drained_at_ && is_sure) return level * kLeftWhileDraining;
  if (const auto suspected = capacity_.Suspected()) return *suspected * kLeftWhileDraining;
  const double share = kTarget - room_.room() - std::min(kMostOfDrain, capacity_.WaitToDrain() / kDrainTime);
  const DataRate bound = level * (share / encoder_share_.value());
  return is_sure ? bound : std::max(bound, delivered * kLeastOfDelivered);
}

std::optional<DataRate> CapacityBound::Next(DataRate delivered, Timestamp now) {
  if (!capacity_.capacity()) return std::nullopt;
  ObserveEncoder(delivered, now);
  bound_ = Bound(delivered, now);
  return bound_;
}

}  // namespace ccscope
