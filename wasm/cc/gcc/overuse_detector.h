// Over-use detector: compares m with the threshold and signals overuse, underuse or normal (ToN III-A "Congestion
// detection", Fig. 3).
//
// In two respects, the detector follows libwebrtc of 2016 instead of the paper's text. First, the threshold applies to
// T = min(n, 60) m, not to m itself. Second, it signals overuse only after T has been above the threshold for some time
// (> 10 ms, two groups, m not falling). Without the factor min(n, 60) (detector_gain_groups = 1), the detector never
// signals overuse, since m is only the change of the delay from one group to the next. Without the second deviation,
// GCC yields to any TCP flow.
#ifndef CCSCOPE_CC_GCC_OVERUSE_DETECTOR_H_
#define CCSCOPE_CC_GCC_OVERUSE_DETECTOR_H_

#include <optional>

#include "cc/gcc/adaptive_threshold.h"
#include "cc/gcc/arrival_filter.h"
#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

class OveruseDetector {
 public:
  struct Params {
    int gain_groups;
    TimeDelta overuse_time;
    int overuse_min_groups;
    bool needs_rising_m;
    explicit Params(const Parameters& p);
  };

  explicit OveruseDetector(const Parameters& parameters) : params_(parameters), threshold_(parameters) {}
  void Configure(const Parameters& parameters);

  // Processes one estimate of the arrival filter, based on `num_deltas` pairs of groups. `send_delta` is the send delta
  // of the last pair.
  Signal Detect(TimeDelta m, TimeDelta send_delta, int num_deltas, Timestamp now);

  // Call it together with ArrivalFilter::OnQueueRestored(). The signal is then normal until the next pair.
  void OnQueueRestored();

  Signal signal() const { return signal_; }
  TimeDelta detector_input() const { return detector_input_; }  // T
  TimeDelta gamma() const { return threshold_.gamma(); }

 private:
  void OnAboveThreshold(TimeDelta m, TimeDelta send_delta);

  Params params_;
  AdaptiveThreshold threshold_;
  Signal signal_ = Signal::kNormal;
  TimeDelta detector_input_;
  TimeDelta previous_m_;
  std::optional<TimeDelta> time_above_;
  int groups_above_ = 0;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_OVERUSE_DETECTOR_H_
