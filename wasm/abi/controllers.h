// The controllers that can be asked for at the ABI, by number: the schema lists them in this order.
#ifndef CCSCOPE_ABI_CONTROLLERS_H_
#define CCSCOPE_ABI_CONTROLLERS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "cc/controller.h"
#include "trace/recorder.h"
#include "units/parameter.h"

namespace ccscope {

struct ControllerSpec {
  const ParameterSpec* parameters;
  int parameter_count;
  // `values`: all parameters. Rows go to `recorder`, which outlives the half.
  std::unique_ptr<ReceiverHalf> (*make_receiver)(const double* values, double flow, Recorder& recorder);
  std::unique_ptr<SenderHalf> (*make_sender)(const double* values, double flow, std::uint64_t seed, Recorder& recorder);
};

// Null, with the last error set, if there is none of that number.
const ControllerSpec* FindController(int controller);

// All parameters of a controller, taken from `input`, checked. False, with the last error set, if one is
// refused.
bool ReadParameters(const ControllerSpec& spec, const double* input, std::vector<double>& values);

}  // namespace ccscope

#endif  // CCSCOPE_ABI_CONTROLLERS_H_
