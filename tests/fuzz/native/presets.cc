#include "tests/fuzz/native/presets.h"

#include <cstring>

#include "cc/gcc/parameters.h"
#include "cc/lcc/parameters.h"
#include "cc/nada/parameters.h"

namespace ccscope::fuzz {
namespace {

template <class Parameters>
std::vector<Values> ListOf(const std::vector<Parameters>& presets) {
  std::vector<Values> list;
  for (const Parameters& preset : presets) {
    list.emplace_back(sizeof preset / sizeof(double));
    std::memcpy(list.back().data(), &preset, sizeof preset);
  }
  return list;
}

std::vector<Values> GccPresets() {
  std::vector<gcc::Parameters> presets;
  for (int i = 0; i < gcc::kPresetCount; ++i) presets.push_back(gcc::WithPreset(i));
  return ListOf(presets);
}

#define PRESET(id, name, description) presets.emplace_back();
#define SET(name, value) presets.back().name = value;
#define END_PRESET(id)
std::vector<Values> NadaPresets() {
  std::vector<nada::Parameters> presets;
#include "cc/nada/presets.def"
  return ListOf(presets);
}

std::vector<Values> LccPresets() {
  std::vector<lcc::Parameters> presets;
#include "cc/lcc/presets.def"
  return ListOf(presets);
}
#undef PRESET
#undef SET
#undef END_PRESET

}  // namespace

const std::vector<Values>& PresetsOf(int controller) {
  static const std::vector<Values> all[kControllers] = {GccPresets(), NadaPresets(), LccPresets()};
  return all[controller];
}

}  // namespace ccscope::fuzz
