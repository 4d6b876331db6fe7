#include "cc/live/competing_flow.h"

#include <algorithm>

namespace ccscope {
namespace {

// The minimum of the one-way delay is taken over kInterval to twice kInterval.
constexpr TimeDelta kInterval = TimeDelta::Seconds(30);
// The queue is the shortest that any frame met in kPart, since frames also wait for parts of their own.
constexpr TimeDelta kPart = TimeDelta::Millis(250);
// Another flow is present once the queue has been longer than kNearlyEmpty for kStanding and has varied by kVaried
// meanwhile. It is gone once the queue has been shorter for kGone: a TCP flow that backs off may leave the queue empty
// for a moment.
constexpr TimeDelta kNearlyEmpty = TimeDelta::Millis(40);
constexpr TimeDelta kStanding = TimeDelta::Seconds(3);
constexpr TimeDelta kGone = TimeDelta::Millis(1500);
constexpr TimeDelta kVaried = TimeDelta::Millis(20);

}  // namespace

void CompetingFlow::OnLowest(TimeDelta queue, Timestamp now) {
  if (queue < kNearlyEmpty) {
    nearly_empty_at_ = now;
    if (now - filled_at_ > kGone) present_ = false;
    least_ = TimeDelta::PlusInfinity();
    most_ = TimeDelta::Zero();
    return;
  }
  filled_at_ = now;
  least_ = std::min(least_, queue);
  most_ = std::max(most_, queue);
  if (now - nearly_empty_at_ > kStanding && most_ - least_ > kVaried) present_ = true;
}

void CompetingFlow::OnFrame(const Arrival& arrival) {
  const Timestamp now = arrival.arrival_time;
  // While another flow fills the queue, the minimum from before it came is kept.
  if (now - interval_began_ > kInterval && !present_) {
    minimum_before_ = minimum_;
    minimum_ = TimeDelta::PlusInfinity();
    interval_began_ = now;
  }
  const TimeDelta delay = now - arrival.send_time;
  minimum_ = std::min(minimum_, delay);
  shortest_ = std::min(shortest_, delay - std::min(minimum_, minimum_before_));
  if (now - part_began_ < kPart) return;
  OnLowest(shortest_, now);
  part_began_ = now;
  shortest_ = TimeDelta::PlusInfinity();
}

}  // namespace ccscope
