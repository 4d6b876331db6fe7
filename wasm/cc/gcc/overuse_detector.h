// Over-use detector: compares m with the threshold and signals overuse, underuse or normal (ToN III-A "Congestion
// detection", Fig. 3).
//
// Deviation from the paper's text, as deployed: m, a variation per group, is compared as T = min(n, 60) m, and
// overuse has to persist (> 10 ms, two groups, m not falling) before it is signalled. Without that factor
// (gain_groups = 1) the detector never fires; without the required persistence GCC yields to any TCP flow.
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

  // Takes one estimate of the arrival filter, based on `num_deltas` pairs of groups, the last of which has the send
  // delta `send_delta`.
  Signal Detect(TimeDelta m, TimeDelta send_delta, int num_deltas, Timestamp now);

  // To be called after the filter was not given some pairs of groups: the signal is normal until the next pair.
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
