// The two halves of every congestion controller (ToN Fig. 1): a receiver half that sees arrivals and emits feedback,
// and a sender half that turns feedback into a target rate. In a call the two halves run in two pages and exchange
// messages over a data channel; in the simulator they use the return path.
#ifndef CCSCOPE_CC_CONTROLLER_H_
#define CCSCOPE_CC_CONTROLLER_H_

#include <array>
#include <cstddef>
#include <optional>

#include "units/parameter.h"
#include "units/units.h"

namespace ccscope {

// One arrival at the receiver. It is a packet or, where only frames are visible (Encoded Transforms), a whole frame.
struct Arrival {
  double seq = 0;
  Timestamp send_time;     // time of sending, on the sender's clock; for a frame, of its first packet
  Timestamp arrival_time;  // on the receiver's clock; for a frame, of its last packet
  DataSize size;
  std::optional<double> rtp_timestamp;  // 32 bits, at 90 kHz for video
  bool key_frame = false;
  std::optional<TimeDelta> rtt;  // as last measured by the sender
};

// Cumulative counters of the packets that reached the receiver, headers included. In a call they come from getStats.
struct InboundCounters {
  Timestamp time;
  double packets_received = 0;
  double packets_lost = 0;
  DataSize received;
};

// A message from the receiver half to the sender half. Every controller's receiver half fills in the common fields.
// `values` has a meaning only for the sender half of the same controller; a header of that controller documents the
// values.
struct Feedback {
  static constexpr int kMaxValues = 64;
  // A longer RTT is implausible: the echoed time must come from a different clock.
  static constexpr TimeDelta kMaxRtt = TimeDelta::Seconds(60);

  Timestamp time;  // receiver's clock
  DataRate received_rate;
  double packets_received = 0;  // cumulative
  double packets_lost = 0;      // cumulative
  Timestamp echo_send_time;     // send time of the latest arrival, for the RTT
  TimeDelta echo_delay;         // how long ago that arrival was
  int value_count = 0;
  std::array<double, kMaxValues> values;  // only the first value_count of these are set

  // The RTT from the echo, measured at the sender half; no value if the RTT is implausible.
  std::optional<TimeDelta> Rtt(Timestamp now) const {
    const TimeDelta rtt = now - echo_send_time - echo_delay;
    return IsRtt(rtt) ? std::optional(rtt) : std::nullopt;
  }
  // How far the receiver's clock is ahead of the sender's, less the delay on the return path: the one-way delay of the
  // echoed arrival minus the RTT. The delay on the forward path is in both, and cancels.
  TimeDelta ClockOffset(TimeDelta rtt) const { return time - echo_delay - echo_send_time - rtt; }
  static bool IsRtt(TimeDelta rtt) { return rtt > TimeDelta::Zero() && rtt < kMaxRtt; }

  void Add(double value) { values[static_cast<std::size_t>(value_count++)] = value; }
};

// Returns an error unless the message has `count` values. A message with another count is damaged or comes from a
// different controller.
inline ParameterError ExpectValues(const Feedback& feedback, int count) {
  return feedback.value_count == count ? ParameterError{} : ParameterError{"values", "expected those of the same controller"};
}

class FrameCapacity;  // cc/live/frame_capacity.h
class ReceiverHalf {
 public:
  virtual ~ReceiverHalf() = default;
  // Sets all parameters, in the order of the controller's .def; allowed in the middle of a call.
  virtual void Configure(const double* values) = 0;
  // This class reads no clock: the time comes from the inputs. OnArrival() and OnInboundCounters() return a feedback
  // message if one became due.
  [[nodiscard]] virtual std::optional<Feedback> OnArrival(const Arrival& arrival) = 0;
  [[nodiscard]] virtual std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) = 0;
  // The capacity that the frames of a live call show; null if this half does not estimate it. Receiver halves of the
  // same stream may share the analysis of the frames (FrameCapacity::ShareFrames()).
  virtual FrameCapacity* frame_capacity() { return nullptr; }
};

// The rates that the sender half requests. A rate that a controller does not have is NaN.
struct RateUpdate {
  DataRate target;  // for the encoder
  DataRate pacing;  // for the pacer
  DataRate a_s;     // GCC's loss-based rate
  DataRate a_r;     // GCC's delay-based rate
  double fraction_lost = 0;
  TimeDelta rtt;
};

// What was sent: the cumulative bytes on the wire, and the bytes that wait in the pacer (zero in a browser, which does
// not expose its pacer).
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
  // Checks a message from the receiver half, since it arrived over a network and may be damaged. Returns an error
  // that describes the first fault, or no error.
  [[nodiscard]] virtual ParameterError Check(const Feedback& feedback) const = 0;
  // Processes a message that has passed Check().
  virtual void OnFeedback(const Feedback& feedback, Timestamp now) = 0;
  // Processes the cumulative packet counts of RTCP receiver reports. In a call, only reports that arrive while feedback
  // is missing are passed on. A simulated MediaFlow passes on every report.
  virtual void OnReceiverReport(double /*packets_received*/, double /*packets_lost*/, Timestamp /*now*/) {}
  // Processes an RTT that was not measured with the feedback's echo but by other means (ICE checks, RTCP).
  virtual void OnRtt(TimeDelta rtt) = 0;
  // Called before each frame of a MediaFlow, every 100 ms in a LiveFlow, and with each reading of the counters in a
  // call. Returns true if the rates may have changed; only MediaFlow uses this result.
  virtual bool OnSent(const SentCounters& /*counters*/) { return false; }
  [[nodiscard]] virtual RateUpdate Process(Timestamp now) = 0;
  // Writes the joint density of rate and delay that the controller has learnt, in 1 / (bps us), at the points of a
  // grid: one row per delay, one column per rate. Returns false if no density has been learnt.
  [[nodiscard]] virtual bool Density(DensityAxes& /*axes*/, double* /*values*/) const { return false; }
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_CONTROLLER_H_
