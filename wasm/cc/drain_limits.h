// How far a rate that follows frames (frame_capacity.h) may fall below the capacity to empty a queue, whoever
// decides.
#ifndef CCSCOPE_CC_DRAIN_LIMITS_H_
#define CCSCOPE_CC_DRAIN_LIMITS_H_

#include "units/units.h"

namespace ccscope {

// Without a queue that is beyond doubt, no cut leaves less of what was delivered.
inline constexpr double kLeastOfDelivered = 0.7;
// A queue beyond doubt costs at most this share of the rate: VP8 drops frames where it is left much less.
inline constexpr double kMostOfDrain = 0.4;
// An encoder fills its own buffer before it makes smaller frames, as large as 0.4 s of the new rate (VP8): until the
// backlog of a fall is gone it is asked for this share, for so long at most.
inline constexpr double kLeftWhileDraining = 0.12;
inline constexpr TimeDelta kLongestDrain = TimeDelta::Millis(800);

}  // namespace ccscope

#endif  // CCSCOPE_CC_DRAIN_LIMITS_H_
