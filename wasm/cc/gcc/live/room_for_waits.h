// How much of a capacity to leave unused where frames wait for long again and again: on a link that pauses
// (Wi-Fi, mobile), the queue of a pause is gone the sooner, the more there is left. Queues that the own rate
// made are drained (capacity_probe.h) and do not count. Seconds with bunched frames do not count either: there
// the machine is taken to be late, not the link.
#ifndef CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_
#define CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_

#include "units/units.h"

namespace ccscope::gcc {

class RoomForWaits {
 public:
  // With each frame: how long it waited at least, and whether it came bunched with the one before it.
  void OnFrame(TimeDelta wait, bool bunched, Timestamp now);
  // The second begins again: what was counted of it belongs to a queue that the flow's own rate made.
  void Restart(Timestamp now);
  // Share of the capacity.
  double room() const { return room_; }

 private:
  double room_ = 0;
  Timestamp second_began_ = Timestamp::MinusInfinity();
  int frames_ = 0;
  int long_waits_ = 0;
  int bunched_ = 0;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_
