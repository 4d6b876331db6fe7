// The fraction of the capacity that stays unused (the room) if frames repeatedly wait for a long time. On a link that
// pauses (Wi-Fi, mobile), a queue is left after each pause; the more room there is, the faster the queue drains. Queues
// caused by the rate of the flow itself are drained by other means (capacity_probe.h) and do not raise the room.
// Seconds with bunched frames do not raise the room either, since waits in these seconds are attributed to a busy
// machine that stamps frames late.
#ifndef CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_
#define CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_

#include "units/units.h"

namespace ccscope::gcc {

class RoomForWaits {
 public:
  // Call it for each frame. `wait`: how long the newest frames waited; `bunched`: FrameDispersion::IsBunched().
  void OnFrame(TimeDelta wait, bool bunched, Timestamp now);
  // Starts a new second at `now`. The unfinished second is not evaluated.
  void Restart(Timestamp now);
  // The fraction of the capacity to leave unused.
  double room() const { return room_; }

 private:
  double room_ = 0;
  double held_back_ = 0;  // room that is added only once enough seconds had many waits
  unsigned often_ = 0;  // one bit for each of the latest seconds: 1 if it had many waits; bit 0: the newest
  Timestamp second_began_ = Timestamp::MinusInfinity();
  int frames_ = 0;
  int long_waits_ = 0;
  int bunched_ = 0;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_ROOM_FOR_WAITS_H_
