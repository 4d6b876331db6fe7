#include "sim/tcp/parameters.h"

#include <cstddef>
#include <cstring>

namespace ccscope::tcp {
namespace {

constexpr int IndexOf(std::size_t offset) { return static_cast<int>(offset / sizeof(double)); }

#define PRESET(id, name, description) constexpr PresetValue values_##id[] = {
#define SET(name, value) {IndexOf(offsetof(Parameters, name)), value},
// The extra entry {0, 0} keeps the array from being empty. kPresets excludes it from the count.
#define END_PRESET(id) \
  { 0, 0 }             \
  }                    \
  ;
#include "sim/tcp/presets.def"
#undef PRESET
#undef SET
#undef END_PRESET

}  // namespace

const ParameterSpec kParameterSpecs[kParameterCount] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/tcp/parameters.def"
#undef PARAMETER
};

const PresetSpec kPresets[] = {
#define PRESET(id, name, description) \
  {name, values_##id, static_cast<int>(sizeof(values_##id) / sizeof(PresetValue)) - 1},
#define SET(name, value)
#define END_PRESET(id)
#include "sim/tcp/presets.def"
#undef PRESET
#undef SET
#undef END_PRESET
};
const int kPresetCount = static_cast<int>(sizeof(kPresets) / sizeof(kPresets[0]));

Parameters WithPreset(int preset) {
  Parameters parameters;
  const PresetSpec& spec = kPresets[preset];
  for (int i = 0; i < spec.count; ++i) {
    const PresetValue& v = spec.values[i];
    std::memcpy(reinterpret_cast<char*>(&parameters) + sizeof(double) * static_cast<std::size_t>(v.parameter),
                &v.value, sizeof v.value);
  }
  return parameters;
}

}  // namespace ccscope::tcp
