#include "cc/nada/receiver.h"

#include <algorithm>

#include "cc/feedback_row.h"
#include "cc/nada/congestion_signal.h"
#include "cc/nada/rate_controller.h"
#include "cc/nada/sender.h"

namespace ccscope::nada {
namespace {

// No queue of the simulator or the shaper marks, and a browser does not show marks.
constexpr double kMarkingRatio = 0;

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      delay_(parameters),
      losses_(parameters),
      arrival_rate_(parameters.logwin()) {}

void Receiver::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  delay_.Configure(params_);
  losses_.Configure(params_);
  arrival_rate_.SetWindow(params_.logwin());
}

// What comes late was counted as lost and stays so (RFC 8698 5.1.2).
void Receiver::CountPacket(double seq) {
  const std::optional<double> highest_seq = packets_.highest_seq();
  packets_.OnArrival(seq);
  if (packets_.has_counters() || (highest_seq && seq <= *highest_seq)) return;
  losses_.OnPackets(1, highest_seq ? seq - *highest_seq - 1 : 0, rtt_, now_);
}

DataRate Receiver::ReceivedRate() {
  if (params_.received_rate_source == 1) {
    if (const auto rate = wire_rate_.Rate(params_.logwin())) return *rate;
  }
  return arrival_rate_.Rate(now_).value_or(DataRate::Zero());
}

// A fall of the capacity does not wait for the next message, but for a frame since the last one.
bool Receiver::FeedbackIsDue() {
  if (!last_feedback_ || now_ - *last_feedback_ >= params_.delta()) return true;
  return params_.capacity_bound != 0 && now_ > *last_feedback_ && bound_.HasFallen(ReceivedRate());
}

std::optional<Feedback> Receiver::FeedbackIfDue() {
  if (!FeedbackIsDue()) return std::nullopt;
  last_feedback_ = now_;
  losses_.Update(now_);
  const TimeDelta queuing_delay = delay_.queuing_delay();
  const double share = losses_.WarpingShare();
  const TimeDelta warped = WarpedDelay(queuing_delay, share, params_);
  const TimeDelta x_curr = CongestionSignal(warped, losses_.p_loss(), kMarkingRatio, params_);
  const bool built_up = params_.ramp_up_while == 0 ? now_ - last_build_up_ < params_.logwin()
                                                   : x_curr >= TimeDelta::Millis(params_.qeps_ms);
  Feedback feedback;
  feedback.time = now_;
  feedback.received_rate = std::max(ReceivedRate(), DataRate::Zero());
  // Where frames show room, a loss is the path's, and a single late sample the machine's.
  const bool has_room = params_.capacity_bound != 0 && bound_.ShowsRoom(feedback.received_rate);
  const Mode mode = (built_up || losses_.RecentLoss(now_)) && !has_room ? Mode::kGradual : Mode::kRampUp;
  feedback.packets_received = packets_.received();
  feedback.packets_lost = packets_.lost();
  feedback.echo_send_time = last_send_time_;
  feedback.echo_delay = now_ - last_arrival_time_;
  feedback.Add(static_cast<double>(mode));
  feedback.Add(x_curr.ms());
  feedback.Add(losses_.p_loss());
  const auto bound = params_.capacity_bound != 0 ? bound_.Next(feedback.received_rate, now_) : std::nullopt;
  feedback.Add(bound.value_or(DataRate::Zero()).bps());
  recorder_.Output(NadaRow{
      .flow = flow_,
      .time_us = now_.us(),
      .one_way_delay_us = (last_arrival_time_ - last_send_time_).us(),
      .base_delay_us = delay_.base_delay().us(),
      .queue_delay_ms = queuing_delay.ms(),
      .warped_delay_ms = warped.ms(),
      .warping_share = share,
      .loss_ratio = losses_.p_loss(),
      .loss_interval_packets = losses_.LossInterval(),
      .x_curr_ms = x_curr.ms(),
      .mode = static_cast<double>(mode),
      .received_rate_bps = feedback.received_rate.bps(),
  });
  RecordFeedback(feedback, flow_, recorder_);
  return feedback;
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  now_ = std::max(now_, arrival.arrival_time);
  if (arrival.rtt) rtt_ = *arrival.rtt;
  // A frame that comes after later ones waited for what was sent again: that is no queue, and no RTT.
  const bool is_late = params_.delay_sample != 0 && last_feedback_ && arrival.send_time < last_send_time_;
  if (!is_late) {
    last_send_time_ = arrival.send_time;
    last_arrival_time_ = arrival.arrival_time;
  }
  CountPacket(arrival.seq);
  arrival_rate_.Add(arrival.size, arrival.arrival_time);
  if (params_.capacity_bound != 0) bound_.OnFrame(arrival);
  if (!is_late && delay_.OnArrival(arrival.send_time, arrival.arrival_time, now_) >= TimeDelta::Millis(params_.qeps_ms)) {
    last_build_up_ = now_;
  }
  return FeedbackIfDue();
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  now_ = std::max(now_, counters.time);
  wire_rate_.Add(counters);
  double received = 0;
  if (packets_.has_counters()) {
    received = std::max(0.0, counters.packets_received - packets_.received());
    const double lost = std::max(0.0, counters.packets_lost - packets_.lost());
    losses_.OnPackets(received, lost, rtt_, now_);
    bound_.OnLoss(lost / std::max(1.0, lost + received), now_);
  }
  packets_.OnCounters(counters);
  // Silence tells nothing of the queue: no message, and the sender half keeps its rate.
  if (!last_feedback_ || received == 0) return std::nullopt;
  return FeedbackIfDue();
}

}  // namespace ccscope::nada
