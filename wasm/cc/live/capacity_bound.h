// An upper bound of the rate of a live call, from what its own frames show of the bottleneck
// (frame_capacity.h): for controllers whose own law sees a fall of the capacity, or a short queue, too late.
// ccscope's own addition to NADA and LCC; off unless the parameter capacity_bound is on.
#ifndef CCSCOPE_CC_LIVE_CAPACITY_BOUND_H_
#define CCSCOPE_CC_LIVE_CAPACITY_BOUND_H_

#include <optional>

#include "cc/controller.h"
#include "cc/live/frame_capacity.h"
#include "cc/live/room_for_drops.h"
#include "units/units.h"

namespace ccscope {

class CapacityBound {
 public:
  void OnFrame(const Arrival& arrival) { capacity_.OnFrame(arrival); }
  FrameCapacity& frame_capacity() { return capacity_; }
  // Share of the packets that were lost since the last time.
  void OnLoss(double fraction, Timestamp now);
  // Whether the capacity has fallen far below what was delivered lately: the sender is not to wait for the
  // next message that is due.
  bool HasFallen(DataRate delivered) const { return capacity_.FallenBelow(delivered).has_value(); }
  // Whether frames show that much of the capacity is unused, and no queue.
  bool ShowsRoom(DataRate delivered) const;
  // Less what drains a queue that is really there; nothing where no capacity is seen.
  std::optional<DataRate> Next(DataRate delivered, Timestamp now);

 private:
  void OnFall(DataRate fallen, DataRate delivered, Timestamp now);

  FrameCapacity capacity_;
  RoomForDrops room_;
  double loss_ = 0;
  Timestamp drained_at_ = Timestamp::MinusInfinity();  // when the backlog of a fall will be gone
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_CAPACITY_BOUND_H_
