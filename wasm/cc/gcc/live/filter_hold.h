// Withholds pairs of groups from the arrival filter of a live call while they would mislead the filter: during the
// warm-up, and after a key frame, a gap in the sequence numbers, or a loss in a long queue (live_rules.cc). A key
// frame's own transmission time fits the filter's model. The small frames that wait behind the key frame do not fit it:
// their dL is large and negative, but their d_m is not. After a loss, d_m also includes the transmission of the missing
// or retransmitted packets. If most frames follow a gap, the missing frames were not lost: a server forwards only some
// of a sender's layers. Gaps then begin no hold, since otherwise each hold would be followed by the next.
#ifndef CCSCOPE_CC_GCC_LIVE_FILTER_HOLD_H_
#define CCSCOPE_CC_GCC_LIVE_FILTER_HOLD_H_

#include <optional>

#include "cc/controller.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/receiver_hooks.h"
#include "units/units.h"

namespace ccscope::gcc {

class FilterHold {
 public:
  explicit FilterHold(const Parameters& parameters) : params_(parameters) {}
  void Configure(const Parameters& parameters) { params_ = Params(parameters); }

  // The warm-up begins with the first input.
  void OnInput(Timestamp now) { if (!began_) began_ = now; }
  // Begins a hold, unless a hold is already in progress.
  void Begin(Timestamp now);
  void BeginIfDisturbed(const Arrival& arrival, std::optional<double> highest_seq, Timestamp now);
  bool IsHeld() const { return held_since_.has_value(); }

  // Called for each pair of groups. `wait`: how long the newest frames waited, if known.
  ReceiverHooks::Use OnGroups(const GroupDeltas& deltas, std::optional<TimeDelta> wait, Timestamp now);

 private:
  struct Params {
    TimeDelta warm_up;
    TimeDelta longest;  // zero: no hold
    TimeDelta release;
    explicit Params(const Parameters& p);
  };
  bool IsSettled(const GroupDeltas& deltas, std::optional<TimeDelta> wait) const;

  Params params_;
  std::optional<Timestamp> began_;
  std::optional<Timestamp> held_since_;
  int groups_held_ = 0;
  double gap_share_ = 0;  // of the latest frames, the share that followed a gap in the sequence numbers
  std::optional<TimeDelta> one_way_delay_before_;
  std::optional<TimeDelta> last_one_way_delay_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_FILTER_HOLD_H_
