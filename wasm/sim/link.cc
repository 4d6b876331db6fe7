#include "sim/link.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ccscope {

Link::Link(const Params& params, std::unique_ptr<QueueDisc> queue)
    : one_way_delay_(params.one_way_delay),
      loss_(params.loss_ratio, params.burst_loss_packets),
      jitter_(params.jitter),
      jitter_behind_queue_(params.jitter_behind_queue),
      reordering_(params.reordering),
      random_(params.seed),
      queue_(std::move(queue)),
      capacity_(params.bottleneck.capacity),
      bottleneck_(params.bottleneck),
      outages_(params.outages, params.seed) {
  queue_->OnCapacity(bottleneck_.capacity());
}

DropReason Link::Enqueue(double id, DataSize size, int flow, Timestamp now) {
  AdvanceTo(now);
  Packet packet{.id = id, .flow = flow, .size = size, .offered = now_, .queued = now_};
  Stats& stats = StatsOf(flow);
  ++stats.offered_packets;
  stats.offered += size;
  if (loss_.Lose(random_)) {
    ++stats.lost_packets;
    stats.dropped += size;
    return DropReason::kRandomLoss;
  }
  if (!jitter_behind_queue_ && (jitter_.active() || !jittered_.empty())) {
    packet.queued = jitter_.Release(now_, random_);
    if (packet.queued > now_ || !jittered_.empty()) {
      jittered_.PushBack(packet);
      return DropReason::kNone;
    }
  }
  ArriveAtQueue(packet, now_);
  // The queue may have dropped a different packet, so both id and flow are compared: packets of different flows may
  // have the same id.
  if (drops_.empty() || drops_.back().packet.id != id || drops_.back().packet.flow != flow) return DropReason::kNone;
  return drops_.PopBack().reason;
}

void Link::ArriveAtQueue(Packet packet, Timestamp now) {
  packet.queued = now;
  queue_->Enqueue(packet, now, *this);
  StartNext(now);
}

void Link::StartNext(Timestamp now) {
  if (bottleneck_.busy() || outages_.down()) return;
  if (const auto packet = queue_->Dequeue(now, *this)) bottleneck_.Start(*packet, now);
}

void Link::FinishTransmission() {
  const CapacityLink::Sent sent = bottleneck_.Finish();
  Stats& stats = StatsOf(sent.packet.flow);
  ++stats.departed_packets;
  stats.departed += sent.packet.size;
  Timestamp deliver = sent.depart + one_way_delay_;
  if (jitter_behind_queue_) deliver = jitter_.Release(deliver, random_);
  if (!propagating_.empty()) deliver = std::max(deliver, propagating_.back().deliver);
  const TimeDelta held = sent.packet.flow < 0 ? TimeDelta::Zero() : reordering_.Hold(random_);
  propagating_.PushBack({sent.packet, sent.depart, deliver, sent.queue_delay, held});
  StartNext(sent.depart);
}

void Link::AdvanceTo(Timestamp now) {
  now_ = std::max(now_, now);
  for (int toggles = 0;;) {
    constexpr Timestamp kNever = Timestamp::PlusInfinity();
    const Timestamp sent = bottleneck_.completion();
    const Timestamp changed = schedule_.empty() ? kNever : schedule_.front().at;
    const Timestamp toggled = outages_.next();
    const Timestamp arrived = jittered_.empty() ? kNever : jittered_.front().queued;
    const Timestamp next = std::min({sent, changed, toggled, arrived});
    if (next > now_ || next == kNever) return;
    if (sent == next) {
      FinishTransmission();
    } else if (changed == next) {
      ApplyCapacity(schedule_.PopFront().capacity, next);
    } else if (toggled == next && ++toggles > Outages::kMostAtOnce) {
      StartOutagesAgain(next);
    } else if (toggled == next) {
      ToggleOutage();
    } else {
      ArriveAtQueue(jittered_.PopFront(), next);
    }
  }
}

void Link::Poll(Timestamp now, std::vector<Delivery>& deliveries, std::vector<Drop>& drops) {
  AdvanceTo(now);
  for (; const Delivery* delivery = NextDelivery(); PopDelivery()) deliveries.push_back(*delivery);
  for (; const Drop* drop = NextDrop(); PopDrop()) drops.push_back(*drop);
}

void Link::PopDelivery() {
  const Packet& packet = propagating_.front().packet;
  Stats& stats = StatsOf(packet.flow);
  ++stats.delivered_packets;
  stats.delivered += packet.size;
  propagating_.Pop();
}

Timestamp Link::NextEvent() const {
  if (!drops_.empty()) return now_;
  return propagating_.empty() ? NextBehindBottleneck() : propagating_.front().deliver;
}

