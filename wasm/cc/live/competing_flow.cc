#include "cc/live/competing_flow.h"

#include <algorithm>

namespace ccscope {
namespace {

// A second is extended until it contains kFewFrames frames. A pause longer than kPause discards everything learnt about
// the queue.
constexpr TimeDelta kSecond = TimeDelta::Seconds(1);
constexpr std::size_t kFewFrames = 4;
constexpr TimeDelta kPause = TimeDelta::Seconds(4);
// The smallest delay is the minimum over the current and the previous interval; an interval lasts kInterval.
constexpr TimeDelta kInterval = TimeDelta::Seconds(30);
// A queue shorter than kNearlyEmpty, or than kSpreads times the spread of the delays, counts as nearly empty.
constexpr TimeDelta kNearlyEmpty = TimeDelta::Millis(40);
constexpr double kSpreads = 6;
// Another flow counts as present if the queue has lasted for kStanding without being nearly empty, has varied by more
// than kVaried, and one of two further conditions holds. Either frames arrive at less than kGivenUp times the highest
// rate since the queue was nearly empty. Or the queue has lasted for a further kDrainTimes times its greatest length:
// in that time the call would have drained its own queue, since a call that drains a queue sends at most three quarters
// of the delivered rate. The rate in the first second of the queue is ignored, since the queue may have begun in the
// middle of that second; so are rates before the queue has varied by more than kVaried. The other flow counts as gone
// when the queue has been nearly empty for two seconds. One second is not enough: the queue may also be nearly empty
// for a second when TCP backs off.
constexpr TimeDelta kStanding = TimeDelta::Millis(2500);
constexpr TimeDelta kVaried = TimeDelta::Millis(20);
constexpr double kGivenUp = 0.7;
constexpr double kDrainTimes = 4;
constexpr TimeDelta kGone = TimeDelta::Millis(1500);
// If the queue varies by less than kVaried for this long, the other flow counts as gone, and the delay is attributed to
// a longer route.
constexpr TimeDelta kConstant = TimeDelta::Seconds(10);

}  // namespace

void CompetingFlow::Insert(TimeDelta delay) {
  if (frames_ == delays_.size()) return;
  std::size_t i = frames_++;
  for (; i > 0 && delays_[i - 1] > delay; --i) delays_[i] = delays_[i - 1];
  delays_[i] = delay;
}

void CompetingFlow::OnNearlyEmpty(DataRate delivered, Timestamp now) {
  // The queue may already have begun to fill in the last nearly empty second, so DeliveredBefore() returns the rate of
  // the second before it.
  delivered_before_ = delivered_last_;
  delivered_last_ = delivered;
  nearly_empty_at_ = now;
  if (now - filled_at_ > kGone) present_ = false;
  filled_ = 0;
  most_delivered_ = DataRate::Zero();
  longest_queue_ = TimeDelta::Zero();
}

void CompetingFlow::OnFilled(TimeDelta queue, const Second& second, Timestamp now) {
  filled_at_ = now;
  if (filled_++ == 0 || now - range_began_ > kConstant) {
    if (present_ && longest_ - shortest_ < kVaried) {
      minimum_ = minimum_before_ = second.delay;
      present_ = false;
      return OnNearlyEmpty(second.delivered, now);
    }
    shortest_ = longest_ = queue;
    range_began_ = now;
  }
  shortest_ = std::min(shortest_, queue);
  longest_ = std::max(longest_, queue);
  longest_queue_ = std::max(longest_queue_, queue);
  if (filled_ == 1 || longest_ - shortest_ <= kVaried) return;
  most_delivered_ = std::max(most_delivered_, second.delivered);
  const bool has_given_up = second.delivered < most_delivered_ * kGivenUp;
  const TimeDelta needed = kStanding + (has_given_up ? TimeDelta::Zero() : longest_queue_ * kDrainTimes);
  if (now - nearly_empty_at_ > needed) present_ = true;
}

void CompetingFlow::OnSecond(const Second& second, Timestamp now) {
  if (now - interval_began_ > kInterval && !present_) {
    minimum_before_ = minimum_;
    minimum_ = TimeDelta::PlusInfinity();
    interval_began_ = now;
  }
  minimum_ = std::min(minimum_, second.least);
  // Jitter spreads the delays in every second, a changing queue only in some seconds. So the smallest spread is used.
  spreads_[seconds_++ % spreads_.size()] = second.spread;
  TimeDelta spread = second.spread;
  for (const TimeDelta each : spreads_) spread = std::min(spread, each);
  const TimeDelta queue = second.delay - std::min(minimum_, minimum_before_);
  if (queue < std::max(kNearlyEmpty, spread * kSpreads)) return OnNearlyEmpty(second.delivered, now);
  OnFilled(queue, second, now);
}

void CompetingFlow::OnFrame(const Arrival& arrival) {
  const Timestamp now = arrival.arrival_time;
  const TimeDelta elapsed = now - second_began_;
  // The condition is also true at the first frame. Time may go back by up to kSecond, because of retransmitted frames.
  if (elapsed < TimeDelta::Zero() - kSecond || elapsed > kPause) {
    *this = CompetingFlow();
    second_began_ = nearly_empty_at_ = now;
  }
  Insert(now - arrival.send_time);
  bytes_ += arrival.size;
  if (elapsed < kSecond || frames_ < kFewFrames) return;
  const TimeDelta delay = delays_[frames_ / 4];
  OnSecond({delays_[0], delay, delays_[frames_ * 3 / 4] - delay, bytes_ / elapsed}, now);
  second_began_ = now;
  frames_ = 0;
  bytes_ = DataSize::Zero();
}

}  // namespace ccscope
