// How much of the capacity to leave unused when frames repeatedly wait for long: on a link that pauses (Wi-Fi,
// mobile), the queue that a pause leaves drains faster the more room there is. Queues caused by the flow's own rate
// are drained by other means (capacity_probe.h) and do not count. Seconds with bunched frames do not count either:
// they are attributed to a late machine, not to the link.
#ifndef CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_
#define CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_

#include "units/units.h"

namespace ccscope::gcc {

class RoomForWaits {
 public:
  // To be called for each frame, with its minimum wait and whether it came bunched with the frame before it.
  void OnFrame(TimeDelta wait, bool bunched, Timestamp now);
  // Discards the current second: it was shaped by a queue that the flow's own rate caused.
  void Restart(Timestamp now);
  // The share of the capacity to leave unused.
  double room() const { return room_; }

 private:
  double room_ = 0;
  double held_back_ = 0;  // room for waits that have not come often enough yet
  unsigned often_ = 0;  // a bit for each of the latest seconds, the newest lowest: whether frames waited often in it
  Timestamp second_began_ = Timestamp::MinusInfinity();
  int frames_ = 0;
  int long_waits_ = 0;
  int bunched_ = 0;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_
