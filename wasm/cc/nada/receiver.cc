#include "cc/nada/receiver.h"

#include <algorithm>
#include <limits>

#include "cc/feedback_row.h"
#include "cc/nada/congestion_signal.h"
#include "cc/nada/rate_controller.h"
#include "cc/nada/sender.h"

namespace ccscope::nada {
namespace {

// ECN marks are never seen: the queues of the simulator and of the shaper do not set them, and a browser does not
// expose them.
constexpr double kMarkingRatio = 0;
constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      stream_(parameters.logwin()),
      delay_(parameters),
      losses_(parameters) {}

void Receiver::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  delay_.Configure(params_);
  losses_.Configure(params_);
  stream_.SetRateWindow(params_.logwin());
}

Timestamp Receiver::DelaysBegin(const Arrival& arrival) {
  if (params_.sample_of_delay() != DelaySample::kSinceEncoded || !arrival.rtp_timestamp) return arrival.send_time;
  return encoder_clock_.UnwrapRtp90kHz(*arrival.rtp_timestamp, arrival.arrival_time);
}

bool Receiver::IsRising(TimeDelta x_curr, Timestamp now) const {
  if (params_.ramp_up_rise_ms <= 0 || !last_feedback_ || now <= *last_feedback_) return false;
  return (x_curr - last_signal_) * (params_.delta() / (now - *last_feedback_)) >= TimeDelta::Millis(params_.ramp_up_rise_ms);
}

// Counts a packet, unless the packet is late: a late packet was already counted as lost, and stays lost (RFC 8698
// 5.1.2).
void Receiver::CountPacket(double seq, std::optional<double> highest_seq) {
  if (stream_.has_counters() || (highest_seq && seq <= *highest_seq)) return;
  losses_.OnPackets(1, highest_seq ? seq - *highest_seq - 1 : 0, rtt_, stream_.now());
}

DataRate Receiver::ReceivedRate() {
  return stream_.ReceivedRate(params_.rate_source(), params_.logwin()).value_or(DataRate::Zero());
}

// A fall of the capacity makes a message due at once, unless the last message was sent at the same time.
bool Receiver::FeedbackIsDue() {
  const Timestamp now = stream_.now();
  if (!last_feedback_ || now - *last_feedback_ >= params_.delta()) return true;
  return params_.has_capacity_bound() && now > *last_feedback_ && bound_.IsUrgent(ReceivedRate());
}

std::optional<Feedback> Receiver::FeedbackIfDue() {
  if (!FeedbackIsDue()) return std::nullopt;
  const Timestamp now = stream_.now();
  losses_.Update(now);
  const TimeDelta queuing_delay = delay_.queuing_delay();
  const double share = losses_.WarpingShare();
  const TimeDelta warped = WarpedDelay(queuing_delay, share, params_);
  const TimeDelta x_curr = CongestionSignal(warped, losses_.p_loss(), kMarkingRatio, params_);
  const bool reaches_qeps = Choice<RampUpWhile>(params_.ramp_up_while) == RampUpWhile::kNoBuildUp
                                ? now - last_build_up_ < params_.logwin()
                                : x_curr >= TimeDelta::Millis(params_.qeps_ms);
  const bool built_up = reaches_qeps || IsRising(x_curr, now);
  last_feedback_ = now;
  last_signal_ = x_curr;
  Feedback feedback = stream_.Message(std::max(ReceivedRate(), DataRate::Zero()));
  // While frames show unused capacity, ramp-up continues: a loss is attributed to the path, and a single late sample
  // to a busy machine.
  const bool has_room = params_.has_capacity_bound() && bound_.ShowsRoom(feedback.received_rate);
  const Mode mode = (built_up || losses_.RecentLoss(now)) && !has_room ? Mode::kGradual : Mode::kRampUp;
  feedback.Add(static_cast<double>(mode));
  feedback.Add(x_curr.ms());
  feedback.Add(losses_.p_loss());
  const auto bound = params_.has_capacity_bound() ? bound_.Next(feedback.received_rate, now) : std::nullopt;
  feedback.Add(bound.value_or(DataRate::Zero()).bps());
  recorder_.Output(NadaRow{
      .flow = flow_,
      .time_us = now.us(),
      .one_way_delay_us = (stream_.last_arrival_time() - stream_.last_send_time()).us(),
      .base_delay_us = delay_.base_delay().us(),
      .queue_delay_ms = queuing_delay.ms(),
      .warped_delay_ms = warped.ms(),
      .warping_share = share,
      .loss_ratio = losses_.p_loss(),
      .loss_interval_packets = losses_.LossInterval(),
      .x_curr_ms = x_curr.ms(),
      .mode = static_cast<double>(mode),
      .received_rate_bps = feedback.received_rate.bps(),
      .bound_bps = bound ? bound->bps() : kAbsent,
  });
  RecordFeedback(feedback, flow_, recorder_);
  return feedback;
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  // A frame that arrives after later frames has waited for a retransmission, so its delay shows neither the queue nor
  // the RTT.
  const bool is_late = params_.sample_of_delay() == DelaySample::kWait && stream_.IsOvertaken(arrival);
  const std::optional<double> highest_seq = stream_.highest_seq();
  stream_.OnArrival(arrival, !is_late);
  if (arrival.rtt) rtt_ = *arrival.rtt;
  CountPacket(arrival.seq, highest_seq);
  if (params_.has_capacity_bound()) bound_.OnFrame(arrival);
  if (!is_late && delay_.OnArrival(DelaysBegin(arrival), arrival.arrival_time, stream_.now()) >= TimeDelta::Millis(params_.qeps_ms)) {
    last_build_up_ = stream_.now();
  }
  return FeedbackIfDue();
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  double received = 0;
  if (const auto counted = stream_.OnCounters(counters)) {
    received = std::max(0.0, counted->received);
    const double lost = std::max(0.0, counted->lost);
    losses_.OnPackets(received, lost, rtt_, stream_.now());
    bound_.OnLoss(lost / std::max(1.0, lost + received), stream_.now());
  }
  // If no packet arrived, the state of the queue is unknown: no message is sent, and the sender half keeps its rate.
  if (!last_feedback_ || received == 0) return std::nullopt;
  return FeedbackIfDue();
}

}  // namespace ccscope::nada
