#include "cc/lcc/receiver.h"

#include <algorithm>

#include "cc/feedback_row.h"

namespace ccscope::lcc {
namespace {

constexpr TimeDelta kRateWindow = TimeDelta::Millis(500);

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder)
    : flow_(flow), recorder_(recorder), epochs_(TimeDelta::Millis(parameters.epoch_ms)), arrival_rate_(kRateWindow) {}

void Receiver::Configure(const double* values) {
  epochs_.SetEpoch(TimeDelta::Millis(ParamsFromValues<Parameters>(values).epoch_ms));
}

std::optional<Feedback> Receiver::Message(const std::optional<EpochDelays>& epoch) {
  if (!epoch) return std::nullopt;
  Feedback feedback;
  feedback.time = now_;
  feedback.received_rate = arrival_rate_.Rate(now_).value_or(DataRate::Zero());
  feedback.packets_received = packets_.received();
  feedback.packets_lost = packets_.lost();
  feedback.echo_send_time = last_send_time_;
  feedback.echo_delay = now_ - last_arrival_time_;
  feedback.Add(epoch->mean.us());
  feedback.Add(epoch->smallest.us());
  RecordFeedback(feedback, flow_, recorder_);
  return feedback;
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  now_ = std::max(now_, arrival.arrival_time);
  last_send_time_ = arrival.send_time;
  last_arrival_time_ = arrival.arrival_time;
  packets_.OnArrival(arrival.seq);
  arrival_rate_.Add(arrival.size, arrival.arrival_time);
  return Message(epochs_.Add(arrival.arrival_time - arrival.send_time, now_));
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  now_ = std::max(now_, counters.time);
  packets_.OnCounters(counters);
  return Message(epochs_.Advance(now_));
}

}  // namespace ccscope::lcc
