// GCC's sender half (ToN Fig. 1): the loss-based controller and A = min(A_s, A_r).
#ifndef CCSCOPE_CC_GCC_SENDER_H_
#define CCSCOPE_CC_GCC_SENDER_H_

#include "cc/controller.h"
#include "cc/gcc/loss_controller.h"
#include "cc/gcc/parameters.h"

namespace ccscope::gcc {

// The values of GCC's feedback.
enum FeedbackValue {
  kA_r,
  kDrain,  // how far to stay below A_r until a backlog is drained
  kFeedbackValues
};

class Sender final : public SenderHalf {
 public:
  explicit Sender(const Parameters& parameters);
  void Configure(const double* values) override;

  [[nodiscard]] ParameterError Check(const Feedback& feedback) const override;
  void OnFeedback(const Feedback& feedback, Timestamp now) override;
  void OnReceiverReport(double packets_received, double packets_lost, Timestamp now) override;
  void OnRtt(TimeDelta rtt) override { rtt_ = rtt; }
  [[nodiscard]] RateUpdate Process(Timestamp now) override;

 private:
  Parameters params_;
  LossController loss_controller_;
  bool has_feedback_ = false;  // until then A_r is the start bitrate
  DataRate a_r_;
  DataRate drain_;
  TimeDelta rtt_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_SENDER_H_
