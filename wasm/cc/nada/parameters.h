// NADA's parameters as one flat struct, and their specifications; both come from parameters.def.
#ifndef CCSCOPE_CC_NADA_PARAMETERS_H_
#define CCSCOPE_CC_NADA_PARAMETERS_H_

#include "cc/received_rate.h"
#include "units/parameter.h"
#include "units/units.h"

namespace ccscope::nada {

// The values of the enumerated parameters.
enum class DelaySample { kOneWay, kWait, kSinceEncoded };
enum class Filter { kMinimum, kMedian };
enum class Warping { kOff, kBehindLosses, kAlways };
enum class LossPenalty { kLinear, kQuadratic };
enum class RampUpWhile { kNoBuildUp, kLowSignal };
enum class Elapsed { kMeasured, kDelta };
enum class RampUpFloor { kNone, kRRef, kGradual };
enum class RampUpRtt { kLatest, kLeast };
enum class RateOrigin { kZero, kRmin };

struct Parameters {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "cc/nada/parameters.def"
#undef PARAMETER

  DelaySample sample_of_delay() const { return Choice<DelaySample>(delay_sample); }
  bool is_whole() const { return IsOn(resolution); }
  RateSource rate_source() const { return Choice<RateSource>(received_rate_source); }
  bool has_capacity_bound() const { return IsOn(capacity_bound); }
  DataRate min_bitrate() const { return DataRate::BitsPerSec(min_bitrate_bps); }
  // At least min_bitrate().
  DataRate max_bitrate() const {
    return DataRate::BitsPerSec(max_bitrate_bps < min_bitrate_bps ? min_bitrate_bps : max_bitrate_bps);
  }
  DataRate start_bitrate() const { return DataRate::BitsPerSec(start_bitrate_bps); }
  TimeDelta logwin() const { return TimeDelta::Millis(logwin_ms); }
  TimeDelta delta() const { return TimeDelta::Millis(delta_ms); }
};

inline constexpr int kParameterCount = static_cast<int>(sizeof(Parameters) / sizeof(double));

extern const ParameterSpec kParameterSpecs[kParameterCount];

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_PARAMETERS_H_
