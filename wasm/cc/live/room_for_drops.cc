#include "cc/live/room_for_drops.h"

#include <algorithm>

namespace ccscope {
namespace {

constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
// A second with a loss adds kMore to the room, up to kMost. A second without a loss subtracts kLess.
constexpr double kMore = 0.03;
constexpr double kLess = 0.004;
constexpr double kMost = 0.12;
// Losses are attributed to the path after kLossySeconds seconds in which losses occurred although the room was at least
// kLarge. Each second without a loss lowers the count of these seconds by kQuiet. So the count stays low if the room
// makes losses rare.
constexpr double kLarge = 0.06;
constexpr double kLossySeconds = 3;
constexpr double kQuiet = 0.125;
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
    lossy_seconds_ = std::max(0.0, lossy_seconds_ - kQuiet);
    return;
  }
  if (room_ >= kLarge) lossy_seconds_ += 1;
  room_ = std::min(kMost, room_ + kMore);
  if (lossy_seconds_ < kLossySeconds) return;
  random_until_ = now + kRandomFor;
  lossy_seconds_ = 0;
}

}  // namespace ccscope
