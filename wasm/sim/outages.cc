#include "sim/outages.h"

#include "units/deterministic_math.h"

namespace ccscope {

Outages::Outages(const Params& params, std::uint64_t seed) : params_(params), random_(seed) {
  if (params.mean_off <= TimeDelta::Zero()) begin_ = end_ = Timestamp::PlusInfinity();
}

TimeDelta Outages::Draw(TimeDelta mean, int phases) {
  double sum = 0;
  for (int i = 0; i < phases; ++i) sum -= det::Log(1 - random_.Uniform());
  return mean * (sum / phases);
}

void Outages::DrawNext() {
  begin_ = end_ + Draw(params_.mean_on, 1);
  end_ = begin_ + Draw(params_.mean_off, params_.off_phases);
}

}  // namespace ccscope
