// How much of the capacity to leave unused when losses occur. CoDel and similar disciplines drop packets even while
// the queue is short; the more often the queue is empty, the less they drop, so room helps. Losses that continue with
// a large room are attributed to the path: for a while, only the room that retransmissions need is then
// left.
#ifndef CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_
#define CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_

#include "units/units.h"

namespace ccscope {

class RoomForDrops {
 public:
  // To be called with each reading of the counters, or more often.
  void Update(bool lost, Timestamp now);
  // The share of the capacity to leave unused.
  double room() const { return room_; }
  // Whether losses are attributed to the path, because they continued with a large room.
  bool AreOfThePath(Timestamp now) const { return now < random_until_; }
  // Whether something was lost in the last `span`.
  bool LostIn(TimeDelta span, Timestamp now) const { return now - lost_at_ < span; }

 private:
  double room_ = 0;
  Timestamp lost_at_ = Timestamp::MinusInfinity();
  Timestamp updated_ = Timestamp::MinusInfinity();
  double lossy_seconds_ = 0;  // seconds with losses in spite of a large room, less a part of the quiet ones
  Timestamp random_until_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_
