#include "cc/live/capacity_bound.h"

#include <algorithm>

#include "cc/live/drain_limits.h"

namespace ccscope {
namespace {

// Share of the capacity: a little less than GCC asks for, since nothing here knows how much the encoder really
// sends.
constexpr double kTarget = 0.985;
// The time in which a queue is to be drained.
constexpr TimeDelta kDrainTime = TimeDelta::Millis(300);
// After a fall, what left at the old rate for this long after a frame was stamped is still on its way into the
// queue.
constexpr TimeDelta kResponse = TimeDelta::Millis(150);
// There is room while less than this share of the capacity is used.
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

std::optional<DataRate> CapacityBound::Next(DataRate delivered, Timestamp now) {
  if (!capacity_.capacity()) return std::nullopt;
  DataRate level = *capacity_.capacity();
  if (const auto fallen = capacity_.FallenBelow(delivered)) {
    level = std::min(level, *fallen);
    OnFall(level, delivered, now);
  }
  const bool is_sure = capacity_.IsSureOfQueue(loss_);
  if (now < drained_at_ && is_sure) return level * kLeftWhileDraining;
  const DataRate bound = level * (kTarget - room_.room() - std::min(kMostOfDrain, capacity_.WaitToDrain() / kDrainTime));
  return is_sure ? bound : std::max(bound, delivered * kLeastOfDelivered);
}

}  // namespace ccscope
