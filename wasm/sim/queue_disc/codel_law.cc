#include "sim/queue_disc/codel_law.h"

#include <algorithm>

namespace ccscope {
namespace {

// If a dropping state begins within this many intervals after the previous state's next drop would have been due, it
// resumes the count.
constexpr double kResumeIntervals = 16;

}  // namespace

bool CoDelLaw::OkToDrop(const Params& params, Timestamp now, const Packet& packet, DataSize backlog) {
  state_.largest = std::max(state_.largest, packet.size);
  const DataSize least = params.largest_for_mtu ? state_.largest : params.mtu;
  if (now - packet.queued < params.target || backlog <= least) {
    state_.first_above = Timestamp::MinusInfinity();
    return false;
  }
  if (state_.first_above == Timestamp::MinusInfinity()) {
    state_.first_above = now + params.interval;
    return false;
  }
  return now >= state_.first_above;
}

void CoDelLaw::EnterDroppingState(const Params& params, Timestamp now) {
  ++stats_.dropping_states;
  state_.dropping = true;
  // Resumes with the number by which the count rose in the previous dropping state, since that many drops were enough
  // to control the queue.
  const double last = state_.count - state_.last_count;
  const bool recent = now - state_.drop_next < params.interval * kResumeIntervals;
  state_.count = last > 1 && recent ? last : 1;
  state_.last_count = state_.count;
  state_.drop_next = ControlLaw(now, params.interval, state_.count);
}

}  // namespace ccscope
