#include "cc/gcc/parameters.h"

#include <cstddef>
#include <cstring>

namespace ccscope::gcc {
namespace {

constexpr int IndexOf(std::size_t offset) { return static_cast<int>(offset / sizeof(double)); }
#define INDEX(name) IndexOf(offsetof(Parameters, name))

// In a preset's table, this index marks a BASED_ON entry. When Apply() reaches the entry, it applies the other preset.
constexpr int kBasedOn = -1;

enum PresetIndex {
#define PRESET(id, name, description) k_##id,
#define SET(name, value)
#define BASED_ON(id)
#define END_PRESET(id)
#include "cc/gcc/presets.def"
#undef PRESET
#undef SET
#undef BASED_ON
#undef END_PRESET
  kCount
};

#define PRESET(id, name, description) constexpr PresetValue values_##id[] = {
#define SET(name, value) {INDEX(name), value},
#define BASED_ON(id) {kBasedOn, k_##id},
// The extra entry keeps the array from being empty. kPresets excludes it from the count.
#define END_PRESET(id) \
  { INDEX(min_bitrate_bps), Parameters{}.min_bitrate_bps } \
  }                                                        \
  ;
#include "cc/gcc/presets.def"
#undef PRESET
#undef SET
#undef BASED_ON
#undef END_PRESET

void Apply(Parameters& parameters, const PresetSpec& preset) {
  for (int i = 0; i < preset.count; ++i) {
    const PresetValue& v = preset.values[i];
    if (v.parameter == kBasedOn) {
      Apply(parameters, kPresets[static_cast<int>(v.value)]);
    } else {
      Set(parameters, v.parameter, v.value);
    }
  }
}

}  // namespace

const ParameterSpec kParameterSpecs[kParameterCount] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "cc/gcc/parameters.def"
#undef PARAMETER
};

const PresetSpec kPresets[] = {
#define PRESET(id, name, description) \
  {name, values_##id, static_cast<int>(sizeof(values_##id) / sizeof(PresetValue)) - 1},
#define SET(name, value)
#define BASED_ON(id)
#define END_PRESET(id)
#include "cc/gcc/presets.def"
#undef PRESET
#undef SET
#undef BASED_ON
#undef END_PRESET
};
const int kPresetCount = kCount;

double Get(const Parameters& parameters, int index) {
  double value;
  std::memcpy(&value, reinterpret_cast<const char*>(&parameters) + sizeof(double) * static_cast<std::size_t>(index),
              sizeof value);
  return value;
}

void Set(Parameters& parameters, int index, double value) {
  std::memcpy(reinterpret_cast<char*>(&parameters) + sizeof(double) * static_cast<std::size_t>(index), &value,
              sizeof value);
}

Parameters WithPreset(int preset) {
  Parameters parameters;
  Apply(parameters, kPresets[preset]);
  return parameters;
}

}  // namespace ccscope::gcc
