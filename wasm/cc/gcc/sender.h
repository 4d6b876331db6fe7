// GCC's sender half (ToN Fig. 1): the loss-based controller and A = min(A_s, A_r). If the receiver half sends d_m
// (CMP Fig. 3), this half computes A_r itself. It accepts messages in both forms (feedback_values.h) at any time,
// since the parameter that selects the form may change in one half before it changes in the other.
#ifndef CCSCOPE_CC_GCC_SENDER_H_
#define CCSCOPE_CC_GCC_SENDER_H_

#include "cc/controller.h"
#include "cc/gcc/delay_based_controller.h"
#include "cc/gcc/loss_controller.h"
#include "cc/gcc/parameters.h"
#include "trace/recorder.h"

namespace ccscope::gcc {

class Sender final : public SenderHalf {
 public:
  // Group rows go to `recorder`, which must outlive the sender.
  Sender(const Parameters& parameters, double flow, Recorder& recorder);
  void Configure(const double* values) override;

  [[nodiscard]] ParameterError Check(const Feedback& feedback) const override;
  void OnFeedback(const Feedback& feedback, Timestamp now) override;
  void OnReceiverReport(double packets_received, double packets_lost, Timestamp now) override;
  void OnRtt(TimeDelta rtt) override { rtt_ = rtt; }
  [[nodiscard]] RateUpdate Process(Timestamp now) override;

 private:
  void OnPairs(const Feedback& feedback, Timestamp now);

  Parameters params_;
  DelayBasedController controller_;
  Timestamp arrivals_;  // when the latest pair was completed, relative to the first pair
  LossController loss_controller_;
  bool has_feedback_ = false;  // false: A_r is still the start bitrate
  DataRate a_r_;
  DataRate drain_;
  TimeDelta rtt_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_SENDER_H_
