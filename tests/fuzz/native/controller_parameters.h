// Configurations of a controller: a preset, and any changes within the parameters' ranges.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_CONTROLLER_PARAMETERS_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_CONTROLLER_PARAMETERS_H_

#include <algorithm>

#include "abi/controllers.h"
#include "tests/fuzz/native/abi.h"
#include "tests/fuzz/native/presets.h"

namespace ccscope::fuzz {

// The values of all parameters of a controller; each is within its range.
class ControllerParameters {
 public:
  explicit ControllerParameters(int controller)
      : spec_(*FindController(controller)), presets_(PresetsOf(controller)), values_(presets_.front()) {}

  void TakePreset(Input& input) { values_ = presets_[static_cast<std::size_t>(input.Pick(static_cast<int>(presets_.size())))]; }
  // Changes one parameter; returns its index.
  int Change(Input& input) {
    const int index = input.Pick(count());
    const auto i = static_cast<std::size_t>(index);
    values_[i] = input.Parameter(spec_.parameters[index], presets_.front()[i]);
    return index;
  }
  // Writes the values to the ABI's input buffer.
  void Pass() const { std::copy(values_.begin(), values_.end(), ccs_input_buffer(count())); }

  int count() const { return spec_.parameter_count; }
  const Values& values() const { return values_; }
  double at(int index) const { return values_[static_cast<std::size_t>(index)]; }
  const ParameterSpec& spec(int index) const { return spec_.parameters[index]; }
  // The first two parameters of every controller are the lowest and the highest target rate.
  double min_bps() const { return values_[0]; }
  double max_bps() const { return std::max(values_[0], values_[1]); }

 private:
  const ControllerSpec& spec_;
  const std::vector<Values>& presets_;
  Values values_;
};

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_CONTROLLER_PARAMETERS_H_
