// TCP's parameters as one flat struct, and their specifications; both come from parameters.def.
#ifndef CCSCOPE_SIM_TCP_PARAMETERS_H_
#define CCSCOPE_SIM_TCP_PARAMETERS_H_

#include "units/parameter.h"
#include "units/units.h"

namespace ccscope::tcp {

enum class CongestionControlKind { kCubic = 0, kNewReno = 1 };

// The values of the enumerated parameters.
enum class IncreasePer { kAuto, kAck, kSegment };
enum class TargetAhead { kSrtt, kMinRtt };
enum class HyStartBy { kOff, kAckTrain, kDelay, kBoth };
enum class OffOrOn { kAuto, kOff, kOn };
enum class LossDetection { kRfc6675, kFack };
enum class PartialAckTimer { kImpatient, kSlowButSteady };
enum class RtoMinOf { kRto, kVariance };

struct Parameters {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/tcp/parameters.def"
#undef PARAMETER

  DataSize segment_size() const { return DataSize::Bytes(segment_size_bytes); }
  // Whether the sender uses SACK. `auto`: yes for CUBIC, no for NewReno.
  bool UsesSack(CongestionControlKind kind) const {
    return Means(sack, kind == CongestionControlKind::kCubic);
  }
  bool UsesPrr(CongestionControlKind kind) const { return Means(prr, UsesSack(kind)); }
  bool IncreasesPerAck(CongestionControlKind kind) const {
    const auto per = Choice<IncreasePer>(increase_per);
    return per == IncreasePer::kAuto ? kind == CongestionControlKind::kNewReno : per == IncreasePer::kAck;
  }
  HyStartBy starts_by() const { return Choice<HyStartBy>(hystart); }
  bool bounds_whole_rto() const { return Choice<RtoMinOf>(rto_min_of) == RtoMinOf::kRto; }

 private:
  static bool Means(double choice, bool automatic) {
    return Choice<OffOrOn>(choice) == OffOrOn::kAuto ? automatic : Choice<OffOrOn>(choice) == OffOrOn::kOn;
  }
};

inline constexpr int kParameterCount = static_cast<int>(sizeof(Parameters) / sizeof(double));

extern const ParameterSpec kParameterSpecs[kParameterCount];
extern const PresetSpec kPresets[];
extern const int kPresetCount;

// The defaults, overridden by the preset's values.
Parameters WithPreset(int preset);

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_PARAMETERS_H_
