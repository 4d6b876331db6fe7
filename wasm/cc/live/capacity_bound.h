// An upper bound on the rate of a live call, from the bottleneck capacity that its own frames show
// (frame_capacity.h). It is for controllers that notice a fall of the capacity, or a short queue, too late. The bound
// is ccscope's own addition to NADA and LCC; it is off unless the parameter capacity_bound is on.
#ifndef CCSCOPE_CC_LIVE_CAPACITY_BOUND_H_
#define CCSCOPE_CC_LIVE_CAPACITY_BOUND_H_

#include <optional>

#include "cc/controller.h"
#include "cc/live/encoder_share.h"
#include "cc/live/frame_capacity.h"
#include "cc/live/room_for_drops.h"
#include "units/units.h"

namespace ccscope {

class CapacityBound {
 public:
  void OnFrame(const Arrival& arrival) { capacity_.OnFrame(arrival); }
  FrameCapacity& frame_capacity() { return capacity_; }
  // `fraction`: the fraction of packets lost since the previous call.
  void OnLoss(double fraction, Timestamp now);
  // See FrameCapacity::IsUrgent().
  bool IsUrgent(DataRate delivered) const { return capacity_.IsUrgent(delivered); }
  // Whether frames show that much of the capacity is unused and that there is no queue.
  bool ShowsRoom(DataRate delivered) const;
  // The upper bound of the target rate; no value if no capacity is known. It is lower while a queue has to drain. It
  // may exceed the capacity, since an encoder leaves part of its target unused.
  std::optional<DataRate> Next(DataRate delivered, Timestamp now);

 private:
  void OnFall(DataRate fallen, DataRate delivered, Timestamp now);
  void ObserveEncoder(DataRate delivered, Timestamp now);
  DataRate Bound(DataRate delivered, Timestamp now);

  FrameCapacity capacity_;
  RoomForDrops room_;
  EncoderShare encoder_share_;  // relative to the bound; measured too low while the controller requests less
  DataRate bound_;
  Timestamp first_;
  Timestamp last_next_ = Timestamp::MinusInfinity();
  double loss_ = 0;
  Timestamp drained_at_ = Timestamp::MinusInfinity();  // end of the drain after a fall of the capacity
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_CAPACITY_BOUND_H_
