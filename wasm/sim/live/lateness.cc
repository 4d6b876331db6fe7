#include "sim/live/lateness.h"

#include <algorithm>

#include "units/deterministic_math.h"

namespace ccscope::live {
namespace {

// Mean of X^k of an exponential variate X with mean 1: the integral of x^k e^-x, Gamma(k + 1), by
// Simpson's rule, which is good to a thousandth here.
double MeanOfPower(double power) {
  constexpr int kSteps = 2000;
  constexpr double kEnd = 60;
  constexpr double kStep = kEnd / kSteps;
  const auto f = [power](double x) { return x > 0 ? det::Pow(x, power) * det::Exp(-x) : 0; };
  double sum = 0;
  for (int i = 0; i < kSteps; i += 2) sum += f(i * kStep) + 4 * f((i + 1) * kStep) + f((i + 2) * kStep);
  return sum * kStep / 3;
}

}  // namespace

Lateness::Lateness(const Params& params, std::uint64_t seed)
    : params_(params), mean_of_power_(MeanOfPower(params.tail)), random_(seed) {}

double Lateness::LogOfUniform() { return det::Log(1 - random_.Uniform()); }

void Lateness::NextStall(Timestamp from) {
  if (params_.stalls_per_s <= 0) return;
  stall_begin_ = from + TimeDelta::Seconds(Exponential() / params_.stalls_per_s);
  stall_end_ = stall_begin_ + params_.stall * (det::Pow(Exponential(), params_.tail) / mean_of_power_);
}

Timestamp Lateness::Handled(Timestamp at) {
  if (!begun_) NextStall(at);
  begun_ = true;
  at += params_.usual * Exponential();
  while (stall_begin_ <= at && stall_end_ <= at) NextStall(stall_end_);
  if (stall_begin_ <= at) at = stall_end_;
  return last_ = std::max(last_, at);
}

}  // namespace ccscope::live
