#include "sim/tcp/cubic.h"

#include <algorithm>

#include "units/deterministic_math.h"

namespace ccscope::tcp {
namespace {

// Section 4.2: the target is at most this multiple of the window.
constexpr double kMaxTarget = 1.5;
// Linux 3.16: the minimum RTT ignores RTT samples from the first second of a congestion avoidance stage.
constexpr TimeDelta kSettling = TimeDelta::Seconds(1);

double CubeRoot(double x) {
  if (x <= 0) return 0;
  const double y = det::Pow(x, 1.0 / 3);
  return y - (y * y * y - x) / (3 * y * y);  // one Newton step
}

}  // namespace

Cubic::Cubic(const Parameters& parameters)
    : c_(parameters.cubic_c),
      beta_(parameters.cubic_beta),
      alpha_(AlphaCubic(parameters.cubic_beta)),
      slow_start_limit_(parameters.slow_start_limit_segments),
      unknown_max_growth_(parameters.cubic_unknown_max_growth),
      fast_convergence_(IsOn(parameters.cubic_fast_convergence)),
      reno_friendly_(IsOn(parameters.cubic_reno_friendly)),
      alpha_one_(IsOn(parameters.cubic_alpha_one)),
      ahead_minimum_rtt_(Choice<TargetAhead>(parameters.cubic_target_ahead) == TargetAhead::kMinRtt),
      per_ack_(parameters.IncreasesPerAck(CongestionControlKind::kCubic)),
      hystart_(parameters) {
  Reset();
}

void Cubic::Reset() {
  state_ = {};
  minimum_rtt_ = TimeDelta::PlusInfinity();
  hystart_.Reset();
}

double Cubic::K(double w_max, double cwnd_epoch, double c) { return CubeRoot((w_max - cwnd_epoch) / c); }

double Cubic::WCubic(double t) const {
  const double d = t - state_.k;
  return c_ * d * d * d + state_.origin;
}

// Begins a congestion avoidance stage (section 4.2). W_max of the stage is the larger of the previous W_max and the
// current window, or the current window if the previous W_max is unknown (sections 4.8, 4.10).
void Cubic::BeginEpoch(Timestamp now, double cwnd) {
  state_.in_epoch = true;
  state_.epoch = state_.last_ack = now;
  state_.origin = std::max(state_.w_max, cwnd);
  state_.k = K(state_.origin, cwnd, c_);
  state_.w_est = cwnd;
}

void Cubic::OnAck(const AckEvent& ack, Window& window) {
  if (!state_.in_epoch || ack.now - state_.epoch >= kSettling) {
    minimum_rtt_ = std::min(minimum_rtt_, ack.rtt);
    hystart_.OnRtt(ack.rtt);
  }
  double acked = ack.acked;
  if (window.InSlowStart()) {
    if (hystart_.ShouldExit(ack, window.cwnd)) {
      window.ssthresh = window.cwnd;
    } else {
      if (!ack.window_limited) return;
      acked = SlowStart(acked, slow_start_limit_, window);
      if (acked == 0) return;
    }
  }
  Avoid(ack, acked, window);
}

void Cubic::Avoid(const AckEvent& ack, double acked, Window& window) {
  if (!state_.in_epoch) BeginEpoch(ack.now, window.cwnd);
  // Section 4.2: time does not count while the application, not the window, limits the sender.
  if (!ack.window_limited) state_.epoch += ack.now - state_.last_ack;
  state_.last_ack = ack.now;
  if (!ack.window_limited) return;

  const double cwnd = window.cwnd;
  const double t = (ack.now - state_.epoch).seconds();
  // The Reno-friendly window: section 4.3, equation 4.
  const double alpha = alpha_one_ && state_.w_est >= state_.cwnd_prior ? 1 : alpha_;
  state_.w_est += alpha * (per_ack_ ? 1 : acked) / cwnd;
  if (reno_friendly_ && WCubic(t) < state_.w_est) {
    window.cwnd = std::max(cwnd, state_.w_est);
    return;
  }
  // The cubic growth: sections 4.4 and 4.5.
  const TimeDelta ahead = ahead_minimum_rtt_ ? minimum_rtt_ : ack.srtt;
  const double target = std::clamp(WCubic(t + ahead.seconds()), cwnd, kMaxTarget * cwnd);
  double growth = (target - cwnd) / cwnd;  // per acknowledged segment; reaches the target in one RTT
  if (state_.w_max == 0) growth = std::max(growth, unknown_max_growth_);
  window.cwnd = cwnd + growth * std::min(acked, cwnd);
}

// Ends the stage: sets W_max and returns ssthresh (sections 4.6 and 4.7). `flight` is at most the window.
double Cubic::Reduce(double flight, const Window& window) {
  const bool fell_short = fast_convergence_ && window.cwnd < state_.w_max;
  state_.w_max = fell_short ? window.cwnd * (1 + beta_) / 2 : window.cwnd;
  state_.cwnd_prior = window.cwnd;
  state_.in_epoch = false;
  return std::max(flight * beta_, kMinSsthresh);
}

double Cubic::OnCongestionEvent(Timestamp, double flight, const Window& window) { return Reduce(flight, window); }

// Section 4.8: in the stage after a timeout, K is 0 and W_max is the window at the beginning of the stage.
double Cubic::OnTimeout(Timestamp, double flight, const Window& window) {
  const double ssthresh = Reduce(flight, window);
  state_.w_max = 0;
  hystart_.Reset();
  return ssthresh;
}

}  // namespace ccscope::tcp
