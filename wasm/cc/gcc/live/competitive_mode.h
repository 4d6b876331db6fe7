// The rate of a live call while another flow fills the queue (competing_flow.h). The delay then does not show whether
// the call sends too much, so losses determine the rate. The rate grows by `additive_packets` full packets per RTT, as
// TCP's rate does, and falls to `alpha` times its value when packets are lost. So the call shares the link with TCP and
// does not starve. This mode is ccscope's own addition to GCC. Like the capacity probe, it is off unless capacity_probe
// is on.
#ifndef CCSCOPE_CC_GCC_LIVE_COMPETITIVE_MODE_H_
#define CCSCOPE_CC_GCC_LIVE_COMPETITIVE_MODE_H_

#include "cc/controller.h"
#include "cc/gcc/parameters.h"
#include "cc/live/competing_flow.h"
#include "units/units.h"

namespace ccscope::gcc {

class CompetitiveMode {
 public:
  explicit CompetitiveMode(const Parameters& parameters) : params_(parameters) {}
  void Configure(const Parameters& parameters) { params_ = Params(parameters); }
  void OnFrame(const Arrival& arrival);
  // Call it for each reading of the counters. Without recent readings, the mode is never on.
  void OnCounters(double loss, Timestamp now);
  bool IsOn() const { return is_on_; }
  // The next rate while the mode is on. `a_r`: the current rate, which was set `elapsed` ago. `delivered`: the rate
  // recently delivered.
  DataRate Next(DataRate a_r, DataRate delivered, TimeDelta rtt, TimeDelta elapsed, Timestamp now);

 private:
  struct Params {
    double alpha;
    double growth;             // factor per second up to the threshold
    double packets;            // added per RTT
    double bound_factor;       // bound of the rate as a multiple of the delivered rate; 0: no bound
    DataRate bound_offset;     // added to that bound
    explicit Params(const Parameters& p);
  };
  bool HasLost(TimeDelta rtt, Timestamp now);

  Params params_;
  CompetingFlow competing_flow_;
  bool is_on_ = false;
  // Below this threshold, the rate grows exponentially, as in slow start. The threshold is half of the rate that was
  // delivered before the other flow began or, after a loss, the rate to which the call was cut.
  DataRate threshold_;
  bool lost_ = false;  // whether packets were lost since the latest call of Next()
  Timestamp read_at_ = Timestamp::MinusInfinity();
  Timestamp cut_at_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_COMPETITIVE_MODE_H_
