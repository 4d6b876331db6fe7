#include "cc/live/encoder_share.h"

#include <algorithm>

#include "units/deterministic_math.h"

namespace ccscope {
namespace {

constexpr double kHighest = 1.05;
constexpr TimeDelta kAskedTime = TimeDelta::Millis(800);
// The estimate rises faster than it falls, since an encoder that sends more than assumed soon fills a queue.
constexpr TimeDelta kRiseTime = TimeDelta::Millis(500);
constexpr TimeDelta kFallTime = TimeDelta::Millis(1500);
constexpr TimeDelta kFallTimeWithRoom = TimeDelta::Millis(800);
// By how much the share rises per second while a queue of length kQueue lasts.
constexpr double kRiseOfQueue = 0.8;
constexpr TimeDelta kQueue = TimeDelta::Millis(100);

double Step(TimeDelta elapsed, TimeDelta time_constant) { return 1 - det::Exp(-(elapsed / time_constant)); }

}  // namespace

void EncoderShare::OnAsked(DataRate asked, TimeDelta elapsed) {
  asked_ = asked_ + (asked + asked_ * -1) * Step(elapsed, kAskedTime);
}

void EncoderShare::OnDelivered(const Delivered& delivered, TimeDelta elapsed) {
  const double of_second = std::clamp(delivered.second / asked_, kLowest, kHighest);
  const double of_half = delivered.half / asked_;
  if (std::max(of_second, of_half) < share_ && !delivered.may_be_less) return;
  const double seen = std::min(kHighest, of_half > share_ ? of_half : of_second);
  const TimeDelta fall = delivered.has_room ? kFallTimeWithRoom : kFallTime;
  share_ += (seen - share_) * Step(elapsed, seen < share_ ? fall : kRiseTime);
}

void EncoderShare::OnQueue(TimeDelta length, TimeDelta elapsed) {
  share_ = std::min(kHighest, share_ + kRiseOfQueue * (length / kQueue) * elapsed.seconds());
}

}  // namespace ccscope
