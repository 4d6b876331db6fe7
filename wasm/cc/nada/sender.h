// NADA's sender half (RFC 8698 4.3 and 5.2): reference rate from the feedback, encoder and sending rate
// from the rate-shaping buffer.
#ifndef CCSCOPE_CC_NADA_SENDER_H_
#define CCSCOPE_CC_NADA_SENDER_H_

#include "cc/controller.h"
#include "cc/nada/parameters.h"
#include "cc/nada/rate_controller.h"

namespace ccscope::nada {

// The values of NADA's feedback (RFC 8698 5.3); r_recv is the received rate that every controller reports.
enum FeedbackValue {
  kMode,       // rmode
  kSignal,     // x_curr, ms
  kLossRatio,  // p_loss; for display only
  kBound,      // upper bound of the rate (capacity_bound.h), bps; 0: none
  kFeedbackValues
};

class Sender final : public SenderHalf {
 public:
  explicit Sender(const Parameters& parameters) : params_(parameters), rate_controller_(parameters) {}
  void Configure(const double* values) override;

  [[nodiscard]] ParameterError Check(const Feedback& feedback) const override;
  void OnFeedback(const Feedback& feedback, Timestamp now) override;
  void OnRtt(TimeDelta rtt) override { rtt_ = rtt; }
  bool OnSent(const SentCounters& counters) override;
  [[nodiscard]] RateUpdate Process(Timestamp now) override;

 private:
  Parameters params_;
  RateController rate_controller_;
  DataSize buffer_len_;
  double loss_ratio_ = 0;
  TimeDelta rtt_;
};

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_SENDER_H_
