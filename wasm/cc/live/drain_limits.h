// Limits, the same for all controllers, of how far a rate that is derived from frames (frame_capacity.h) may fall
// below the capacity to empty a queue.
#ifndef CCSCOPE_CC_LIVE_DRAIN_LIMITS_H_
#define CCSCOPE_CC_LIVE_DRAIN_LIMITS_H_

#include "units/units.h"

namespace ccscope {

// Unless there is a queue beyond doubt, a cut leaves at least this share of what was delivered, and draining leaves
// at least this share of the rate.
inline constexpr double kLeastOfDelivered = 0.7;
// Except after a fall of the capacity, draining a queue that exists beyond doubt takes at most this share off the
// rate: VP8 drops frames if more is taken.
inline constexpr double kMostOfDrain = 0.4;
// After a fall an encoder first fills its own buffer, which holds 0.4 s of the new rate (VP8). Until the backlog is
// gone, but for at most kLongestDrain, the encoder is asked for this share only.
inline constexpr double kLeftWhileDraining = 0.12;
inline constexpr TimeDelta kLongestDrain = TimeDelta::Millis(800);

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_DRAIN_LIMITS_H_
