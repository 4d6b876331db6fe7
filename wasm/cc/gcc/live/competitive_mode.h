// The rate of a live call while another flow fills the queue (competing_flow.h). The delay then says nothing about the
// call's own rate, so losses decide, as in Copa's competitive mode (Arun and Balakrishnan, NSDI 2018, section 2.2): the
// increase is GCC's additive one, and a loss takes the place of an overuse signal. The call then shares the link with
// TCP instead of starving beside it.
#ifndef CCSCOPE_CC_GCC_LIVE_COMPETITIVE_MODE_H_
#define CCSCOPE_CC_GCC_LIVE_COMPETITIVE_MODE_H_

#include "cc/controller.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/receiver_hooks.h"
#include "cc/live/competing_flow.h"
#include "units/units.h"

namespace ccscope::gcc {

class CompetitiveMode {
 public:
  explicit CompetitiveMode(const Parameters& parameters) : params_(parameters) {}
  void Configure(const Parameters& parameters) { params_ = Params(parameters); }
  void OnFrame(const Arrival& arrival);
  // Call it for each report of losses. Without recent reports, the mode is never on.
  void OnLossReport(Timestamp now) { reported_at_ = now; }
  bool IsOn() const { return is_on_; }
  // Call it whenever a rate is due while the mode is off. `delivered`: the rate recently delivered.
  void OnOtherMode(DataRate delivered);
  // The next rate while the mode is on, `elapsed` after the previous one, `a_r`.
  DataRate Next(DataRate a_r, DataRate delivered, const ReceiverHooks::Conditions& conditions, TimeDelta elapsed,
                Timestamp now);

 private:
  struct Params {
    double alpha;
    double growth;           // factor per second up to half_
    double packets;          // added per response time
    TimeDelta response_offset;
    explicit Params(const Parameters& p);
  };
  Params params_;
  CompetingFlow competing_flow_;
  DataRate half_;  // half of the rate that was delivered when the queue was last nearly empty
  Timestamp reported_at_ = Timestamp::MinusInfinity();
  bool is_on_ = false;
  Timestamp cut_at_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_COMPETITIVE_MODE_H_