Timestamp Link::NextEventOfCaller() const {
  if (stats().packets_inside() <= 0) return Timestamp::PlusInfinity();
  for (std::size_t i = 0; i < propagating_.size(); ++i) {
    if (propagating_[i].packet.flow >= 0) return propagating_[i].deliver;
  }
  return NextBehindBottleneck();
}

Timestamp Link::NextBehindBottleneck() const {
  Timestamp next = bottleneck_.completion() + one_way_delay_;
  if (bottleneck_.busy() && !schedule_.empty()) next = std::min(next, schedule_.front().at);
  if (outages_.down() && (bottleneck_.busy() || queue_->stats().packets > 0)) next = std::min(next, outages_.next());
  if (!jittered_.empty()) next = std::min(next, jittered_.front().queued);
  return next;
}

void Link::SetCapacity(DataRate capacity, Timestamp now) {
  AdvanceTo(now);
  ApplyCapacity(capacity, now_);
}

void Link::ApplyCapacity(DataRate capacity, Timestamp now) {
  capacity_ = capacity;
  bottleneck_.SetCapacity(outages_.down() ? DataRate::Zero() : capacity, now);
  queue_->OnCapacity(capacity);
}

// Does not call the queue's OnCapacity(): an outage of the channel does not change a limit that is given as a time.
void Link::ToggleOutage() {
  const Timestamp now = outages_.next();
  outages_.Toggle();
  bottleneck_.SetCapacity(outages_.down() ? DataRate::Zero() : capacity_, now);
  StartNext(now);
}

// Called if one call of AdvanceTo() would have to compute too many outages (Outages::kMostAtOnce). The channel carries
// packets from `from` on. The next outage begins after now_.
void Link::StartOutagesAgain(Timestamp from) {
  outages_.StartAgain(now_);
  bottleneck_.SetCapacity(capacity_, from);
  StartNext(from);
}

void Link::SetMode(CapacityLink::Mode mode, Timestamp now) {
  AdvanceTo(now);
  bottleneck_.SetMode(mode, now_);
}

void Link::SetOneWayDelay(TimeDelta delay, Timestamp now) {
  AdvanceTo(now);
  one_way_delay_ = delay;
}

void Link::SetLossRatio(double ratio, Timestamp now) {
  AdvanceTo(now);
  loss_.Set(ratio, loss_.burst());
}

void Link::SetBurstLoss(double packets, Timestamp now) {
  AdvanceTo(now);
  loss_.Set(loss_.ratio(), packets);
}

void Link::SetJitter(TimeDelta deviation, Timestamp now) {
  AdvanceTo(now);
  jitter_.SetDeviation(deviation);
}

void Link::SetOutages(const Outages::Params& outages, Timestamp now) {
  AdvanceTo(now);
  outages_.Restart(outages, now_);
  bottleneck_.SetCapacity(capacity_, now_);
  StartNext(now_);
}

void Link::SetReordering(Reordering::Params reordering, Timestamp now) {
  AdvanceTo(now);
  reordering_.Set(reordering);
}

void Link::SetQueue(std::unique_ptr<QueueDisc> queue, Timestamp now) {
  AdvanceTo(now);
  queue->OnCapacity(capacity_ > DataRate::Zero() ? capacity_ : bottleneck_.nominal_capacity());
  while (const auto packet = queue_->Dequeue(now_, *this)) queue->Enqueue(*packet, now_, *this);
  queue_ = std::move(queue);
}

void Link::ScheduleCapacity(Timestamp at, DataRate capacity) {
  // The time up to now_ has been computed already.
  at = std::max(at, now_);
  assert(schedule_.empty() || schedule_.back().at <= at);
  schedule_.PushBack({at, capacity});
}

DataRate Link::HighestCapacity() const {
  DataRate highest = capacity_;
  for (std::size_t i = 0; i < schedule_.size(); ++i) highest = std::max(highest, schedule_[i].capacity);
  return highest;
}

TimeDelta Link::QueueDelay(Timestamp now) {
  AdvanceTo(now);
  return bottleneck_.WaitingTime(queue_->stats().bytes, now_);
}

double Link::packets_inside() const {
  return static_cast<double>(jittered_.size()) + queue_->stats().packets + (bottleneck_.busy() ? 1 : 0) +
         static_cast<double>(propagating_.size());
}

void Link::OnDrop(const Packet& packet, DropReason reason, Timestamp now) {
  Stats& stats = StatsOf(packet.flow);
  ++stats.dropped_packets;
  stats.dropped += packet.size;
  drops_.PushBack({packet, now, reason});
}

}  // namespace ccscope
