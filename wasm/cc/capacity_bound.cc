#include "cc/capacity_bound.h"

#include <algorithm>

namespace ccscope {
namespace {

// Share of a capacity that frames can fill.
constexpr double kTarget = 0.985;
// A queue is to be gone after this time, at the cost of at most this share of the capacity.
constexpr TimeDelta kDrainTime = TimeDelta::Millis(300);
constexpr double kMostOfDrain = 0.7;
// Without a queue that is beyond doubt, the bound is not below this share of what was delivered.
constexpr double kLeastOfDelivered = 0.7;

// Of a capacity, less than this is used.
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

std::optional<DataRate> CapacityBound::Next(DataRate delivered, Timestamp now) {
  if (!capacity_.capacity()) return std::nullopt;
  DataRate level = *capacity_.capacity();
  if (const auto fallen = capacity_.FallenBelow(delivered)) {
    capacity_.OnFall(now);
    level = std::min(level, *fallen);
  }
  const DataRate bound = level * (kTarget - room_.room() - std::min(kMostOfDrain, capacity_.WaitToDrain() / kDrainTime));
  return capacity_.IsSureOfQueue(loss_) ? bound : std::max(bound, delivered * kLeastOfDelivered);
}

}  // namespace ccscope
