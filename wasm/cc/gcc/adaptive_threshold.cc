#include "cc/gcc/adaptive_threshold.h"

#include <algorithm>
#include <cmath>

namespace ccscope::gcc {

AdaptiveThreshold::Params::Params(const Parameters& p)
    : adaptive(IsOn(p.adaptive_threshold)),
      fixed(TimeDelta::Millis(p.gamma_init_ms)),
      k_u(p.k_u),
      k_d(p.k_d),
      min(TimeDelta::Millis(p.gamma_min_ms)),
      max(TimeDelta::Millis(p.gamma_max_ms)),
      max_delta(TimeDelta::Millis(p.threshold_delta_max_ms)),
      adaptation_guard(TimeDelta::Millis(p.adaptation_guard_ms)) {}

void AdaptiveThreshold::Configure(const Parameters& parameters) {
  params_ = Params(parameters);
  if (!params_.adaptive) gamma_ = params_.fixed;
}

void AdaptiveThreshold::Update(TimeDelta detector_input, Timestamp now) {
  if (!params_.adaptive) return;
  const double magnitude_ms = std::fabs(detector_input.ms());
  const double gamma_ms = gamma_.ms();
  TimeDelta delta = now - last_update_.value_or(now);
  last_update_ = now;
  // A sudden spike, such as after a route change, must not raise the threshold.
  if (params_.adaptation_guard > TimeDelta::Zero() && magnitude_ms > gamma_ms + params_.adaptation_guard.ms()) return;
  const double k = magnitude_ms < gamma_ms ? params_.k_d : params_.k_u;  // eq. 12
  if (params_.max_delta > TimeDelta::Zero()) delta = std::min(delta, params_.max_delta);
  const double next_ms = gamma_ms + k * (magnitude_ms - gamma_ms) * delta.ms();  // eq. 11
  gamma_ = TimeDelta::Millis(std::max(params_.min.ms(), std::min(next_ms, params_.max.ms())));
}

}  // namespace ccscope::gcc
