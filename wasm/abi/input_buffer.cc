#include <cstddef>
#include <vector>

#include "abi/export.h"

namespace ccscope {
namespace {

// One buffer serves all calls, because the caller fills it immediately before each call that reads it.
std::vector<double>& Buffer() {
  static std::vector<double> buffer;
  return buffer;
}

}  // namespace

double* Input(int doubles) {
  const bool holds = doubles >= 0 && static_cast<std::size_t>(doubles) <= Buffer().size();
  return holds ? Buffer().data() : nullptr;
}

}  // namespace ccscope

CCSCOPE_FN(double*, ccs_input_buffer)(int doubles) {
  auto& buffer = ccscope::Buffer();
  const std::size_t size = doubles > 0 ? static_cast<std::size_t>(doubles) : 0;
  if (buffer.size() < size) buffer.resize(size);
  return buffer.data();
}
