#include "cc/inbound_stream.h"

#include <algorithm>

namespace ccscope {

void InboundStream::OnArrival(const Arrival& arrival, bool is_echoed) {
  now_ = std::max(now_, arrival.arrival_time);
  if (is_echoed) {
    last_send_time_ = arrival.send_time;
    last_arrival_time_ = arrival.arrival_time;
  }
  packets_.OnArrival(arrival.seq);
  arrival_rate_.Add(arrival.size, arrival.arrival_time);
}

std::optional<InboundStream::Counted> InboundStream::OnCounters(const InboundCounters& counters) {
  now_ = std::max(now_, counters.time);
  wire_rate_.Add(counters);
  const Counted counted{counters.packets_received - packets_.received(), counters.packets_lost - packets_.lost()};
  const bool is_first = !packets_.has_counters();
  packets_.OnCounters(counters);
  return is_first ? std::nullopt : std::optional(counted);
}

std::optional<DataRate> InboundStream::ReceivedRate(RateSource source, TimeDelta window) {
  if (source == RateSource::kWire) {
    if (const auto rate = wire_rate_.Rate(window)) return rate;
  }
  return arrival_rate_.Rate(now_);
}

Feedback InboundStream::Message(DataRate received_rate) const {
  Feedback feedback;
  feedback.time = now_;
  feedback.received_rate = received_rate;
  feedback.packets_received = packets_.received();
  feedback.packets_lost = packets_.lost();
  feedback.echo_send_time = last_send_time_;
  feedback.echo_delay = now_ - last_arrival_time_;
  return feedback;
}

}  // namespace ccscope
