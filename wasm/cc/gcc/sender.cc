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

void Sender::Configure(const Parameters& parameters) {
  params_ = parameters;
  loss_controller_.Configure(parameters);
  if (!has_feedback_) a_r_ = parameters.start_bitrate();
}

void Sender::OnFeedback(const Feedback& feedback, Timestamp now) {
  const TimeDelta rtt = now - feedback.echo_send_time - feedback.echo_delay;
  if (rtt > TimeDelta::Zero() && rtt < kMaxRtt) rtt_ = rtt;
  has_feedback_ = true;
  a_r_ = feedback.a_r;
  drain_ = feedback.drain;
  loss_controller_.OnCounters(feedback.packets_received, feedback.packets_lost, a_r_, rtt_, now);
}

RateUpdate Sender::Process(Timestamp) {
  const DataRate target = std::clamp(std::min(loss_controller_.a_s(), a_r_ - drain_), params_.min_bitrate(),
                                     std::max(params_.min_bitrate(), params_.max_bitrate()));
  return {target, target * params_.pacing_factor, loss_controller_.a_s(), a_r_, loss_controller_.fraction_lost(), rtt_};
}

}  // namespace ccscope::gcc
