// One direction of a path. The link does not read a clock: the caller passes the current time, and can query when
// something will happen next. Packets pass through five stages, each of which can be changed separately:
//
//   impairments (random loss, jitter) -> queue discipline -> capacity -> propagation delay -> reordering
//
// If a simulation requests it, jitter acts between propagation delay and reordering instead.
//
// Contract:
//  1. Every packet offered is delivered once, or dropped once.
//  2. Deliveries of a flow are reported in the order of its packets (with a FIFO discipline, also across flows). A
//     packet that is delayed by reordering is reported in this order too; Delivery::held says how much later it
//     arrives.
//  3. Results do not depend on how often or how late Poll() is called (with one exception: outages.h, kMostAtOnce).
//     Each event inside the link is computed at its own time, in time order. At equal times a transmission ends first,
//     then the capacity changes, then an outage begins or ends, then a packet reaches the queue.
//  4. If `now` is earlier than in a previous call, the latest `now` so far is used instead.
//
// Flows with numbers below 0 are cross traffic (loaded_link.h), which is counted separately.
#ifndef CCSCOPE_SIM_LINK_H_
#define CCSCOPE_SIM_LINK_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/capacity_link.h"
#include "sim/impairments.h"
#include "sim/outages.h"
#include "sim/packet.h"
#include "sim/queue_disc/queue_disc.h"
#include "units/random.h"
#include "units/ring_buffer.h"
#include "units/units.h"

namespace ccscope {

class Link final : private DropSink {
 public:
  struct Params {
    CapacityLink::Params bottleneck = {};
    TimeDelta one_way_delay = TimeDelta::Zero();
    double loss_ratio = 0;
    double burst_loss_packets = 1;  // mean length of a run of lost packets
    TimeDelta jitter = TimeDelta::Zero();  // standard deviation
    bool jitter_behind_queue = false;      // jitter acts after the propagation delay, not before the queue
    Outages::Params outages = {};
    Reordering::Params reordering = {};
    std::uint64_t seed = 1;
  };

  struct Delivery {
    Packet packet;
    Timestamp depart;   // when the last bit left the bottleneck
    Timestamp deliver;  // when it reaches the far end, unless reordering delays it
    TimeDelta queue_delay;
    TimeDelta held = TimeDelta::Zero();  // how much later it arrives because of reordering
  };
  struct Drop {
    Packet packet;
    Timestamp time;
    DropReason reason = DropReason::kNone;
  };

  // Counts of packets and bytes since the link was created.
  struct Stats {
    double offered_packets = 0;
    DataSize offered;
    double lost_packets = 0;     // by random loss
    double dropped_packets = 0;  // by the queue
    DataSize dropped;            // lost or dropped
    double departed_packets = 0;
    DataSize departed;  // through the bottleneck
    double delivered_packets = 0;
    DataSize delivered;  // to the far end

    // Packets that are not yet lost, dropped or delivered.
    double packets_inside() const { return offered_packets - lost_packets - dropped_packets - delivered_packets; }
  };

  Link(const Params& params, std::unique_ptr<QueueDisc> queue);

  // Offers a packet. Returns the reason if it is dropped at once (Poll() then does not report it).
  DropReason Enqueue(double id, DataSize size, int flow, Timestamp now);

  // Appends the packets that were delivered and dropped up to `now`, each list in time order.
  void Poll(Timestamp now, std::vector<Delivery>& deliveries, std::vector<Drop>& drops);
  // An alternative to Poll(): call AdvanceTo(), and then take the deliveries and drops one at a time. Null when there
  // are no more.
  const Delivery* NextDelivery() const {
    return !propagating_.empty() && propagating_.front().deliver <= now_ ? &propagating_.front() : nullptr;
  }
  void PopDelivery();
  const Drop* NextDrop() const { return drops_.empty() ? nullptr : &drops_.front(); }
  void PopDrop() { drops_.Pop(); }

  // When to call Poll() next: nothing is delivered before that time. Infinity if nothing is in flight.
  Timestamp NextEvent() const;
  // Like NextEvent(), for the caller's packets only.
  Timestamp NextEventOfCaller() const;

  // Changes of settings, which take effect at `now`.
  void SetCapacity(DataRate capacity, Timestamp now);  // zero is an outage
  void SetMode(CapacityLink::Mode mode, Timestamp now);
  void SetOneWayDelay(TimeDelta delay, Timestamp now);
  void SetLossRatio(double ratio, Timestamp now);
  void SetBurstLoss(double packets, Timestamp now);
  void SetJitter(TimeDelta deviation, Timestamp now);
  void SetOutages(const Outages::Params& outages, Timestamp now);
  // Applies to the caller's packets; cross traffic keeps its order.
  void SetReordering(Reordering::Params reordering, Timestamp now);
  // Waiting packets move to the new queue, which may drop some of them.
  void SetQueue(std::unique_ptr<QueueDisc> queue, Timestamp now);

  // Schedules a change of the capacity. Changes must be added in time order. A change in the past takes effect at the
  // latest `now` so far.
  void ScheduleCapacity(Timestamp at, DataRate capacity);
  void ClearSchedule() { schedule_.Clear(); }

  // The highest capacity, current or scheduled.
  DataRate HighestCapacity() const;

  const Stats& stats() const { return stats_[0]; }
  const Stats& cross_stats() const { return stats_[1]; }
  TimeDelta one_way_delay() const { return one_way_delay_; }
  // The capacity as it was set; an outage of the channel does not change this value.
  DataRate capacity() const { return capacity_; }
  double queue_packets() const { return queue_->stats().packets; }
  DataSize queue_size() const { return queue_->stats().bytes; }
  // How long a packet that arrived at `now` would wait for its transmission.
  TimeDelta QueueDelay(Timestamp now);
  // Packets between Enqueue() and Poll(), at any stage.
  double packets_inside() const;

  // Computes all events inside the link up to `now`.
  void AdvanceTo(Timestamp now);

 private:
  struct CapacityChange {
    Timestamp at;
    DataRate capacity;
  };

  Stats& StatsOf(int flow) { return stats_[flow < 0 ? 1 : 0]; }
  // A lower bound of the next delivery time of packets that have not left the bottleneck yet.
  Timestamp NextBehindBottleneck() const;
  void OnDrop(const Packet& packet, DropReason reason, Timestamp now) override;
  void ArriveAtQueue(Packet packet, Timestamp now);
  void ApplyCapacity(DataRate capacity, Timestamp now);
  void ToggleOutage();
  void StartOutagesAgain(Timestamp from);
  void StartNext(Timestamp now);
  void FinishTransmission();

  TimeDelta one_way_delay_;
  RandomLoss loss_;
  Jitter jitter_;
  bool jitter_behind_queue_;
  Reordering reordering_;
  Random random_;
  RingBuffer<Packet> jittered_;  // delayed by jitter; Packet::queued: when the packet will reach the queue
  std::unique_ptr<QueueDisc> queue_;
  DataRate capacity_;
  CapacityLink bottleneck_;
  Outages outages_;
  RingBuffer<CapacityChange> schedule_;
  RingBuffer<Delivery> propagating_;
  RingBuffer<Drop> drops_;
  Timestamp now_ = Timestamp::MinusInfinity();
  Stats stats_[2];  // [0]: the caller's packets; [1]: cross traffic
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_LINK_H_
