// The fraction of the capacity that stays unused (the room) when losses occur. CoDel and similar disciplines drop
// packets even while the queue is short. They drop less if the queue is often empty, so room helps. If losses continue
// although the room is large, they are attributed to the path. For a while, the room then shrinks to what
// retransmissions need.
#ifndef CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_
#define CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_

#include "units/units.h"

namespace ccscope {

class RoomForDrops {
 public:
  // Call it with each reading of the counters, or more often. `lost`: whether the latest reading shows losses.
  void Update(bool lost, Timestamp now);
  // The fraction of the capacity to leave unused.
  double room() const { return room_; }
  // Whether losses are attributed to the path, because they continued although the room was large.
  bool AreOfThePath(Timestamp now) const { return now < random_until_; }
  // Whether a packet was lost in the last `span`.
  bool LostIn(TimeDelta span, Timestamp now) const { return now - lost_at_ < span; }

 private:
  double room_ = 0;
  Timestamp lost_at_ = Timestamp::MinusInfinity();
  Timestamp updated_ = Timestamp::MinusInfinity();
  double lossy_seconds_ = 0;  // count of seconds with losses in spite of a large room (kLossySeconds)
  Timestamp random_until_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_
