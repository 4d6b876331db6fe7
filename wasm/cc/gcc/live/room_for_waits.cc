#include "cc/gcc/live/room_for_waits.h"

#include <algorithm>
#include <bit>

namespace ccscope::gcc {
namespace {

constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
// A second has many waits if more than the fraction kOften of its frames waited longer than kLong. Each such second
// adds kMore to the room (at most kMost). The addition is held back until kAgain of the latest kLatest seconds had many
// waits. So a single queue, such as one at the start of a call, does not raise the room. A second without many waits
// lowers the room by kLess.
constexpr TimeDelta kLong = TimeDelta::Millis(60);
constexpr double kOften = 0.08;
constexpr double kMore = 0.08;
constexpr double kLess = 0.005;
constexpr double kMost = 0.35;
constexpr int kLatest = 16;
constexpr int kAgain = 4;

}  // namespace

void RoomForWaits::OnFrame(TimeDelta wait, bool bunched, Timestamp now) {
  ++frames_;
  if (bunched) ++bunched_;
  if (wait > kLong) ++long_waits_;
  if (now - second_began_ < kSecond) return;
  const bool often = bunched_ == 0 && long_waits_ > kOften * frames_;
  often_ = (often_ << 1 | (often ? 1U : 0U)) & ((1U << kLatest) - 1);
  held_back_ = often_ == 0 ? 0 : held_back_ + (often ? kMore : 0);
  const bool again = std::popcount(often_) >= kAgain;
  room_ = std::clamp(room_ + (again ? held_back_ : 0) - (often ? 0 : kLess), 0.0, kMost);
  if (again) held_back_ = 0;
  Restart(now);
}

void RoomForWaits::Restart(Timestamp now) {
  second_began_ = now;
  frames_ = long_waits_ = bunched_ = 0;
}

}  // namespace ccscope::gcc
