// The controllers that the ABI can create. Their numbers follow their order in the schema.
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
  // `values` contains all parameters. The half writes its trace rows to `recorder`, which must outlive the half.
  std::unique_ptr<ReceiverHalf> (*make_receiver)(const double* values, double flow, Recorder& recorder);
  std::unique_ptr<SenderHalf> (*make_sender)(const double* values, double flow, std::uint64_t seed, Recorder& recorder);
};

// If there is no controller with that number, sets the last error and returns null.
const ControllerSpec* FindController(int controller);

// Reads all parameters of a controller from `input` into `values` and checks them. Sets the last error and returns
// false if a value is refused.
bool ReadParameters(const ControllerSpec& spec, const double* input, std::vector<double>& values);

}  // namespace ccscope

#endif  // CCSCOPE_ABI_CONTROLLERS_H_
