#include "sim/live/lateness.h"

#include <algorithm>

#include "units/deterministic_math.h"

namespace ccscope::live {

Lateness::Lateness(const Params& params, std::uint64_t seed) : params_(params), random_(seed) {}

double Lateness::Exponential() { return -det::Log(1 - random_.Uniform()); }

void Lateness::NextStall(Timestamp from) {
  if (params_.stalls_per_s <= 0) return;
  stall_begin_ = from + TimeDelta::Seconds(Exponential() / params_.stalls_per_s);
  stall_end_ = stall_begin_ + params_.stall * det::Pow(Exponential(), params_.tail);
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
