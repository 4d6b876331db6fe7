#include "cc/gcc/live/live_rules.h"

#include "cc/gcc/receiver.h"

namespace ccscope::gcc {
namespace {

// If packets are lost while frames wait longer than this, the losses are attributed to a full queue, not to the path,
// and a hold of the filter begins.
constexpr TimeDelta kOverflowingWait = TimeDelta::Millis(50);

}  // namespace

void LiveRules::Configure(const Parameters& parameters) {
  hold_.Configure(parameters);
  probe_.Configure(parameters);
}

void LiveRules::OnArrival(const Arrival& arrival, std::optional<double> highest_seq, Timestamp now) {
  hold_.OnInput(now);
  hold_.BeginIfDisturbed(arrival, highest_seq, now);
  probe_.OnFrame(arrival);
}

void LiveRules::OnCounters(double loss, Timestamp now) {
  hold_.OnInput(now);
  probe_.OnCounters(loss, now);
  if (loss > 0 && probe_.Wait() > kOverflowingWait) hold_.Begin(now);
}

ReceiverHooks::Use LiveRules::OnGroups(const GroupDeltas& deltas, Signal signal, Timestamp now) {
  Use use = hold_.OnGroups(deltas, probe_.on() ? std::optional(probe_.Wait()) : std::nullopt, now);
  // A queue that stays empty cannot be growing, even if the detector signals overuse.
  const bool stays_empty = probe_.QueueStaysEmpty(deltas);
  if (stays_empty && signal == Signal::kOveruse) use.queue_is_restored = true;
  return use;
}

std::unique_ptr<ReceiverHalf> MakeReceiver(const Parameters& parameters, double flow, Recorder& recorder) {
  return std::make_unique<Receiver>(parameters, flow, recorder, std::make_unique<LiveRules>(parameters));
}

}  // namespace ccscope::gcc
