#include "cc/gcc/live/room_for_waits.h"

#include <algorithm>

namespace ccscope::gcc {
namespace {

constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
// After a second in which more than this share of the frames waited this long, more room is left; after any other
// second a little less.
constexpr TimeDelta kLong = TimeDelta::Millis(60);
constexpr double kOften = 0.08;
constexpr double kMore = 0.08;
constexpr double kLess = 0.005;
constexpr double kMost = 0.35;

}  // namespace

void RoomForWaits::OnFrame(TimeDelta wait, bool bunched, Timestamp now) {
  ++frames_;
  if (bunched) ++bunched_;
  if (wait > kLong) ++long_waits_;
  if (now - second_began_ < kSecond) return;
  const bool often = bunched_ == 0 && long_waits_ > kOften * frames_;
  room_ = std::clamp(room_ + (often ? kMore : -kLess), 0.0, kMost);
  Restart(now);
}

void RoomForWaits::Restart(Timestamp now) {
  second_began_ = now;
  frames_ = long_waits_ = bunched_ = 0;
}

}  // namespace ccscope::gcc
