#include "cc/gcc/live/room_for_waits.h"

#include <algorithm>
#include <bit>

namespace ccscope::gcc {
namespace {

constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
// Frames wait often in a second in which more than the share kOften of them waited longer than kLong. If that is so for
// at least kAgain of the latest kLatest seconds, the last one among them, the room grows by kMore, up to kMost; after
// any other second it shrinks by kLess. A single queue, such as one that the start has caused, makes no room.
constexpr TimeDelta kLong = TimeDelta::Millis(60);
constexpr double kOften = 0.08;
constexpr double kMore = 0.08;
constexpr double kLess = 0.005;
constexpr double kMost = 0.35;
constexpr int kLatest = 16;
constexpr int kAgain = 3;

}  // namespace

void RoomForWaits::OnFrame(TimeDelta wait, bool bunched, Timestamp now) {
  ++frames_;
  if (bunched) ++bunched_;
  if (wait > kLong) ++long_waits_;
  if (now - second_began_ < kSecond) return;
  const bool often = bunched_ == 0 && long_waits_ > kOften * frames_;
  often_ = (often_ << 1 | (often ? 1U : 0U)) & ((1U << kLatest) - 1);
  const bool again = often && std::popcount(often_) >= kAgain;
  room_ = std::clamp(room_ + (again ? kMore : -kLess), 0.0, kMost);
  Restart(now);
}

void RoomForWaits::Restart(Timestamp now) {
  second_began_ = now;
  frames_ = long_waits_ = bunched_ = 0;
}

}  // namespace ccscope::gcc
