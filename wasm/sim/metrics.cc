#include "sim/metrics.h"

#include <cmath>
#include <limits>

namespace ccscope {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double RunningMean::mean() const { return count_ > 0 ? mean_ : kNothing; }
double RunningMean::sd() const { return count_ > 0 ? std::sqrt(squares_ / count_) : kNothing; }

double JainIndex::value() const {
  if (count_ == 0) return kNothing;
  return squares_ > 0 ? sum_ * sum_ / (count_ * squares_) : 1;
}

}  // namespace ccscope
