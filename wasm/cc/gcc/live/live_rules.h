// ccscope's own rules for GCC in live calls, as hooks of its receiver half: the warm-up and the hold of the filter
// (filter_hold.h), and the capacity probe (capacity_probe.h), which has a special mode for calls that share the queue
// with TCP. Each rule is off unless its parameters turn it on.
#ifndef CCSCOPE_CC_GCC_LIVE_LIVE_RULES_H_
#define CCSCOPE_CC_GCC_LIVE_LIVE_RULES_H_

#include <memory>
#include <optional>

#include "cc/controller.h"
#include "cc/gcc/live/capacity_probe.h"
#include "cc/gcc/live/filter_hold.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/receiver_hooks.h"
#include "trace/recorder.h"
#include "units/units.h"

namespace ccscope::gcc {

class LiveRules final : public ReceiverHooks {
 public:
  explicit LiveRules(const Parameters& parameters) : hold_(parameters), probe_(parameters) {}
  void Configure(const Parameters& parameters) override;

  void OnArrival(const Arrival& arrival, std::optional<double> highest_seq, Timestamp now) override;
  void OnCounters(double loss, Timestamp now) override;
  [[nodiscard]] Use OnGroups(const GroupDeltas& deltas, Signal signal, Timestamp now) override;

  [[nodiscard]] std::optional<DataRate> Capacity() const override { return probe_.Capacity(); }
  [[nodiscard]] bool SeesCompetingFlow() const override { return probe_.SeesCompetingFlow(); }
  [[nodiscard]] bool SetsRate() const override { return probe_.SetsRate(); }
  [[nodiscard]] bool IsUrgent(DataRate a_r) const override { return probe_.IsUrgent(a_r); }
  [[nodiscard]] std::optional<Rate> NextRate(DataRate a_r, const Conditions& conditions, Timestamp now) override {
    return probe_.Next(a_r, conditions, now);
  }
  [[nodiscard]] bool IsPaused() const override { return hold_.IsHeld(); }
  FrameCapacity* frame_capacity() override { return &probe_.frame_capacity(); }

 private:
  FilterHold hold_;
  CapacityProbe probe_;
};

// GCC's receiver half with these rules; `recorder` must outlive it.
std::unique_ptr<ReceiverHalf> MakeReceiver(const Parameters& parameters, double flow, Recorder& recorder);

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_LIVE_RULES_H_
