// How much of a capacity to leave unused where losses come. CoDel and its like drop while the queue is
// short, the less the more often it is empty: room helps. Losses that go on whatever room there is are the
// path's own: for a while they are not answered, but for the room that retransmissions need.
#ifndef CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_
#define CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_

#include "units/units.h"

namespace ccscope {

class RoomForDrops {
 public:
  // With each reading of the counters, or more often.
  void Update(bool lost, Timestamp now);
  // Share of the capacity.
  double room() const { return room_; }
  // Whether something was lost in the last `span`.
  bool LostIn(TimeDelta span, Timestamp now) const { return now - lost_at_ < span; }

 private:
  double room_ = 0;
  Timestamp lost_at_ = Timestamp::MinusInfinity();
  Timestamp updated_ = Timestamp::MinusInfinity();
  int lossy_seconds_ = 0;  // at the largest room
  Timestamp random_until_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_ROOM_FOR_DROPS_H_
