#include "cc/lcc/receiver.h"

#include <algorithm>

#include "cc/feedback_row.h"

namespace ccscope::lcc {
namespace {

constexpr TimeDelta kRateWindow = TimeDelta::Millis(500);
// The largest absolute value of a one-way delay that is reported (30 years). A larger offset between the clocks is
// meaningless, and a message can contain at most 2^53 us.
constexpr TimeDelta kMaxDelay = TimeDelta::Seconds(1e9);

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      stream_(kRateWindow),
      epochs_(TimeDelta::Millis(parameters.epoch_ms)) {}

void Receiver::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  epochs_.SetEpoch(TimeDelta::Millis(params_.epoch_ms));
}

// The received rate comes from the packet counters (InboundCounters) if there are any, since arrivals exclude frames
// that never completed.
std::optional<Feedback> Receiver::Message(const std::optional<EpochDelays>& epoch) {
  if (!epoch) return std::nullopt;
  Feedback feedback = stream_.Message(stream_.ReceivedRate(RateSource::kWire, kRateWindow).value_or(DataRate::Zero()));
  feedback.Add(epoch->mean.us());
  feedback.Add(epoch->smallest.us());
  const auto bound = params_.has_capacity_bound() ? bound_.Next(feedback.received_rate, stream_.now()) : std::nullopt;
  feedback.Add(bound.value_or(DataRate::Zero()).bps());
  RecordFeedback(feedback, flow_, recorder_);
  return feedback;
}

// The delay sample of an arrival. With DelaySample::kOneWay, it is the one-way delay. With DelaySample::kWait, it is
// the time from the sending of the frame to the arrival of the previous frame, since a frame waits in the queue until
// its predecessor has left (Lindley's recursion). If a frame did not wait, its sample is the smallest delay so far. No
// sample exceeds the frame's own one-way delay.
TimeDelta Receiver::Sample(const Arrival& arrival) {
  const TimeDelta one_way_delay = std::clamp(arrival.arrival_time - arrival.send_time, -kMaxDelay, kMaxDelay);
  if (params_.sample_of_delay() == DelaySample::kOneWay) return one_way_delay;
  smallest_delay_ = std::min(smallest_delay_, one_way_delay);
  return std::min(one_way_delay, std::max(smallest_delay_, stream_.last_arrival_time() - arrival.send_time));
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  // A frame that arrives after later frames has waited for a retransmission, so its delay shows neither the queue nor
  // the RTT.
  const bool is_late = params_.sample_of_delay() == DelaySample::kWait && stream_.IsOvertaken(arrival);
  const TimeDelta sample = Sample(arrival);
  stream_.OnArrival(arrival, !is_late);
  if (params_.has_capacity_bound()) bound_.OnFrame(arrival);
  return Message(is_late ? epochs_.Advance(stream_.now()) : epochs_.Add(sample, stream_.now()));
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  const auto counted = stream_.OnCounters(counters);
  if (counted && counted->received > 0) {
    const double lost = std::max(0.0, counted->lost);
    bound_.OnLoss(lost / (lost + counted->received), stream_.now());
  }
  return Message(epochs_.Advance(stream_.now()));
}

}  // namespace ccscope::lcc
