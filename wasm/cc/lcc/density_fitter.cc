#include "cc/lcc/density_fitter.h"

#include <algorithm>
#include <cmath>

#include "units/deterministic_math.h"

namespace ccscope::lcc {
namespace {

// For x above this, e^-x is negligible in a sum of at most kMaxPairs terms, the largest of which is near 1.
constexpr double kNegligible = 40;
constexpr double kSqrtTwoPi = 2.5066282746310002;
// If an end of an axis is NaN (not given), it is placed this many bandwidths beyond the outermost pair.
constexpr double kReach = 4;

double HalfSquare(double x) { return x * x / 2; }
double Normal(double x) {
  const double half_square = HalfSquare(x);
  return half_square < 2 * kNegligible ? det::Exp(-half_square) / kSqrtTwoPi : 0;
}

// Replaces an end of the axis that is NaN by a point kReach bandwidths beyond the outermost pair.
void Fit(DensityAxis& axis, double smallest, double largest, double bandwidth) {
  if (std::isnan(axis.from)) axis.from = smallest - kReach * bandwidth;
  if (std::isnan(axis.to)) axis.to = largest + kReach * bandwidth;
}

}  // namespace

void DensityFitter::Configure(const Parameters& parameters) {
  bandwidth_rate_bps_ = parameters.bandwidth_rate_bps;
  bandwidth_delay_us_ = TimeDelta::Millis(parameters.bandwidth_delay_ms).us();
  capacity_ = static_cast<int>(parameters.window_pairs);
  count_ = std::min(count_, capacity_);
}

const DensityFitter::Pair& DensityFitter::Window(int index) const {
  return window_[static_cast<std::size_t>((next_ - count_ + index + kMaxPairs) % kMaxPairs)];
}

void DensityFitter::Add(DataRate rate, TimeDelta delay) {
  window_[static_cast<std::size_t>(next_)] = {rate.bps(), delay.us()};
  next_ = (next_ + 1) % kMaxPairs;
  count_ = std::min(count_ + 1, capacity_);
}

// A pair's weight depends only on its age, even while the window is not full yet.
void DensityFitter::Refit() {
  fitted_ = count_;
  double sum = 0;
  for (int i = 0; i < fitted_; ++i) {
    const double age = static_cast<double>(fitted_ - 1 - i) / capacity_;
    model_[static_cast<std::size_t>(i)] = {Window(i), det::Exp(-age)};  // eq. 3
    sum += model_[static_cast<std::size_t>(i)].weight;
  }
  for (int i = 0; i < fitted_; ++i) model_[static_cast<std::size_t>(i)].weight /= sum;
}

DensityFitter::Range DensityFitter::DelayRange() const {
  double smallest = kInfinity;
  double largest = -kInfinity;
  for (int i = 0, at = next_; i < count_; ++i) {
    at = at > 0 ? at - 1 : kMaxPairs - 1;
    const double delay_us = window_[static_cast<std::size_t>(at)].delay_us;
    smallest = std::min(smallest, delay_us);
    largest = std::max(largest, delay_us);
  }
  return {TimeDelta::Micros(smallest), TimeDelta::Micros(largest)};
}

// The smallest exponent is subtracted from all exponents, so that not all weights become 0 for a delay far from all
// pairs. The nearest pair then dominates.
DataRate DensityFitter::ConditionalMean(TimeDelta delay) const {
  const auto exponent = [&](const Fitted& pair) { return HalfSquare((delay.us() - pair.delay_us) / bandwidth_delay_us_); };
  double smallest = kInfinity;
  for (int i = 0; i < fitted_; ++i) smallest = std::min(smallest, exponent(model_[static_cast<std::size_t>(i)]));
  double sum = 0;
  double weights = 0;
  for (int i = 0; i < fitted_; ++i) {
    const Fitted& pair = model_[static_cast<std::size_t>(i)];
    const double x = exponent(pair) - smallest;
    if (x > kNegligible) continue;
    const double weight = pair.weight * det::Exp(-x);
    sum += weight * pair.rate_bps;
    weights += weight;
  }
  return DataRate::BitsPerSec(sum / weights);
}

double DensityFitter::Density(DataRate rate, TimeDelta delay) const {
  double sum = 0;
  for (int i = 0; i < fitted_; ++i) {
    const Fitted& pair = model_[static_cast<std::size_t>(i)];
    sum += pair.weight * Normal((rate.bps() - pair.rate_bps) / bandwidth_rate_bps_) *
           Normal((delay.us() - pair.delay_us) / bandwidth_delay_us_);
  }
  return sum / (bandwidth_rate_bps_ * bandwidth_delay_us_);
}

void DensityFitter::FitAxes(DensityAxes& axes) const {
  double ends[4] = {kInfinity, -kInfinity, kInfinity, -kInfinity};
  for (int i = 0; i < fitted_; ++i) {
    const Fitted& pair = model_[static_cast<std::size_t>(i)];
    ends[0] = std::min(ends[0], pair.rate_bps);
    ends[1] = std::max(ends[1], pair.rate_bps);
    ends[2] = std::min(ends[2], pair.delay_us);
    ends[3] = std::max(ends[3], pair.delay_us);
  }
  Fit(axes.rate_bps, ends[0], ends[1], bandwidth_rate_bps_);
  Fit(axes.delay_us, ends[2], ends[3], bandwidth_delay_us_);
}

// The density of a pair is the product of one kernel per axis. So each pair needs one exponential per point of each
// axis, not one per point of the grid.
void DensityFitter::Grid(const DensityAxes& axes, double* values) const {
  const int rates = axes.rate_bps.count;
  const double scale = 1 / (bandwidth_rate_bps_ * bandwidth_delay_us_);
  std::array<double, DensityAxis::kMaxCount> kernel;
  std::fill_n(values, rates * axes.delay_us.count, 0.0);
  for (int i = 0; i < fitted_; ++i) {
    const Fitted& pair = model_[static_cast<std::size_t>(i)];
    for (int r = 0; r < rates; ++r) {
      kernel[static_cast<std::size_t>(r)] = Normal((axes.rate_bps.at(r) - pair.rate_bps) / bandwidth_rate_bps_);
    }
    for (int d = 0; d < axes.delay_us.count; ++d) {
      const double weight =
          scale * pair.weight * Normal((axes.delay_us.at(d) - pair.delay_us) / bandwidth_delay_us_);
      if (weight == 0) continue;
      for (int r = 0; r < rates; ++r) values[d * rates + r] += weight * kernel[static_cast<std::size_t>(r)];
    }
  }
}

}  // namespace ccscope::lcc
