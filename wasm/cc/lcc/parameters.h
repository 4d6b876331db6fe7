// LCC's parameters as one flat struct, and their specifications; both come from parameters.def.
#ifndef CCSCOPE_CC_LCC_PARAMETERS_H_
#define CCSCOPE_CC_LCC_PARAMETERS_H_

#include "units/parameter.h"
#include "units/units.h"

namespace ccscope::lcc {

// The values of the enumerated parameters.
enum class DelaySample { kOneWay, kWait };
enum class SentRate { kTarget, kSent };
enum class CutFrom { kSent, kReceived };

struct Parameters {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "cc/lcc/parameters.def"
#undef PARAMETER

  DelaySample sample_of_delay() const { return Choice<DelaySample>(delay_sample); }
  bool has_capacity_bound() const { return IsOn(capacity_bound); }
  DataRate min_bitrate() const { return DataRate::BitsPerSec(min_bitrate_bps); }
  DataRate max_bitrate() const { return DataRate::BitsPerSec(max_bitrate_bps); }
  DataRate start_bitrate() const { return DataRate::BitsPerSec(start_bitrate_bps); }
};

inline constexpr int kParameterCount = static_cast<int>(sizeof(Parameters) / sizeof(double));

extern const ParameterSpec kParameterSpecs[kParameterCount];

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_PARAMETERS_H_
