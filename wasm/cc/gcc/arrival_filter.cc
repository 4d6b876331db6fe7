#include "cc/gcc/arrival_filter.h"

#include <algorithm>
#include <cmath>

#include "units/deterministic_math.h"

namespace ccscope::gcc {
namespace {

constexpr int kMaxDeltas = 1000;

}  // namespace

ArrivalFilter::Params::Params(const Parameters& p)
    : q_inverse_capacity(p.q_inverse_capacity),
      q_m(p.q_m),
      literal_noise_variance(Choice<NoiseVariance>(p.noise_variance) == NoiseVariance::kLiteral),
      noise_beta(p.noise_beta),
      noise_a_initial(p.noise_a_initial),
      noise_a(p.noise_a),
      noise_a_initial_groups(static_cast<int>(p.noise_a_initial_groups)),
      noise_variance_floor(p.noise_variance_floor_ms2),
      noise_clip_sigmas(p.noise_clip_sigmas),
      frame_interval_history(static_cast<int>(p.frame_interval_history)),
      covariance_boost(p.covariance_boost),
      restart_on_negative(IsOn(p.restart_on_negative)),
      inverse_capacity_init(p.inverse_capacity_init),
      p0_inverse_capacity(p.p0_inverse_capacity),
      p0_m(p.p0_m) {}

ArrivalFilter::ArrivalFilter(const Parameters& parameters)
    : params_(parameters),
      inverse_capacity_(parameters.inverse_capacity_init),
      p_{{parameters.p0_inverse_capacity, 0}, {0, parameters.p0_m}},
      noise_variance_(parameters.noise_variance_init_ms2) {}

// The smallest send delta of the latest pairs of groups, including this pair.
double ArrivalFilter::FrameIntervalMs(double send_delta_ms) {
  const int size = params_.frame_interval_history;
  if (send_delta_next_ >= size) send_delta_next_ = 0;
  double& oldest = send_deltas_[static_cast<std::size_t>(send_delta_next_)];
  // The history is searched only in two cases: it is not full yet, or the value that leaves it was its minimum and a
  // larger value replaces it.
  const bool search = send_delta_count_ != size || (oldest <= shortest_send_delta_ && send_delta_ms > oldest);
  oldest = send_delta_ms;
  if (++send_delta_next_ == size) send_delta_next_ = 0;
  send_delta_count_ = std::min(send_delta_count_ + 1, size);
  shortest_send_delta_ = search ? *std::min_element(send_deltas_.begin(), send_deltas_.begin() + send_delta_count_)
                                : std::min(shortest_send_delta_, send_delta_ms);
  return shortest_send_delta_;
}

// Updates the running mean and variance of the residual. The weight beta is adapted to the frame interval, so that
// the averaging time is the same for every frame rate.
void ArrivalFilter::UpdateNoiseTimeScaled(double residual, double frame_interval_ms) {
  const double a = num_deltas_ > params_.noise_a_initial_groups ? params_.noise_a : params_.noise_a_initial;
  // When bursts have been merged, a group may have been sent before its predecessor. Its negative frame interval then
  // counts as zero.
  if (a != beta_of_a_ || frame_interval_ms != beta_of_interval_ms_) {
    beta_ = det::Pow(1 - a, std::max(frame_interval_ms, 0.0) * 30 / 1000);
    beta_of_a_ = a;
    beta_of_interval_ms_ = frame_interval_ms;
  }
  noise_mean_ = beta_ * noise_mean_ + (1 - beta_) * residual;
  const double deviation = noise_mean_ - residual;
  noise_variance_ = beta_ * noise_variance_ + (1 - beta_) * deviation * deviation;
}

void ArrivalFilter::UpdateNoise(double residual, double frame_interval_ms, Signal previous) {
  if (params_.literal_noise_variance) {  // eq. 10
    noise_variance_ = params_.noise_beta * noise_variance_ + (1 - params_.noise_beta) * residual * residual;
  } else if (previous == Signal::kNormal) {
    double clipped = residual;
    if (params_.noise_clip_sigmas > 0) {
      const double limit = params_.noise_clip_sigmas * std::sqrt(noise_variance_);
      clipped = std::clamp(residual, -limit, limit);
    }
    UpdateNoiseTimeScaled(clipped, frame_interval_ms);
  }
  noise_variance_ = std::max(noise_variance_, params_.noise_variance_floor);
}

void ArrivalFilter::Update(TimeDelta arrival_delta, TimeDelta send_delta, DataSize size_delta, Signal previous) {
  const double frame_interval_ms = FrameIntervalMs(send_delta.ms());
  const double d_m = arrival_delta.ms() - send_delta.ms();
  const double h0 = size_delta.bytes();
  num_deltas_ = std::min(num_deltas_ + 1, kMaxDeltas);

  p_[0][0] += params_.q_inverse_capacity;
  p_[1][1] += params_.q_m;
  if ((previous == Signal::kOveruse && m_ < previous_m_) || (previous == Signal::kUnderuse && m_ > previous_m_)) {
    p_[1][1] += params_.covariance_boost * params_.q_m;
  }

  const double ph0 = p_[0][0] * h0 + p_[0][1];
  const double ph1 = p_[1][0] * h0 + p_[1][1];
  const double residual = d_m - inverse_capacity_ * h0 - m_;  // eq. 6
  UpdateNoise(residual, frame_interval_ms, previous);

  const double denominator = noise_variance_ + h0 * ph0 + ph1;
  previous_m_ = m_;
  if (!(denominator > 0)) return;  // no noise and no uncertainty, so there is nothing to learn
  const double k0 = ph0 / denominator;  // eq. 7
  const double k1 = ph1 / denominator;

  const double p00 = p_[0][0];  // eq. 8
  const double p01 = p_[0][1];
  const double p10 = p_[1][0];
  const double p11 = p_[1][1];
  p_[0][0] = p00 * (1 - k0 * h0) - p10 * k0;
  p_[0][1] = p01 * (1 - k0 * h0) - p11 * k0;
  p_[1][0] = -p00 * (k1 * h0) + p10 * (1 - k1);
  p_[1][1] = -p01 * (k1 * h0) + p11 * (1 - k1);

  inverse_capacity_ += k0 * residual;
  m_ += k1 * residual;  // eq. 9
  if (params_.restart_on_negative && inverse_capacity_ < 0) {
    inverse_capacity_ = params_.inverse_capacity_init;
    p_[0][0] = params_.p0_inverse_capacity;
    p_[0][1] = p_[1][0] = 0;
  }
}

void ArrivalFilter::OnQueueRestored() {
  m_ = previous_m_ = 0;
  p_[1][1] = params_.p0_m;
  p_[0][1] = p_[1][0] = 0;
}

}  // namespace ccscope::gcc
