// The state of the incoming stream, which every receiver half keeps: the time, packets received and lost, the received
// rate, and the newest arrival. The sender half computes the RTT from the echo of this arrival.
#ifndef CCSCOPE_CC_INBOUND_STREAM_H_
#define CCSCOPE_CC_INBOUND_STREAM_H_

#include <optional>

#include "cc/controller.h"
#include "cc/packet_counter.h"
#include "cc/received_rate.h"
#include "units/units.h"

namespace ccscope {

class InboundStream {
 public:
  // `rate_window`: the window over which the rate of arrivals is measured.
  explicit InboundStream(TimeDelta rate_window) : arrival_rate_(rate_window) {}
  void SetRateWindow(TimeDelta window) { arrival_rate_.SetWindow(window); }

  // Counts an arrival. `is_echoed`: whether it may be used to measure the RTT.
  void OnArrival(const Arrival& arrival, bool is_echoed = true);
  // The packets received and lost between two consecutive readings of the counters. OnCounters() returns no value for
  // the first reading. The numbers are negative if the counters went down.
  struct Counted {
    double received;
    double lost;
  };
  std::optional<Counted> OnCounters(const InboundCounters& counters);

  Timestamp now() const { return now_; }  // the latest time of any input
  bool has_arrivals() const { return last_arrival_time_.IsFinite(); }
  Timestamp last_send_time() const { return last_send_time_; }
  Timestamp last_arrival_time() const { return last_arrival_time_; }
  bool has_counters() const { return packets_.has_counters(); }
  std::optional<double> highest_seq() const { return packets_.highest_seq(); }
  // Whether an arrival with a later send time has already come in.
  bool IsOvertaken(const Arrival& arrival) const { return has_arrivals() && arrival.send_time < last_send_time_; }

  // The received rate; no value until it can be measured. With RateSource::kWire, `window` is the time between the two
  // readings of the counters that are compared.
  std::optional<DataRate> ReceivedRate(RateSource source, TimeDelta window);
  // A message with the fields that are common to all controllers, as of now(); the controller adds its own values.
  Feedback Message(DataRate received_rate) const;

 private:
  Timestamp now_ = Timestamp::MinusInfinity();
  Timestamp last_send_time_;
  Timestamp last_arrival_time_ = Timestamp::MinusInfinity();
  PacketCounter packets_;
  ArrivalRate arrival_rate_;
  WireRate wire_rate_;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_INBOUND_STREAM_H_
