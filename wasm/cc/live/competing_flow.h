// Whether another flow keeps the queue of the bottleneck filled, as TCP does. A queue of the call's own making drains
// soon after the call sends less, whereas a loss-based flow refills the queue whatever the call does. A call that still
// tries to drain it gives up its whole share. Copa tells the two apart in the same way: its queue has to be nearly
// empty now and then (Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", NSDI
// 2018, section 2.2).
//
// The queue is the one-way delay above its minimum, so that packets of other flows in the queue count as well. A longer
// route also raises the delay, but keeps it constant, whereas the queue that a loss-based flow fills grows and shrinks.
// Jitter raises the delay of single frames. So the queue is taken from the frames of a second, and has to be longer than
// these frames' delays differ.
#ifndef CCSCOPE_CC_LIVE_COMPETING_FLOW_H_
#define CCSCOPE_CC_LIVE_COMPETING_FLOW_H_

#include <array>

#include "cc/controller.h"
#include "units/units.h"

namespace ccscope {

class CompetingFlow {
 public:
  void OnFrame(const Arrival& arrival);
  // Whether the queue is longer than nearly empty.
  bool IsQueueFilled() const { return filled_at_ > nearly_empty_at_; }
  // Whether the queue has been filled for seconds, and has not been nearly empty since.
  bool IsPresent() const { return present_; }

 private:
  void Insert(TimeDelta delay);
  void OnSecond(Timestamp now);
  void OnQueue(TimeDelta queue, TimeDelta nearly_empty, Timestamp now);

  // The one-way delays of the frames of the present second, the shortest first.
  std::array<TimeDelta, 64> delays_{};
  std::size_t frames_ = 0;
  Timestamp second_began_ = Timestamp::MinusInfinity();
  // By how much the delays differed in each of the latest seconds.
  std::array<TimeDelta, 4> spreads_{};
  std::size_t seconds_ = 0;
  // The minimum of the delays of seconds, over this interval and the one before it.
  TimeDelta minimum_ = TimeDelta::PlusInfinity();
  TimeDelta minimum_before_ = TimeDelta::PlusInfinity();
  Timestamp interval_began_ = Timestamp::MinusInfinity();
  // The range of the queue since it was nearly empty.
  TimeDelta shortest_;
  TimeDelta longest_;
  Timestamp nearly_empty_at_ = Timestamp::MinusInfinity();
  Timestamp filled_at_ = Timestamp::MinusInfinity();
  bool present_ = false;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_COMPETING_FLOW_H_
