#include "cc/gcc/sender.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cc/gcc/feedback_values.h"

namespace ccscope::gcc {
namespace {

// Whether all values of the pairs are in range: d_m, the deltas of send time and size, the time since the previous
// pair, and the one-way delay. Returns false for NaN.
bool ArePairs(const Feedback& feedback) {
  const auto sane = [](double value) { return std::fabs(value) <= kMaxPairValue; };
  for (int i = 0; i < PairCount(feedback); ++i) {
    const SentPair pair = PairAt(feedback, i);
    if (!sane(pair.delay_variation.us()) || !sane(pair.send.us()) || !sane(pair.size.bytes())) return false;
    if (!sane(pair.elapsed.us()) || pair.elapsed < TimeDelta::Zero()) return false;
  }
  return sane(feedback.values[kOneWayDelay]);
}

}  // namespace

Sender::Sender(const Parameters& parameters, double flow, Recorder& recorder)
    : params_(parameters),
      controller_(parameters, flow, recorder),
      loss_controller_(parameters),
      a_r_(parameters.start_bitrate()),
      rtt_(parameters.rtt_before_known()) {}

void Sender::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  controller_.Configure(params_);
  loss_controller_.Configure(params_);
  if (!has_feedback_) a_r_ = params_.start_bitrate();
}

ParameterError Sender::Check(const Feedback& feedback) const {
  if (HasPairs(feedback)) return ArePairs(feedback) ? ParameterError{} : ParameterError{"values", "expected deltas of groups"};
  if (const auto error = ExpectValues(feedback, kRateValues)) return error;
  if (!(feedback.values[kA_r] > 0)) return {"a_r_bps", "expected a number > 0"};
  return {};
}

void Sender::OnFeedback(const Feedback& feedback, Timestamp now) {
  rtt_ = feedback.Rtt(now).value_or(rtt_);
  has_feedback_ = true;
  if (HasPairs(feedback)) {
    OnPairs(feedback, now);
  } else {
    a_r_ = DataRate::BitsPerSec(feedback.values[kA_r]);
    drain_ = DataRate::BitsPerSec(std::max(0.0, feedback.values[kDrain]));
  }
  if (params_.losses_from_feedback()) {
    loss_controller_.OnCounters(feedback.packets_received, feedback.packets_lost, a_r_, rtt_, now);
  } else {
    loss_controller_.OnDelayBasedRate(a_r_);
  }
}

// Runs the delay-based controller, which otherwise runs in the receiver half: updates the filter and the detector with
// each pair of groups, and A_r on overuse and once per message.
void Sender::OnPairs(const Feedback& feedback, Timestamp now) {
  DelayBasedController::Conditions conditions{std::nullopt, loss_controller_.fraction_lost(), rtt_};
  if (feedback.received_rate > DataRate::Zero()) conditions.received_rate = feedback.received_rate;
  const auto update = [&](Signal signal) {
    const bool overuse = signal == Signal::kOveruse;
    if (overuse && !controller_.MayDecreaseAgain(conditions.received_rate, rtt_, now)) return;
    controller_.UpdateRate(signal, conditions, now);
  };
  // The message contains the one-way delay of the latest group only. Subtracting each pair's d_m gives the delays of
  // the earlier groups.
  const int pairs = PairCount(feedback);
  TimeDelta one_way_delay = TimeDelta::Micros(feedback.values[kOneWayDelay]);
  for (int i = pairs - 1; i >= 0; --i) one_way_delay -= PairAt(feedback, i).delay_variation;
  for (int i = 0; i < pairs; ++i) {
    const SentPair pair = PairAt(feedback, i);
    arrivals_ = arrivals_ + pair.elapsed;
    one_way_delay += pair.delay_variation;
    const GroupDeltas deltas{pair.send, pair.send + pair.delay_variation, pair.size, DataSize::Zero(), one_way_delay};
    controller_.OnGroups(deltas, arrivals_);
    if (controller_.signal() == Signal::kOveruse) update(Signal::kOveruse);
    if (controller_.records()) controller_.Record(deltas, conditions, {}, now);
  }
  update(controller_.signal());
  a_r_ = controller_.a_r();
  drain_ = DataRate::Zero();
}

// A receiver report contains only losses: A_r stays as it is, and A_s follows the report.
void Sender::OnReceiverReport(double packets_received, double packets_lost, Timestamp now) {
  loss_controller_.OnCounters(packets_received, packets_lost, a_r_, rtt_, now);
}

RateUpdate Sender::Process(Timestamp) {
  const DataRate target = std::clamp(std::min(loss_controller_.a_s(), a_r_ - drain_), params_.min_bitrate(),
                                     std::max(params_.min_bitrate(), params_.max_bitrate()));
  return {target, target * params_.pacing_factor, loss_controller_.a_s(), a_r_, loss_controller_.fraction_lost(), rtt_};
}

}  // namespace ccscope::gcc
