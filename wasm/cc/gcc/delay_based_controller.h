// The delay-based controller: arrival filter -> over-use detector -> rate controller (ToN Fig. 1). Its inputs are the
// deltas from the packet grouping. It runs in the receiver half (ToN, and libwebrtc of 2016 with REMB) or in the
// sender half (CMP Fig. 3). In the second case, the receiver half sends d_m to the sender half.
#ifndef CCSCOPE_CC_GCC_DELAY_BASED_CONTROLLER_H_
#define CCSCOPE_CC_GCC_DELAY_BASED_CONTROLLER_H_

#include <optional>

#include "cc/gcc/arrival_filter.h"
#include "cc/gcc/overuse_detector.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/rate_controller.h"
#include "trace/recorder.h"
#include "units/units.h"

namespace ccscope::gcc {

class DelayBasedController {
 public:
  // The inputs of the rate controller besides the signal.
  struct Conditions {
    std::optional<DataRate> received_rate;  // R_r
    double loss = 0;
    TimeDelta rtt;
  };

  // Group rows go to `recorder`, which must outlive the controller.
  DelayBasedController(const Parameters& parameters, double flow, Recorder& recorder)
      : flow_(flow), recorder_(recorder), filter_(parameters), detector_(parameters), rate_controller_(parameters) {}
  void Configure(const Parameters& parameters);

  // Processes the deltas between two groups, which became known at `time` on the clock of the arrivals.
  void OnGroups(const GroupDeltas& deltas, Timestamp time);
  // Resets m and the signal. Call it when they do not describe the queue (ArrivalFilter::OnQueueRestored()).
  void OnQueueRestored();

  Signal signal() const { return detector_.signal(); }
  // Updates A_r once.
  void UpdateRate(Signal signal, const Conditions& conditions, Timestamp now);
  bool MayDecreaseAgain(std::optional<DataRate> received_rate, TimeDelta rtt, Timestamp now) const {
    return rate_controller_.MayDecreaseAgain(received_rate, rtt, now);
  }
  DataRate a_r() const { return rate_controller_.a_r(); }
  // Sets A_r to a rate that the hooks (receiver_hooks.h) have determined.
  void Follow(DataRate a_r, Timestamp now) { rate_controller_.Follow(a_r, now); }

  bool records() const { return recorder_.keeps(TraceTable::kGroup); }
  // What the rules for live calls (receiver_hooks.h) contribute to a group's trace row.
  struct LiveColumns {
    std::optional<DataRate> capacity;  // capacity of the bottleneck as estimated from frames
    bool held = false;                 // the pair was withheld from the filter
    bool competing = false;            // another flow fills the queue
  };
  // Records the trace row of a pair of groups.
  void Record(const GroupDeltas& deltas, const Conditions& conditions, const LiveColumns& live, Timestamp now);

 private:
  double flow_;
  Recorder& recorder_;
  ArrivalFilter filter_;
  OveruseDetector detector_;
  RateController rate_controller_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_DELAY_BASED_CONTROLLER_H_
