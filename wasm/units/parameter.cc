#include "units/parameter.h"

#include <cmath>

namespace ccscope {
ParameterError CheckValues(const ParameterSpec* specs, int spec_count, const double* values, int value_count) {
  if (value_count != spec_count) return {"parameters", "expected as many values as the schema has parameters"};
  for (int i = 0; i < spec_count; ++i) {
    const ParameterSpec& spec = specs[i];
    const bool within = values[i] >= spec.min && values[i] <= spec.max;  // false for NaN
    if (!within) return {spec.name, spec.expectation};
    if (spec.whole && values[i] != std::floor(values[i])) return {spec.name, "expected a whole number"};
  }
  return {};
}

}  // namespace ccscope
