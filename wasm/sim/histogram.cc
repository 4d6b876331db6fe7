#include "sim/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace ccscope {
namespace {

constexpr int kLinearBits = 8;
constexpr std::uint64_t kLinear = std::uint64_t{1} << kLinearBits;
constexpr double kLargest = 1099511627776.0;  // 2^40
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// Bins 0 to 255 hold one integer each. Above, each range from 2^n to 2^(n + 1) is divided into 256 bins.
std::size_t BinOf(double sample) {
  const auto value = static_cast<std::uint64_t>(std::clamp(sample, 0.0, kLargest));
  if (value < kLinear) return static_cast<std::size_t>(value);
  const int doubling = static_cast<int>(std::bit_width(value)) - 1 - kLinearBits;
  return static_cast<std::size_t>((static_cast<std::uint64_t>(doubling) << kLinearBits) + (value >> doubling));
}

// The middle of a bin.
double ValueOf(std::size_t bin) {
  if (bin < kLinear) return static_cast<double>(bin);
  const auto doubling = static_cast<int>(bin >> kLinearBits) - 1;
  const std::uint64_t lowest = ((bin & (kLinear - 1)) + kLinear) << doubling;
  return static_cast<double>(lowest) + static_cast<double>((std::uint64_t{1} << doubling) - 1) / 2;
}

}  // namespace

void Histogram::Add(double sample) {
  const std::size_t bin = BinOf(sample);
  if (bin >= bins_.size()) bins_.resize((bin / kLinear + 1) * kLinear);
  ++bins_[bin];
  min_ = count_ == 0 ? sample : std::min(min_, sample);
  max_ = count_ == 0 ? sample : std::max(max_, sample);
  ++count_;
  const double off = sample - mean_;
  mean_ += off / count_;
  squares_ += off * (sample - mean_);
}

double Histogram::mean() const { return count_ > 0 ? mean_ : kNothing; }
double Histogram::sd() const { return count_ > 0 ? std::sqrt(squares_ / count_) : kNothing; }
double Histogram::min() const { return count_ > 0 ? min_ : kNothing; }
double Histogram::max() const { return count_ > 0 ? max_ : kNothing; }

double Histogram::Percentile(double percent) const {
  if (count_ == 0) return kNothing;
  const double rank = std::max(1.0, std::ceil(percent / 100 * count_));
  double seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen >= rank) return std::clamp(ValueOf(bin), min_, max_);
  }
  return max_;
}

}  // namespace ccscope
