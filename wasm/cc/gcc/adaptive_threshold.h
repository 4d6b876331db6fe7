// Adaptive threshold gamma of the over-use detector (ToN III-A, eq. 11-12):
//
//   gamma += dT k (|T| - gamma),   k = k_d while |T| < gamma, else k_u
//
// With the paper's gains (k_u > k_d), gamma follows |T| quickly upwards and slowly downwards.
#ifndef CCSCOPE_CC_GCC_ADAPTIVE_THRESHOLD_H_
#define CCSCOPE_CC_GCC_ADAPTIVE_THRESHOLD_H_

#include <optional>

#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

class AdaptiveThreshold {
 public:
  struct Params {
    bool adaptive;
    TimeDelta fixed;
    double k_u;  // per ms
    double k_d;  // per ms
    TimeDelta min;
    TimeDelta max;
    TimeDelta max_delta;         // zero: no limit
    TimeDelta adaptation_guard;  // zero: none
    explicit Params(const Parameters& p);
  };

  explicit AdaptiveThreshold(const Parameters& parameters) : params_(parameters), gamma_(params_.fixed) {}
  void Configure(const Parameters& parameters);

  // `detector_input` is T, the value that was compared with gamma at `now`.
  void Update(TimeDelta detector_input, Timestamp now);
  TimeDelta gamma() const { return gamma_; }

 private:
  Params params_;
  TimeDelta gamma_;
  std::optional<Timestamp> last_update_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_ADAPTIVE_THRESHOLD_H_
