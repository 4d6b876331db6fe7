// One direction of the network, shared by all flows. With a bottleneck, it is a Link. Without a bottleneck, it has no
// queue, but only loss, jitter, outages, delay and reordering.
#ifndef CCSCOPE_SIM_PATH_H_
#define CCSCOPE_SIM_PATH_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/impairments.h"
#include "sim/link.h"
#include "sim/outages.h"
#include "sim/packet.h"
#include "units/random.h"
#include "units/ring_buffer.h"
#include "units/units.h"

namespace ccscope {

class Path {
 public:
  // A path without a bottleneck. `link` provides the delay, loss, jitter, outages, reordering and seed.
  explicit Path(const Link::Params& link);
  Path(const Link::Params& link, std::unique_ptr<QueueDisc> queue);

  // Offers a packet. Returns the reason if it is dropped at once (NextDrop() then does not report it).
  DropReason Send(double id, DataSize size, int flow, Timestamp now);

  // Computes all events inside the path up to `now`. Afterwards, the functions below return the deliveries and drops
  // one at a time, in time order. They return null when there are no more.
  void AdvanceTo(Timestamp now);
  const Link::Delivery* NextDelivery() const;
  void PopDelivery();
  const Link::Drop* NextDrop() const { return link_ ? link_->NextDrop() : nullptr; }
  void PopDrop() { link_->PopDrop(); }
  // When to call AdvanceTo() next; infinity if nothing is in flight.
  Timestamp NextEvent() const;

  // Takes effect at `now`; no packet overtakes one that is already on its way.
  void SetOneWayDelay(TimeDelta delay, Timestamp now);

  bool has_bottleneck() const { return link_ != nullptr; }
  Link* link() { return link_.get(); }
  const Link* link() const { return link_.get(); }
  TimeDelta one_way_delay() const { return one_way_delay_; }
  double packets_inside() const;

 private:
  std::unique_ptr<Link> link_;
  TimeDelta one_way_delay_;
  RandomLoss loss_;
  Jitter jitter_;
  Outages outages_;
  Reordering reordering_;
  Random random_;
  RingBuffer<Link::Delivery> propagating_;
  Timestamp now_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_PATH_H_
