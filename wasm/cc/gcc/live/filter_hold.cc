#include "cc/gcc/live/filter_hold.h"

namespace ccscope::gcc {
namespace {

// Deltas lag by one group: the first deltas of a hold belong to groups from before the hold.
constexpr int kGroupsBeforeSettled = 2;
// The weight of the newest frame in the share of the frames that follow a gap.
constexpr double kGapWeight = 1.0 / 16;
// If a larger share of the frames follow a gap, gaps are the rule: a server forwards only some of the layers.
constexpr double kUsualGaps = 0.3;

}  // namespace

FilterHold::Params::Params(const Parameters& p)
    : warm_up(TimeDelta::Millis(p.warm_up_ms)),
      longest(TimeDelta::Millis(p.hold_max_ms)),
      release(TimeDelta::Millis(p.hold_release_ms)) {}

void FilterHold::Begin(Timestamp now) {
  if (params_.longest == TimeDelta::Zero() || held_since_) return;
  held_since_ = now;
  groups_held_ = 0;
  one_way_delay_before_ = last_one_way_delay_;
}

// The first frame of a call is a key frame but begins no hold, since a hold would delay the start.
void FilterHold::BeginIfDisturbed(const Arrival& arrival, std::optional<double> highest_seq, Timestamp now) {
  const bool is_gap = highest_seq && arrival.seq > *highest_seq + 1;
  gap_share_ += ((is_gap ? 1 : 0) - gap_share_) * kGapWeight;
  if (highest_seq && (arrival.key_frame || (is_gap && gap_share_ < kUsualGaps))) Begin(now);
}

// Whether the queue is again as short as before the disturbance.
bool FilterHold::IsSettled(const GroupDeltas& deltas, std::optional<TimeDelta> wait) const {
  if (groups_held_ <= kGroupsBeforeSettled) return false;
  if (wait) return *wait <= params_.release;
  return one_way_delay_before_ && deltas.one_way_delay <= *one_way_delay_before_ + params_.release;
}

ReceiverHooks::Use FilterHold::OnGroups(const GroupDeltas& deltas, std::optional<TimeDelta> wait, Timestamp now) {
  last_one_way_delay_ = deltas.one_way_delay;
  const bool is_warming_up = began_ && now - *began_ < params_.warm_up;
  if (!held_since_) return {!is_warming_up, false};
  ++groups_held_;
  const bool is_settled = IsSettled(deltas, wait);
  if (is_settled || now - *held_since_ >= params_.longest) held_since_.reset();
  return {false, is_settled};  // the deltas of this pair still include the disturbance
}

}  // namespace ccscope::gcc
