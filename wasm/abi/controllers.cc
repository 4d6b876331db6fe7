#include "abi/controllers.h"

#include "abi/export.h"
#include "abi/user_controller.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/live/live_rules.h"
#include "cc/gcc/sender.h"
#include "cc/lcc/parameters.h"
#include "cc/lcc/receiver.h"
#include "cc/lcc/sender.h"
#include "cc/nada/parameters.h"
#include "cc/nada/receiver.h"
#include "cc/nada/sender.h"

namespace ccscope {
namespace {

constexpr ControllerSpec kGcc{
    gcc::kParameterSpecs, gcc::kParameterCount,
    [](const double* values, double flow, Recorder& recorder) -> std::unique_ptr<ReceiverHalf> {
      return gcc::MakeReceiver(ParamsFromValues<gcc::Parameters>(values), flow, recorder);
    },
    [](const double* values, double flow, std::uint64_t, Recorder& recorder) -> std::unique_ptr<SenderHalf> {
      return std::make_unique<gcc::Sender>(ParamsFromValues<gcc::Parameters>(values), flow, recorder);
    }};

constexpr ControllerSpec kNada{
    nada::kParameterSpecs, nada::kParameterCount,
    [](const double* values, double flow, Recorder& recorder) -> std::unique_ptr<ReceiverHalf> {
      return std::make_unique<nada::Receiver>(ParamsFromValues<nada::Parameters>(values), flow, recorder);
    },
    [](const double* values, double, std::uint64_t, Recorder&) -> std::unique_ptr<SenderHalf> {
      return std::make_unique<nada::Sender>(ParamsFromValues<nada::Parameters>(values));
    }};

constexpr ControllerSpec kLcc{
    lcc::kParameterSpecs, lcc::kParameterCount,
    [](const double* values, double flow, Recorder& recorder) -> std::unique_ptr<ReceiverHalf> {
      return std::make_unique<lcc::Receiver>(ParamsFromValues<lcc::Parameters>(values), flow, recorder);
    },
    [](const double* values, double flow, std::uint64_t seed, Recorder& recorder) -> std::unique_ptr<SenderHalf> {
      return std::make_unique<lcc::Sender>(ParamsFromValues<lcc::Parameters>(values), flow, seed, recorder);
    }};

// To add a controller, add it here and add its lines in schema.cc.
constexpr const ControllerSpec* kControllers[] = {&kGcc, &kNada, &kLcc};
constexpr int kControllerCount = static_cast<int>(sizeof(kControllers) / sizeof(kControllers[0]));

}  // namespace

const ControllerSpec* FindController(int controller) {
  if (controller == kUserController) return &kUserControllerSpec;
  if (controller >= 0 && controller < kControllerCount) return kControllers[controller];
  return Fail("controller", "expected one of the controllers that the schema lists"), nullptr;
}

bool ReadParameters(const ControllerSpec& spec, const double* input, std::vector<double>& values) {
  if (input == nullptr) return Fail("parameters", "expected a value for each parameter of the controller"), false;
  if (const auto error = CheckValues(spec.parameters, spec.parameter_count, input, spec.parameter_count)) {
    return FailIn("parameters", error.field, error.expectation), false;
  }
  values.assign(input, input + spec.parameter_count);
  return true;
}

}  // namespace ccscope
