// Limits for draining a queue. To drain a queue, a controller requests less than the capacity that frames show
// (frame_capacity.h). All controllers use the same limits.
#ifndef CCSCOPE_CC_LIVE_DRAIN_LIMITS_H_
#define CCSCOPE_CC_LIVE_DRAIN_LIMITS_H_

#include "units/units.h"

namespace ccscope {

// Limits while it is not certain that there is a queue. If the rate is cut, at least this fraction of the delivered
// rate remains. If a queue is drained, at least this fraction of the rate remains.
inline constexpr double kLeastOfDelivered = 0.7;
// If it is certain that there is a queue, draining reduces the rate by at most this fraction, except after a fall of
// the capacity. VP8 would drop frames after a larger reduction.
inline constexpr double kMostOfDrain = 0.4;
// After a fall of the target, VP8 at first exceeds the new target: its rate-control buffer lets it send 0.4 s of video
// more. So after a fall of the capacity, only this fraction of the new rate is requested until the backlog is gone, but
// for at most kLongestDrain. The same fraction applies while a fall is suspected.
inline constexpr double kLeftWhileDraining = 0.12;
inline constexpr TimeDelta kLongestDrain = TimeDelta::Millis(800);

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_DRAIN_LIMITS_H_
