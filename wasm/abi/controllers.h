// The controllers that the ABI can create, by number: the order in which the schema lists them.
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
  // `values` holds all parameters. Rows go to `recorder`, which must outlive the half.
  std::unique_ptr<ReceiverHalf> (*make_receiver)(const double* values, double flow, Recorder& recorder);
  std::unique_ptr<SenderHalf> (*make_sender)(const double* values, double flow, std::uint64_t seed, Recorder& recorder);
};

// Null, with the last error set, if there is no controller with that number.
const ControllerSpec* FindController(int controller);

// Reads all parameters of a controller from `input` into `values` and checks them. False, with the last error
// set, if one is refused.
bool ReadParameters(const ControllerSpec& spec, const double* input, std::vector<double>& values);

}  // namespace ccscope

#endif  // CCSCOPE_ABI_CONTROLLERS_H_
