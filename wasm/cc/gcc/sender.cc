#include "cc/gcc/sender.h"

#include <algorithm>

namespace ccscope::gcc {
namespace {

// An echo that tells more than this is of another clock.
constexpr TimeDelta kMaxRtt = TimeDelta::Seconds(60);

}  // namespace

Sender::Sender(const Parameters& parameters)
    : params_(parameters),
      loss_controller_(parameters),
      a_r_(parameters.start_bitrate()),
      rtt_(parameters.rtt_before_known()) {}

void Sender::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  loss_controller_.Configure(params_);
  if (!has_feedback_) a_r_ = params_.start_bitrate();
}

ParameterError Sender::Check(const Feedback& feedback) const {
  if (const auto error = ExpectValues(feedback, kFeedbackValues)) return error;
  if (!(feedback.values[kA_r] > 0)) return {"a_r_bps", "expected a number > 0"};
  return {};
}

void Sender::OnFeedback(const Feedback& feedback, Timestamp now) {
  const TimeDelta rtt = now - feedback.echo_send_time - feedback.echo_delay;
  if (rtt > TimeDelta::Zero() && rtt < kMaxRtt) rtt_ = rtt;
  has_feedback_ = true;
  a_r_ = DataRate::BitsPerSec(feedback.values[kA_r]);
  drain_ = DataRate::BitsPerSec(std::max(0.0, feedback.values[kDrain]));
  loss_controller_.OnCounters(feedback.packets_received, feedback.packets_lost, a_r_, rtt_, now);
}

// Only losses are known: A_r stays where it was and A_s follows the reports.
void Sender::OnReceiverReport(double packets_received, double packets_lost, Timestamp now) {
  loss_controller_.OnCounters(packets_received, packets_lost, a_r_, rtt_, now);
}

RateUpdate Sender::Process(Timestamp) {
  const DataRate target = std::clamp(std::min(loss_controller_.a_s(), a_r_ - drain_), params_.min_bitrate(),
                                     std::max(params_.min_bitrate(), params_.max_bitrate()));
  return {target, target * params_.pacing_factor, loss_controller_.a_s(), a_r_, loss_controller_.fraction_lost(), rtt_};
}

}  // namespace ccscope::gcc
