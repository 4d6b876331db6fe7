#include "sim/flow.h"

#include <algorithm>

namespace ccscope {

void FlowMeter::OnSent(DataSize size) {
  ++sent_packets_;
  interval_.sent += size;
  for (const int w : active_windows_) {
    FlowWindow& window = this->window(w);
    ++window.sent_packets;
    window.sent += size;
  }
}

void FlowMeter::OnReceived(DataSize size, DataSize new_payload, TimeDelta queue_delay) {
  ++received_packets_;
  received_ += size;
  interval_.received += size;
  ++interval_.packets_received;
  interval_.queue_delay += queue_delay;
  for (const int w : active_windows_) {
    FlowWindow& window = this->window(w);
    ++window.received_packets;
    window.received += size;
    window.goodput += new_payload;
    window.queue_delay_us.Add(queue_delay.us());
  }
}

void FlowMeter::OnOneWayDelay(TimeDelta since_sent, TimeDelta since_encoded) {
  for (const int w : active_windows_) {
    window(w).owd_queue_delay_us.Add(since_sent.us());
    window(w).e2e_queue_delay_us.Add(since_encoded.us());
  }
}

void FlowMeter::OnLost(DataSize size) {
  ++lost_packets_;
  for (const int w : active_windows_) {
    FlowWindow& window = this->window(w);
    ++window.lost_packets;
    window.lost += size;
  }
}

void FlowMeter::OnProbe(TimeDelta rtt, TimeDelta queue_delay) {
  last_rtt_ = rtt;
  for (const int w : active_windows_) {
    FlowWindow& window = this->window(w);
    window.rtt_us.Add(rtt.us());
    window.probe_queue_delay_us.Add(queue_delay.us());
  }
}

void FlowMeter::OnFrame() {
  for (const int w : active_windows_) ++window(w).frames;
}

void FlowMeter::OnFreeze(TimeDelta length, bool counted) {
  for (const int w : active_windows_) {
    FlowWindow& window = this->window(w);
    if (!counted || window.freezes == 0) ++window.freezes;
    window.longest_freeze = std::max(window.longest_freeze, length);
  }
}

DataSize FlowMeter::TakeReceived() {
  const DataSize received = received_;
  received_ = DataSize::Zero();
  return received;
}

FlowMeter::Interval FlowMeter::TakeInterval() {
  const Interval interval = interval_;
  interval_ = Interval();
  return interval;
}

}  // namespace ccscope
