// LCC's sender half (LCC II): delay-rate tracker -> probability density fitter -> Bayesian controller, run once per
// epoch, that is, with each message of the receiver half.
#ifndef CCSCOPE_CC_LCC_SENDER_H_
#define CCSCOPE_CC_LCC_SENDER_H_

#include <cstdint>
#include <optional>

#include "cc/controller.h"
#include "cc/lcc/bayesian_controller.h"
#include "cc/lcc/delay_rate_tracker.h"
#include "cc/lcc/density_fitter.h"
#include "cc/lcc/exploration.h"
#include "cc/lcc/parameters.h"
#include "cc/received_rate.h"
#include "trace/recorder.h"

namespace ccscope::lcc {

class Sender final : public SenderHalf {
 public:
  // Rows of the table `lcc` go to `recorder`, which must outlive the sender.
  Sender(const Parameters& parameters, double flow, std::uint64_t seed, Recorder& recorder);
  void Configure(const double* values) override;

  [[nodiscard]] ParameterError Check(const Feedback& feedback) const override;
  void OnFeedback(const Feedback& feedback, Timestamp now) override;
  void OnRtt(TimeDelta rtt) override;
  bool OnSent(const SentCounters& counters) override;
  [[nodiscard]] RateUpdate Process(Timestamp now) override;
  [[nodiscard]] bool Density(DensityAxes& axes, double* values) const override;

 private:
  BayesianController::Delays delays() const;
  DataRate SendingRate() const;
  DataRate Bounded(DataRate rate) const;
  bool MayBeClock(const Feedback& feedback, std::optional<TimeDelta> rtt);
  void Learn(const EpochDelays& epoch, bool may_be_clock, DataRate sent, Timestamp now);
  DataRate Decide(DataRate sent, DataRate received, DataRate bound);
  void CountLosses(const Feedback& feedback);
  void Record(const EpochDelays& epoch, DataRate sent, DataRate bound, Timestamp now);

  Parameters params_;
  double flow_;
  Recorder& recorder_;
  DelayRateTracker tracker_;
  DensityFitter fitter_;
  BayesianController controller_;
  Exploration exploration_;
  WireRate sent_rate_;

  DataRate rate_;  // S_{i+1}
  bool has_feedback_ = false;
  Timestamp last_feedback_;  // receiver's clock
  std::optional<TimeDelta> clock_offset_;  // before a clock was set
  DensityFitter::Range range_;  // of the delays in the window
  Timestamp refitted_ = Timestamp::MinusInfinity();
  DataRate expected_;  // E[S | D = T_c]
  Action action_ = Action::kExpectation;
  TimeDelta rtt_ = TimeDelta::Zero();
  TimeDelta smallest_rtt_ = TimeDelta::PlusInfinity();

  // Losses over about a second; for display only.
  Timestamp counted_;
  double received_ = 0;
  double lost_ = 0;
  double fraction_lost_ = 0;
};

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_SENDER_H_
