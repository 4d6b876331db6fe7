// Hooks through which additional rules can act in GCC's receiver half. These rules are not in the papers. The default
// hooks change nothing. ccscope's rules for live calls are in cc/gcc/live.
#ifndef CCSCOPE_CC_GCC_RECEIVER_HOOKS_H_
#define CCSCOPE_CC_GCC_RECEIVER_HOOKS_H_

#include <optional>

#include "cc/controller.h"
#include "cc/gcc/overuse_detector.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

class ReceiverHooks {
 public:
  // The inputs, besides the frames, on which the hooks may base a rate.
  struct Conditions {
    std::optional<DataRate> delivered;  // received rate; over a second if measured by the counters
    double loss = 0;
    TimeDelta rtt;
  };
  // The rate to request.
  struct Rate {
    DataRate a_r;
    DataRate drain;  // the part of a_r that must not be used until a queue has drained
  };
  // How the filter treats a pair of groups.
  struct Use {
    bool is_filtered = true;
    bool queue_is_restored = false;  // OnQueueRestored() must be called before this pair
  };

  virtual ~ReceiverHooks() = default;
  virtual void Configure(const Parameters& /*parameters*/) {}

  // Called for each arrival, before it is grouped. `highest_seq`: the highest sequence number of all earlier arrivals;
  // no value for the first arrival.
  virtual void OnArrival(const Arrival& /*arrival*/, std::optional<double> /*highest_seq*/, Timestamp /*now*/) {}
  // Called for each reading of the counters. `loss`: the fraction lost since the previous reading.
  virtual void OnCounters(double /*loss*/, Timestamp /*now*/) {}
  // Called for each pair of groups, before the filter sees it.
  [[nodiscard]] virtual Use OnGroups(const GroupDeltas& /*deltas*/, Signal /*signal*/, Timestamp /*now*/) { return {}; }

  // The capacity of the bottleneck, if a rule has estimated it.
  [[nodiscard]] virtual std::optional<DataRate> Capacity() const { return std::nullopt; }
  // Whether another flow fills the queue of the bottleneck.
  [[nodiscard]] virtual bool SeesCompetingFlow() const { return false; }
  // Whether NextRate() sets the rate, instead of the paper's rate controller.
  [[nodiscard]] virtual bool SetsRate() const { return false; }
  // Whether the rate of NextRate() must take effect at once, before the next feedback is due.
  [[nodiscard]] virtual bool IsUrgent(DataRate /*a_r*/) const { return false; }
  // The next rate, given the current rate `a_r`; no value if the paper's rate controller is to set the rate.
  [[nodiscard]] virtual std::optional<Rate> NextRate(DataRate /*a_r*/, const Conditions& /*conditions*/, Timestamp /*now*/) {
    return std::nullopt;
  }
  // See ReceiverHalf::frame_capacity().
  virtual FrameCapacity* frame_capacity() { return nullptr; }
  // Whether the paper's rate controller must wait.
  [[nodiscard]] virtual bool IsPaused() const { return false; }
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_RECEIVER_HOOKS_H_
