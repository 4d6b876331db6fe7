#include "sim/tcp/rtt_estimator.h"

#include <algorithm>
#include <cmath>

namespace ccscope::tcp {
namespace {

// RFC 6298, section 2.
constexpr double kAlpha = 1.0 / 8;
constexpr double kBeta = 1.0 / 4;
constexpr double kK = 4;

}  // namespace

RttEstimator::RttEstimator(const Parameters& parameters)
    : initial_(TimeDelta::Millis(parameters.rto_initial_ms)),
      min_(TimeDelta::Millis(parameters.bounds_whole_rto() ? parameters.rto_min_ms : 0)),
      max_(TimeDelta::Millis(parameters.rto_max_ms)),
      // The minimum of RTO - SRTT. It is the clock granularity G or, if rto_min bounds only the part of the RTO above
      // SRTT (as in Linux), the larger of G and rto_min.
      floor_(TimeDelta::Millis(parameters.bounds_whole_rto()
                                   ? parameters.clock_granularity_ms
                                   : std::max(parameters.clock_granularity_ms, parameters.rto_min_ms))) {
  Reset();
}

void RttEstimator::Reset() {
  has_sample_ = false;
  rto_ = initial_;
  srtt_ = rttvar_ = latest_ = TimeDelta::Zero();
  minimum_ = TimeDelta::PlusInfinity();
}

void RttEstimator::OnSample(TimeDelta rtt) {
  rtt = std::max(rtt, TimeDelta::Zero());
  latest_ = rtt;
  minimum_ = std::min(minimum_, rtt);
  if (!has_sample_) {
    has_sample_ = true;
    srtt_ = rtt;
    rttvar_ = rtt / 2;
  } else {
    rttvar_ += (TimeDelta::Micros(std::fabs((srtt_ - rtt).us())) - rttvar_) * kBeta;
    srtt_ += (rtt - srtt_) * kAlpha;
  }
  rto_ = std::clamp(srtt_ + std::max(floor_, rttvar_ * kK), min_, max_);
}

void RttEstimator::Backoff() { rto_ = std::min(rto_ * 2, max_); }

}  // namespace ccscope::tcp
