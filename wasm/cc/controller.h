// The two halves of which every congestion controller consists (ToN Fig. 1): a receiver half that
// sees arrivals and emits feedback, and a sender half that turns feedback into a target rate. In a
// call they live in two pages and talk over a data channel; in the simulator over the return path.
#ifndef CCSCOPE_CC_CONTROLLER_H_
#define CCSCOPE_CC_CONTROLLER_H_

#include <array>
#include <cstddef>
#include <optional>

#include "units/parameter.h"
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

// Receiver half -> sender half. What every controller's receiver knows, and numbers that only the
// sender half of the same controller understands; its header says which is which.
struct Feedback {
  static constexpr int kMaxValues = 64;
  // An echo that gives a longer RTT than this comes from another clock.
  static constexpr TimeDelta kMaxRtt = TimeDelta::Seconds(60);

  Timestamp time;  // receiver's clock
  DataRate received_rate;
  double packets_received = 0;  // cumulative
  double packets_lost = 0;      // cumulative
  Timestamp echo_send_time;     // send time of the latest arrival, for the RTT
  TimeDelta echo_delay;         // how long ago that arrival was
  int value_count = 0;
  std::array<double, kMaxValues> values;  // the first value_count of them are set

  // The RTT by the echo, at the sender half; nothing where it cannot be right.
  std::optional<TimeDelta> Rtt(Timestamp now) const {
    const TimeDelta rtt = now - echo_send_time - echo_delay;
    return IsRtt(rtt) ? std::optional(rtt) : std::nullopt;
  }
  static bool IsRtt(TimeDelta rtt) { return rtt > TimeDelta::Zero() && rtt < kMaxRtt; }

  void Add(double value) { values[static_cast<std::size_t>(value_count++)] = value; }
};

// A message without `value_count` values would be another controller's, or damaged.
inline ParameterError ExpectValues(const Feedback& feedback, int count) {
  return feedback.value_count == count ? ParameterError{} : ParameterError{"values", "expected those of the same controller"};
}

class FrameCapacity;  // cc/live/frame_capacity.h
class ReceiverHalf {
 public:
  virtual ~ReceiverHalf() = default;
  // All parameters, in the order of the controller's .def; also in the middle of a call.
  virtual void Configure(const double* values) = 0;
  // Times of all inputs drive the half; it has no clock of its own. Each returns the feedback that
  // became due, if any.
  [[nodiscard]] virtual std::optional<Feedback> OnArrival(const Arrival& arrival) = 0;
  [[nodiscard]] virtual std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) = 0;
  // What it takes from frames in a live call, which receivers of one stream may share; null where it takes nothing.
  virtual FrameCapacity* frame_capacity() { return nullptr; }
};

// What the sender half asks for. A rate that a controller does not have is NaN.
struct RateUpdate {
  DataRate target;  // for the encoder
  DataRate pacing;  // for the pacer
  DataRate a_s;     // GCC's loss-based rate
  DataRate a_r;     // GCC's delay-based rate
  double fraction_lost = 0;
  TimeDelta rtt;
};

// What the sender knows of itself: cumulative bytes on the wire, and what waits in its pacer (nothing
// where it cannot be seen, as in a browser).
struct SentCounters {
  Timestamp time;
  DataSize sent;
  DataSize queued;
};

struct DensityAxes;  // cc/density_axes.h
class SenderHalf {
 public:
  virtual ~SenderHalf() = default;
  virtual void Configure(const double* values) = 0;
  // What is wrong with a message of the receiver half, which came over a network.
  [[nodiscard]] virtual ParameterError Check(const Feedback& feedback) const = 0;
  // A message that passed Check().
  virtual void OnFeedback(const Feedback& feedback, Timestamp now) = 0;
  // Cumulative counts of packets from RTCP receiver reports, while no feedback comes.
  virtual void OnReceiverReport(double /*packets_received*/, double /*packets_lost*/, Timestamp /*now*/) {}
  // The RTT from another source than the feedback's echo (ICE checks, RTCP).
  virtual void OnRtt(TimeDelta rtt) = 0;
  // Before each frame in a simulation, with each reading of the counters in a call. True if the rates may
  // have changed by it.
  virtual bool OnSent(const SentCounters& /*counters*/) { return false; }
  [[nodiscard]] virtual RateUpdate Process(Timestamp now) = 0;
  // The density of rate and delay that the controller has learnt, per bps and us, on a grid: one row of
  // rates for each delay. False if there is none.
  [[nodiscard]] virtual bool Density(DensityAxes& /*axes*/, double* /*values*/) const { return false; }
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_CONTROLLER_H_
