// TCP's parameters as one flat struct, and what is known of each; both from parameters.def.
#ifndef CCSCOPE_SIM_TCP_PARAMETERS_H_
#define CCSCOPE_SIM_TCP_PARAMETERS_H_

#include "units/parameter.h"
#include "units/units.h"

namespace ccscope::tcp {

enum class CongestionControlKind { kCubic = 0, kNewReno = 1 };

struct Parameters {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/tcp/parameters.def"
#undef PARAMETER

  DataSize segment_size() const { return DataSize::Bytes(segment_size_bytes); }
  // What `auto` means for the kind of sender.
  bool UsesSack(CongestionControlKind kind) const {
    return sack == 0 ? kind == CongestionControlKind::kCubic : sack == 2;
  }
  bool UsesPrr(CongestionControlKind kind) const { return prr == 0 ? UsesSack(kind) : prr == 2; }
  bool IncreasesPerAck(CongestionControlKind kind) const {
    return increase_per == 0 ? kind == CongestionControlKind::kNewReno : increase_per == 1;
  }
};

inline constexpr int kParameterCount = static_cast<int>(sizeof(Parameters) / sizeof(double));

extern const ParameterSpec kParameterSpecs[kParameterCount];
extern const PresetSpec kPresets[];
extern const int kPresetCount;

// The defaults with the preset's values over them.
Parameters WithPreset(int preset);

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_PARAMETERS_H_
