#include "cc/live/competing_flow.h"

#include <algorithm>

namespace ccscope {
namespace {

constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
// The delay of a second is that of its lower quartile of frames: late stamps and waits behind key frames do not raise it,
// and a single early frame does not lower it. A second with fewer frames than this is not evaluated.
constexpr std::size_t kFewFrames = 4;
// The minimum of the delay is taken over kInterval to twice kInterval.
constexpr TimeDelta kInterval = TimeDelta::Seconds(30);
// A queue shorter than kNearlyEmpty, or than kSpreads times the spread of the delays, counts as nearly empty.
constexpr TimeDelta kNearlyEmpty = TimeDelta::Millis(40);
constexpr double kSpreads = 3;
// Another flow is present once the queue has not been nearly empty for kStanding and has varied by kVaried meanwhile.
// It is gone once the queue has been nearly empty for kGone: a TCP flow that backs off may leave it so for a moment.
constexpr TimeDelta kStanding = TimeDelta::Millis(2500);
constexpr TimeDelta kVaried = TimeDelta::Millis(20);
constexpr TimeDelta kGone = TimeDelta::Millis(1500);

}  // namespace

void CompetingFlow::Insert(TimeDelta delay) {
  if (frames_ == delays_.size()) return;
  std::size_t i = frames_++;
  for (; i > 0 && delays_[i - 1] > delay; --i) delays_[i] = delays_[i - 1];
  delays_[i] = delay;
}

void CompetingFlow::OnQueue(TimeDelta queue, TimeDelta nearly_empty, Timestamp now) {
  if (queue < nearly_empty) {
    nearly_empty_at_ = now;
    if (now - filled_at_ > kGone) present_ = false;
    shortest_ = TimeDelta::PlusInfinity();
    longest_ = TimeDelta::Zero();
    return;
  }
  filled_at_ = now;
  shortest_ = std::min(shortest_, queue);
  longest_ = std::max(longest_, queue);
  if (now - nearly_empty_at_ > kStanding && longest_ - shortest_ > kVaried) present_ = true;
}

void CompetingFlow::OnSecond(Timestamp now) {
  // While another flow fills the queue, the minimum from before it came is kept.
  if (now - interval_began_ > kInterval && !present_) {
    minimum_before_ = minimum_;
    minimum_ = TimeDelta::PlusInfinity();
    interval_began_ = now;
  }
  const TimeDelta delay = delays_[frames_ / 4];
  spreads_[seconds_++ % spreads_.size()] = delays_[frames_ * 3 / 4] - delay;
  minimum_ = std::min(minimum_, delay);
  // Jitter spreads the delays of every second, a queue that shrinks only those of some.
  TimeDelta spread = spreads_[0];
  for (const TimeDelta each : spreads_) spread = std::min(spread, each);
  OnQueue(delay - std::min(minimum_, minimum_before_), std::max(kNearlyEmpty, spread * kSpreads), now);
}

void CompetingFlow::OnFrame(const Arrival& arrival) {
  const Timestamp now = arrival.arrival_time;
  Insert(now - arrival.send_time);
  if (now - second_began_ < kSecond) return;
  if (frames_ >= kFewFrames) OnSecond(now);
  second_began_ = now;
  frames_ = 0;
}

}  // namespace ccscope
