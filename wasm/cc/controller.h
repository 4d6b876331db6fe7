// The two halves of which every congestion controller consists (ToN Fig. 1): a receiver half that
// sees arrivals and emits feedback, and a sender half that turns feedback into a target rate. In a
// call they live in two pages and talk over a data channel; in the simulator over the return path.
#ifndef CCSCOPE_CC_CONTROLLER_H_
#define CCSCOPE_CC_CONTROLLER_H_

#include <cstdint>
#include <optional>

#include "units/units.h"

namespace ccscope {

// One arrival: a frame where frames are what can be seen (Encoded Transforms), else a packet.
struct Arrival {
  double seq = 0;
  Timestamp send_time;     // when the (first packet of the) frame left, on the sender's clock
  Timestamp arrival_time;  // when its last packet came in, on the receiver's clock
  DataSize size;
  std::optional<double> rtp_timestamp;  // 32 bits, at 90 kHz for video
  bool key_frame = false;
  std::optional<TimeDelta> rtt;  // as the sender last knew it
};

// Cumulative counters of the wire at the receiver, headers included (from getStats in a call).
struct InboundCounters {
  Timestamp time;
  double packets_received = 0;
  double packets_lost = 0;
  DataSize received;
};

// Receiver half -> sender half, about each 200 ms.
struct Feedback {
  Timestamp time;  // receiver's clock
  DataRate a_r;
  DataRate received_rate;
  double packets_received = 0;  // cumulative
  double packets_lost = 0;      // cumulative
  Timestamp echo_send_time;     // send time of the latest arrival, for the RTT
  TimeDelta echo_delay;         // how long ago that arrival was
  DataRate drain;               // how far to stay below A_r until a backlog is drained
};

class ReceiverHalf {
 public:
  virtual ~ReceiverHalf() = default;
  // Times of all inputs drive the half; it has no clock of its own. Each returns the feedback that
  // became due, if any.
  [[nodiscard]] virtual std::optional<Feedback> OnArrival(const Arrival& arrival) = 0;
  [[nodiscard]] virtual std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) = 0;
};

// What the sender half asks for.
struct RateUpdate {
  DataRate target;   // for the encoder
  DataRate pacing;   // for the pacer
  DataRate a_s;
  DataRate a_r;
  double fraction_lost = 0;
  TimeDelta rtt;
};

class SenderHalf {
 public:
  virtual ~SenderHalf() = default;
  virtual void OnFeedback(const Feedback& feedback, Timestamp now) = 0;
  // The RTT from another source than the feedback's echo (ICE checks, RTCP).
  virtual void OnRtt(TimeDelta rtt) = 0;
  [[nodiscard]] virtual RateUpdate Process(Timestamp now) = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_CONTROLLER_H_
