#include "sim/outages.h"

#include "units/deterministic_math.h"

namespace ccscope {
namespace {

constexpr std::uint64_t kStream = 0x4f75746167657321;

}  // namespace

Outages::Outages(const Params& params, std::uint64_t seed) : random_(seed ^ kStream) { Restart(params, Timestamp()); }

void Outages::Restart(const Params& params, Timestamp now) {
  params_ = params;
  down_ = false;
  next_ = params.mean_off > TimeDelta::Zero() ? now + Draw(params.mean_on, 1) : Timestamp::PlusInfinity();
}

TimeDelta Outages::Draw(TimeDelta mean, int phases) {
  double sum = 0;
  for (int i = 0; i < phases; ++i) sum -= det::Log(1 - random_.Uniform());
  return mean * (sum / phases);
}

void Outages::Toggle() {
  down_ = !down_;
  next_ += down_ ? Draw(params_.mean_off, params_.off_phases) : Draw(params_.mean_on, 1);
}

}  // namespace ccscope
