#include "cc/live/room_for_drops.h"

#include <algorithm>

namespace ccscope {
namespace {

constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
// Added for each second with a loss, and removed for each second without.
constexpr double kMore = 0.03;
constexpr double kLess = 0.004;
constexpr double kMost = 0.12;
// After this many lossy seconds with the largest room, the losses are taken to be independent of it.
constexpr int kLossySeconds = 5;
constexpr TimeDelta kRandomFor = TimeDelta::Seconds(30);
constexpr double kForRetransmissions = 0.03;

}  // namespace

void RoomForDrops::Update(bool lost, Timestamp now) {
  if (lost) lost_at_ = now;
  if (now - updated_ < kSecond) return;
  updated_ = now;
  const bool random = now < random_until_;
  if (random || !LostIn(kSecond, now)) {
    room_ = std::max(random ? kForRetransmissions : 0, room_ - (random ? kMore : kLess));
    lossy_seconds_ = std::max(0, lossy_seconds_ - 1);
  } else if (room_ < kMost) {
    room_ = std::min(kMost, room_ + kMore);
  } else if (++lossy_seconds_ == kLossySeconds) {
    random_until_ = now + kRandomFor;
    lossy_seconds_ = 0;
  }
}

}  // namespace ccscope
