// GCC's parameters as one flat struct, and their specifications; both come from parameters.def.
#ifndef CCSCOPE_CC_GCC_PARAMETERS_H_
#define CCSCOPE_CC_GCC_PARAMETERS_H_

#include "cc/received_rate.h"
#include "units/parameter.h"
#include "units/units.h"

namespace ccscope::gcc {

// The values of the enumerated parameters.
enum class GroupBy { kSendTime, kFrame };
enum class PreFilter {
  kOff,
  kGrp,    // GRP, back-up slide: compares a packet with its predecessor
  kBurst,  // libwebrtc: compares a packet with the group
};
enum class NoiseVariance { kLiteral, kTimeScaled };
enum class IncreaseMode { kHybrid, kAdditive, kAdditiveTon, kMultiplicative, kAdaptiveEta };
enum class FilterAt { kReceiver, kSender };
enum class LossesFrom { kFeedback, kReceiverReports };
enum class LossIncreaseBase { kCurrent, kMinLastSecond };
enum class FollowsA_r { kOff, kOn, kFastStart };

struct Parameters {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "cc/gcc/parameters.def"
#undef PARAMETER

  IncreaseMode mode_of_increase() const { return Choice<IncreaseMode>(increase_mode); }
  RateSource rate_source() const { return Choice<RateSource>(received_rate_source); }
  FilterAt filters_at() const { return Choice<FilterAt>(filter_at); }
  bool losses_from_feedback() const { return Choice<LossesFrom>(losses_from) == LossesFrom::kFeedback; }
  TimeDelta received_rate_window() const { return TimeDelta::Millis(received_rate_window_ms); }
  TimeDelta rtt_before_known() const { return TimeDelta::Millis(initial_rtt_ms); }
  DataRate min_bitrate() const { return DataRate::BitsPerSec(min_bitrate_bps); }
  DataRate max_bitrate() const { return DataRate::BitsPerSec(max_bitrate_bps); }
  DataRate start_bitrate() const { return DataRate::BitsPerSec(start_bitrate_bps); }
};

inline constexpr int kParameterCount = static_cast<int>(sizeof(Parameters) / sizeof(double));

extern const ParameterSpec kParameterSpecs[kParameterCount];
extern const PresetSpec kPresets[];
extern const int kPresetCount;

double Get(const Parameters& parameters, int index);
void Set(Parameters& parameters, int index, double value);
// The defaults, overridden by the preset's values.
Parameters WithPreset(int preset);

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_PARAMETERS_H_
