#include "sim/path.h"

#include <algorithm>
#include <utility>

namespace ccscope {

Path::Path(const Link::Params& link)
    : one_way_delay_(link.one_way_delay),
      loss_(link.loss_ratio, link.burst_loss_packets),
      jitter_(link.jitter),
      outages_(link.outages, link.seed),
      reordering_(link.reordering),
      random_(link.seed) {}

Path::Path(const Link::Params& link, std::unique_ptr<QueueDisc> queue) : Path(link) {
  link_ = std::make_unique<Link>(link, std::move(queue));
}

DropReason Path::Send(double id, DataSize size, int flow, Timestamp now) {
  if (link_) return link_->Enqueue(id, size, flow, now);
  if (loss_.Lose(random_)) return DropReason::kRandomLoss;
  const Timestamp sent = jitter_.active() ? jitter_.Release(now, random_) : now;
  const Packet packet{.id = id, .flow = flow, .size = size, .offered = now, .queued = sent};
  Timestamp deliver = outages_.Release(sent) + one_way_delay_;
  if (!propagating_.empty()) deliver = std::max(deliver, propagating_.back().deliver);
  propagating_.PushBack({packet, sent, deliver, TimeDelta::Zero(), reordering_.Hold(random_)});
  return DropReason::kNone;
}

void Path::SetOneWayDelay(TimeDelta delay, Timestamp now) {
  one_way_delay_ = delay;
  if (link_) link_->SetOneWayDelay(delay, now);
}

void Path::AdvanceTo(Timestamp now) {
  now_ = now;
  if (link_) link_->AdvanceTo(now);
}

const Link::Delivery* Path::NextDelivery() const {
  if (link_) return link_->NextDelivery();
  return !propagating_.empty() && propagating_.front().deliver <= now_ ? &propagating_.front() : nullptr;
}

void Path::PopDelivery() {
  if (link_) return link_->PopDelivery();
  propagating_.Pop();
}

Timestamp Path::NextEvent() const {
  if (link_) return link_->NextEvent();
  return propagating_.empty() ? Timestamp::PlusInfinity() : propagating_.front().deliver;
}

double Path::packets_inside() const {
  return link_ ? link_->packets_inside() : static_cast<double>(propagating_.size());
}

}  // namespace ccscope
