// The presets of every controller. A preset lists all values, in the order of the controller's .def file.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_PRESETS_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_PRESETS_H_

#include <vector>

namespace ccscope::fuzz {

using Values = std::vector<double>;

inline constexpr int kControllers = 3;
// `controller`: its number in the schema.
const std::vector<Values>& PresetsOf(int controller);

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_PRESETS_H_
