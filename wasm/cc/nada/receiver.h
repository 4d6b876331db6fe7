// NADA's receiver half (RFC 8698 4.2): delay filter and loss estimator -> congestion signal and mode -> feedback
// every DELTA.
#ifndef CCSCOPE_CC_NADA_RECEIVER_H_
#define CCSCOPE_CC_NADA_RECEIVER_H_

#include <optional>

#include "cc/live/capacity_bound.h"
#include "cc/controller.h"
#include "cc/inbound_stream.h"
#include "cc/nada/delay_filter.h"
#include "cc/nada/loss_estimator.h"
#include "cc/nada/parameters.h"
#include "cc/send_clock.h"
#include "trace/recorder.h"
#include "units/units.h"

namespace ccscope::nada {

class Receiver final : public ReceiverHalf {
 public:
  // A `nada` and a `feedback` row per message go to `recorder`, which must outlive the receiver.
  Receiver(const Parameters& parameters, double flow, Recorder& recorder);
  void Configure(const double* values) override;

  [[nodiscard]] std::optional<Feedback> OnArrival(const Arrival& arrival) override;
  [[nodiscard]] std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) override;
  FrameCapacity* frame_capacity() override { return &bound_.frame_capacity(); }

 private:
  // The time from which the delay of an arrival is measured. It is the send time or, with DelaySample::kSinceEncoded,
  // the time of the RTP timestamp on a clock with an arbitrary zero.
  Timestamp DelaysBegin(const Arrival& arrival);
  bool IsRising(TimeDelta x_curr, Timestamp now) const;
  void CountPacket(double seq, std::optional<double> highest_seq);
  DataRate ReceivedRate();
  bool FeedbackIsDue();
  std::optional<Feedback> FeedbackIfDue();

  Parameters params_;
  double flow_;
  Recorder& recorder_;
  InboundStream stream_;
  DelayFilter delay_;
  LossEstimator losses_;
  CapacityBound bound_;

  TimeDelta rtt_;
  Timestamp last_build_up_ = Timestamp::MinusInfinity();  // when a delay sample last reached QEPS
  std::optional<Timestamp> last_feedback_;
  TimeDelta last_signal_;  // x_curr of the last feedback
  SendClock encoder_clock_;
};

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_RECEIVER_H_
