// Detects whether another flow keeps the queue of the bottleneck filled, as TCP does. A queue that the call itself
// causes drains when the call sends less. In contrast, a loss-based flow always refills the queue; a call that tries to
// drain such a queue gives up its whole share. Copa distinguishes these two cases in a similar way: if only Copa flows
// use the link, the queue is nearly empty now and then (Arun and Balakrishnan, "Copa: Practical Delay-Based Congestion
// Control for the Internet", NSDI 2018, section 2.2). Here, a queue is attributed to another flow if both conditions
// hold:
// - The queue lasts longer than a call needs to drain a queue of that length. A few seconds are enough if the received
//   rate falls far below its maximum during that time. The call's own queue would contain only packets of the call, and
//   the link would deliver them at its full capacity until the queue is empty, even if the call sends less.
// - The queue grows and shrinks. A longer route also raises the delay, but keeps it constant.
//
// The length of the queue is the one-way delay minus the smallest one-way delay, so it includes packets of other flows.
// Jitter raises the delay of single frames. So the length is computed from all frames of a second, and the queue only
// counts if it is several times as long as the spread of their delays. If a call begins while another flow fills the
// queue, the smallest one-way delay is unknown, and it may take half a minute until the other flow is noticed.
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
    TimeDelta least;   // the smallest one-way delay
    TimeDelta delay;   // the lower quartile of the one-way delays
    TimeDelta spread;  // the upper quartile minus the lower quartile
    DataRate delivered;
  };
  void Insert(TimeDelta delay);
  void OnSecond(const Second& second, Timestamp now);
  void OnNearlyEmpty(DataRate delivered, Timestamp now);
  void OnFilled(TimeDelta queue, const Second& second, Timestamp now);

  // The frames of the current second: their one-way delays in ascending order, and their bytes.
  std::array<TimeDelta, 64> delays_{};
  std::size_t frames_ = 0;
  DataSize bytes_;
  Timestamp second_began_ = Timestamp::MinusInfinity();
  // Second::spread of each of the latest seconds.
  std::array<TimeDelta, 4> spreads_{};
  std::size_t seconds_ = 0;
  // The smallest one-way delays in the current interval and in the previous one. The current interval does not end
  // while another flow is present.
  TimeDelta minimum_ = TimeDelta::PlusInfinity();
  TimeDelta minimum_before_ = TimeDelta::PlusInfinity();
  Timestamp interval_began_ = Timestamp::MinusInfinity();

  Timestamp nearly_empty_at_ = Timestamp::MinusInfinity();
  DataRate delivered_before_;
  DataRate delivered_last_;  // received rate in the latest second with a nearly empty queue
  // Since the queue was last nearly empty: the number of seconds, the highest rate at which frames arrived (see
  // kGivenUp for the seconds that do not count), and the longest queue.
  int filled_ = 0;
  DataRate most_delivered_;
  TimeDelta longest_queue_;
  Timestamp filled_at_ = Timestamp::MinusInfinity();
  // The shortest and the longest queue since `range_began_`.
  TimeDelta shortest_ = TimeDelta::PlusInfinity();
  TimeDelta longest_;
  Timestamp range_began_ = Timestamp::MinusInfinity();
  bool present_ = false;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_COMPETING_FLOW_H_
