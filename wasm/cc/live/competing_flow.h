// Whether another flow keeps the queue of the bottleneck filled, as TCP does. A queue of the call's own making drains
// once the call sends less, whereas a loss-based flow refills the queue whatever the call does. A call that still tries
// to drain it gives up its whole share. Copa tells the two apart in a similar way: its queue has to be nearly empty now
// and then (Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", NSDI 2018,
// section 2.2). Here, a queue counts as another flow's if two things are true of it:
// - It stays longer than a call needs to drain a queue of that length. A few seconds are enough if the received rate
//   falls far below its maximum in that time: a queue of the call's own holds only its packets, so the link serves them
//   at its full capacity until the queue is empty, even if the call sends less.
// - It grows and shrinks. A longer route raises the delay as well, but keeps it constant.
//
// The queue is the one-way delay above its minimum, so that packets of other flows in the queue count as well. Jitter
// raises the delay of single frames. So the queue is taken from the frames of a second, and has to be several times as
// long as the spread of their delays. A call that begins while another flow fills the queue has never seen the queue
// empty, and may take half a minute to notice the flow.
#ifndef CCSCOPE_CC_LIVE_COMPETING_FLOW_H_
#define CCSCOPE_CC_LIVE_COMPETING_FLOW_H_

#include <array>

#include "cc/controller.h"
#include "units/units.h"

namespace ccscope {

class CompetingFlow {
 public:
  void OnFrame(const Arrival& arrival);
  bool IsPresent() const { return present_; }
  // The rate at which frames arrived just before the queue was filled.
  DataRate DeliveredBefore() const { return delivered_before_; }

 private:
  struct Second {
    TimeDelta least;   // the shortest delay of its frames
    TimeDelta delay;   // their lower quartile
    TimeDelta spread;  // from there to the upper quartile
    DataRate delivered;
  };
  void Insert(TimeDelta delay);
  void OnSecond(const Second& second, Timestamp now);
  void OnNearlyEmpty(DataRate delivered, Timestamp now);
  void OnFilled(TimeDelta queue, const Second& second, Timestamp now);

  // The frames of the present second: their one-way delays, the shortest first, and their bytes.
  std::array<TimeDelta, 64> delays_{};
  std::size_t frames_ = 0;
  DataSize bytes_;
  Timestamp second_began_ = Timestamp::MinusInfinity();
  // By how much the delays differed in each of the latest seconds.
  std::array<TimeDelta, 4> spreads_{};
  std::size_t seconds_ = 0;
  // The minimum of the delays of frames, over the present interval and the one before it. The interval does not end
  // while another flow is present.
  TimeDelta minimum_ = TimeDelta::PlusInfinity();
  TimeDelta minimum_before_ = TimeDelta::PlusInfinity();
  Timestamp interval_began_ = Timestamp::MinusInfinity();

  Timestamp nearly_empty_at_ = Timestamp::MinusInfinity();
  DataRate delivered_before_;
  DataRate delivered_last_;  // in the latest second with a nearly empty queue
  // Since the queue was nearly empty: the number of seconds, the highest rate at which frames arrived, and the longest
  // queue.
  int filled_ = 0;
  DataRate most_delivered_;
  TimeDelta longest_queue_;
  Timestamp filled_at_ = Timestamp::MinusInfinity();
  // The range of the queue since `range_began_`.
  TimeDelta shortest_ = TimeDelta::PlusInfinity();
  TimeDelta longest_;
  Timestamp range_began_ = Timestamp::MinusInfinity();
  bool present_ = false;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_COMPETING_FLOW_H_
