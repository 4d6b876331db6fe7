#include "cc/lcc/receiver.h"

#include <algorithm>

#include "cc/feedback_row.h"

namespace ccscope::lcc {
namespace {

constexpr TimeDelta kRateWindow = TimeDelta::Millis(500);
// Clocks further apart than this (30 years) tell nothing, and a message carries at most 2^53 us.
constexpr TimeDelta kMaxDelay = TimeDelta::Seconds(1e9);

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      epochs_(TimeDelta::Millis(parameters.epoch_ms)),
      arrival_rate_(kRateWindow) {}

void Receiver::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  epochs_.SetEpoch(TimeDelta::Millis(params_.epoch_ms));
}

// From the wire's counters where they are known: frames that never completed are missing in arrivals.
DataRate Receiver::ReceivedRate() {
  if (const auto rate = wire_rate_.Rate(kRateWindow)) return *rate;
  return arrival_rate_.Rate(now_).value_or(DataRate::Zero());
}

std::optional<Feedback> Receiver::Message(const std::optional<EpochDelays>& epoch) {
  if (!epoch) return std::nullopt;
  Feedback feedback;
  feedback.time = now_;
  feedback.received_rate = ReceivedRate();
  feedback.packets_received = packets_.received();
  feedback.packets_lost = packets_.lost();
  feedback.echo_send_time = last_send_time_;
  feedback.echo_delay = now_ - last_arrival_time_;
  feedback.Add(epoch->mean.us());
  feedback.Add(epoch->smallest.us());
  const auto bound = params_.capacity_bound != 0 ? bound_.Next(feedback.received_rate, now_) : std::nullopt;
  feedback.Add(bound.value_or(DataRate::Zero()).bps());
  RecordFeedback(feedback, flow_, recorder_);
  return feedback;
}

// Served after its predecessor has been, an arrival waits for what is left of that one's way when it
// leaves (Lindley's recursion); a frame that finds the queue empty has waited for nothing.
TimeDelta Receiver::Sample(const Arrival& arrival) {
  const TimeDelta one_way_delay = std::clamp(arrival.arrival_time - arrival.send_time, -kMaxDelay, kMaxDelay);
  if (params_.delay_sample == 0) return one_way_delay;
  smallest_delay_ = std::min(smallest_delay_, one_way_delay);
  return std::min(one_way_delay, std::max(smallest_delay_, last_arrival_time_ - arrival.send_time));
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  now_ = std::max(now_, arrival.arrival_time);
  // A frame that comes after later ones waited for what was sent again: that is no queue, and no RTT.
  const bool is_late = params_.delay_sample != 0 && last_arrival_time_ > Timestamp::MinusInfinity() && arrival.send_time < last_send_time_;
  const TimeDelta sample = Sample(arrival);
  if (!is_late) {
    last_send_time_ = arrival.send_time;
    last_arrival_time_ = arrival.arrival_time;
  }
  packets_.OnArrival(arrival.seq);
  arrival_rate_.Add(arrival.size, arrival.arrival_time);
  if (params_.capacity_bound != 0) bound_.OnFrame(arrival);
  return Message(is_late ? epochs_.Advance(now_) : epochs_.Add(sample, now_));
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  now_ = std::max(now_, counters.time);
  const double received = counters.packets_received - packets_.received();
  const double lost = std::max(0.0, counters.packets_lost - packets_.lost());
  if (packets_.has_counters() && received > 0) bound_.OnLoss(lost / (lost + received), now_);
  packets_.OnCounters(counters);
  wire_rate_.Add(counters);
  return Message(epochs_.Advance(now_));
}

}  // namespace ccscope::lcc
