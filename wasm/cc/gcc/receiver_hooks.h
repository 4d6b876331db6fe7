// Where rules that are not the papers' take part in GCC's receiver half. As they stand here, none of them changes
// anything; those of ccscope's live calls are in cc/gcc/live.
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
  // What is known beside the frames.
  struct Conditions {
    std::optional<DataRate> delivered;  // on the wire, in the last second
    double loss = 0;
    TimeDelta rtt;
  };
  // What to ask for.
  struct Rate {
    DataRate a_r;
    DataRate drain;  // to leave of it for now
  };
  // What a pair of groups is to the filter.
  struct Use {
    bool is_filtered = true;
    bool queue_is_restored = false;  // what filter and detector knew of a queue is over; before this pair
  };

  virtual ~ReceiverHooks() = default;
  virtual void Configure(const Parameters& /*parameters*/) {}

  // Each arrival, before its group; `highest_seq` is that of the arrivals before it.
  virtual void OnArrival(const Arrival& /*arrival*/, std::optional<double> /*highest_seq*/, Timestamp /*now*/) {}
  // Each reading of the counters; `loss` is the fraction lost since the one before.
  virtual void OnCounters(double /*loss*/, Timestamp /*now*/) {}
  // Each pair of groups, before the filter.
  [[nodiscard]] virtual Use OnGroups(const GroupDeltas& /*deltas*/, Signal /*signal*/, Timestamp /*now*/) { return {}; }

  // The capacity, where something but the filter shows it; then NextRate() decides, not the paper.
  [[nodiscard]] virtual std::optional<DataRate> Capacity() const { return std::nullopt; }
  // Whether that rate is not to wait for the next interval.
  [[nodiscard]] virtual bool IsUrgent(DataRate /*a_r*/) const { return false; }
  // The rate to follow `a_r`; nothing where the paper is to decide.
  [[nodiscard]] virtual std::optional<Rate> NextRate(DataRate /*a_r*/, const Conditions& /*conditions*/, Timestamp /*now*/) {
    return std::nullopt;
  }
  // Whether the paper's rate controller is to wait.
  [[nodiscard]] virtual bool IsPaused() const { return false; }
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_RECEIVER_HOOKS_H_
