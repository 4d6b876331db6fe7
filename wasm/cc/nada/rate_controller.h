// The reference rate r_ref at the sender (RFC 8698 4.3, eq. 3-9; CMP eq. 2-5):
//
//   accelerated ramp-up   r_ref = max(r_ref, (1 + gamma) r_recv),
//                         gamma = min(GAMMA_MAX, QBOUND / (rtt + DELTA + DFILT))
//   gradual update        r_ref -= KAPPA delta/TAU x_offset/TAU r_ref + KAPPA ETA x_diff/TAU r_ref,
//                         x_offset = x_curr - PRIO XREF RMAX / r_ref,   x_diff = x_curr - x_prev
//
// In equilibrium, x_curr = PRIO XREF RMAX / r_ref: flows that see the same signal get rates in proportion to their
// priorities and highest rates. If rates are counted from RMIN (nada.cc of 2015), r_ref - RMIN and RMAX - RMIN
// replace r_ref and RMAX in the gradual update.
#ifndef CCSCOPE_CC_NADA_RATE_CONTROLLER_H_
#define CCSCOPE_CC_NADA_RATE_CONTROLLER_H_

#include <array>
#include <optional>

#include "cc/nada/parameters.h"
#include "units/units.h"

namespace ccscope::nada {

enum class Mode { kRampUp, kGradual };  // rmode

// gamma of the accelerated ramp-up (eq. 3).
double RampUpGamma(TimeDelta rtt, const Parameters& parameters);

class RateController {
 public:
  explicit RateController(const Parameters& parameters) : params_(parameters), r_ref_(parameters.start_bitrate()) {
    Clip();
  }
  void Configure(const Parameters& parameters);

  // Call it for each feedback message. `bound`: the upper bound from the capacity (cc/live/capacity_bound.h), if there
  // is one. The rate is then at most this bound, and at least half of the received rate unless the bound is lower.
  void Update(Mode mode, TimeDelta x_curr, DataRate r_recv, TimeDelta rtt, Timestamp now,
              std::optional<DataRate> bound = std::nullopt);

  // Within [RMIN, RMAX].
  DataRate r_ref() const { return r_ref_; }

 private:
  DataRate RampedUp(DataRate r_recv, double gamma, DataRate gradual) const;
  double Gamma(DataRate r_recv, TimeDelta rtt, std::optional<DataRate> bound) const;
  DataRate GraduallyUpdated(TimeDelta x_curr, TimeDelta delta) const;
  TimeDelta RampUpRttOf(TimeDelta rtt);
  void ObserveEncoder(Mode mode, DataRate r_recv);
  void Clip();

  static constexpr int kHistory = 10;

  Parameters params_;
  DataRate r_ref_;
  TimeDelta x_prev_;
  std::optional<Timestamp> last_update_;
  TimeDelta least_rtt_ = TimeDelta::PlusInfinity();
  std::array<DataRate, kHistory> history_{};  // r_ref after each of the latest updates
  int updates_ = 0;
  double encoder_share_ = 1;  // the fraction of its target that the encoder sends
};

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_RATE_CONTROLLER_H_
