#include "sim/loaded_link.h"

#include <algorithm>
#include <utility>

namespace ccscope {
namespace {

constexpr std::uint64_t kStream = 0x43726f7373547266;
constexpr int kKinds = 2;
constexpr int kPlaces = kKinds * LoadedLink::kMaxFlowsOfAKind;
// With cross traffic, NextEvent() returns a time at most this far ahead. At kMaxCapacity, the events of this period
// take about a millisecond to compute.
constexpr TimeDelta kLongestStep = TimeDelta::Millis(50);

Link::Params WithoutOutages(Link::Params params) {
  params.outages = {};
  return params;
}

}  // namespace

LoadedLink::LoadedLink(const Link::Params& params, std::unique_ptr<QueueDisc> queue)
    : link_(WithoutOutages(params), std::move(queue)), seeds_(params.seed ^ kStream), outages_(params.outages) {}

// Starts outages and connections. Called at the first finite time that a caller passes to this link.
void LoadedLink::Begin() {
  begun_ = true;
  if (outages_.mean_off > TimeDelta::Zero()) link_.SetOutages(outages_, now_);
  SetCrossTraffic(cross_traffic_, now_);
}

DropReason LoadedLink::Enqueue(double id, DataSize size, int flow, Timestamp now) {
  return At(now).Enqueue(id, size, flow, now_);
}

void LoadedLink::Poll(Timestamp now, std::vector<Link::Delivery>& deliveries, std::vector<Link::Drop>& drops) {
  RunUntil(now);
  for (; !deliveries_.empty(); deliveries_.Pop()) deliveries.push_back(deliveries_.front());
  for (; !drops_.empty(); drops_.Pop()) drops.push_back(drops_.front());
}

Timestamp LoadedLink::NextEvent() const {
  if (!drops_.empty()) return now_;
  if (!deliveries_.empty()) return deliveries_.front().deliver;
  if (connections_.empty()) return link_.NextEvent();
  return std::min(link_.NextEventOfCaller(), now_ + kLongestStep);
}

Link& LoadedLink::At(Timestamp now) {
  RunUntil(now);
  return link_;
}

void LoadedLink::SetOutages(const Outages::Params& outages, Timestamp now) {
  RunUntil(now);
  outages_ = outages;
  if (begun_) link_.SetOutages(outages, now_);
}

void LoadedLink::SetCrossRtt(TimeDelta rtt, Timestamp now) {
  RunUntil(now);
  cross_rtt_ = rtt;
}

void LoadedLink::SetCrossTraffic(const CrossTraffic& wanted, Timestamp now) {
  RunUntil(now);
  cross_traffic_ = wanted;
  if (!begun_) return;
  connections_.resize(static_cast<std::size_t>(kKinds * std::max(wanted.cubic, wanted.new_reno)));
  for (std::size_t place = 0; place < connections_.size(); ++place) {
    const int count = place % kKinds == 0 ? wanted.cubic : wanted.new_reno;
    const bool exists = connections_[place].flow != nullptr;
    if (exists && static_cast<int>(place) / kKinds >= count) connections_[place] = {};
    if (!exists && static_cast<int>(place) / kKinds < count) Begin(place);
  }
}

void LoadedLink::Begin(std::size_t place) {
  Connection& connection = connections_[place];
  connection.timers.fill(Timestamp::PlusInfinity());
  connection.number = -1 - (connections_made_ * kPlaces + static_cast<int>(place));
  connections_made_ = (connections_made_ + 1) % (1 << 20);
  TcpFlow::Params params;
  params.congestion_control = static_cast<tcp::CongestionControlKind>(place % kKinds);
  FlowParams flow;
  flow.start = now_;
  FlowNetwork& network = *this;
  connection.flow = std::make_unique<TcpFlow>(flow, params, static_cast<int>(place), 0, seeds_.Next(), network);
  connection.flow->Begin();
}

// The connection that a packet or an ACK belongs to; null if it has ended.
LoadedLink::Connection* LoadedLink::Find(int number) {
  const auto place = static_cast<std::size_t>((-1 - number) % kPlaces);
  if (place >= connections_.size() || connections_[place].number != number) return nullptr;
  return &connections_[place];
}

bool LoadedLink::Send(const Flow& flow, Leg leg, std::uint32_t id, DataSize size, Timestamp now) {
  const int number = connections_[static_cast<std::size_t>(flow.index())].number;
  if (leg == Leg::kData) return link_.Enqueue(id, size, number, now) == DropReason::kNone;
  Timestamp arrival = now + return_delay();
  if (!acks_.empty()) arrival = std::max(arrival, acks_.back().arrival);
  acks_.PushBack({arrival, number, id});
  return true;
}

void LoadedLink::SetTimer(int flow, int timer, Timestamp at) {
  connections_[static_cast<std::size_t>(flow)].timers[static_cast<std::size_t>(timer)] = at;
  next_timer_ = std::min(next_timer_, at);
}

Timestamp LoadedLink::NextInside() const {
  const Timestamp next = std::min(link_.NextEvent(), next_timer_);
  return acks_.empty() ? next : std::min(next, acks_.front().arrival);
}

void LoadedLink::RunUntil(Timestamp now) {
  const Timestamp end = std::max(now_, now);
  if (!begun_ && end.IsFinite()) {
    now_ = end;
    Begin();
  }
  int events = 0;
  for (Timestamp next = NextInside(); next <= end && next.IsFinite(); next = NextInside()) {
    if (++events > kMostEventsAtOnce) return LeaveOutUntil(end);
    now_ = std::max(now_, next);
    RunLink();
    RunAcks();
    RunTimers();
  }
  now_ = end;
  RunLink();
}

void LoadedLink::RunLink() {
  link_.AdvanceTo(now_);
  for (; const Link::Drop* drop = link_.NextDrop(); link_.PopDrop()) {
    const Packet& packet = drop->packet;
    if (packet.flow >= 0) {
      drops_.PushBack(*drop);
    } else if (Connection* connection = Find(packet.flow)) {
      connection->flow->OnDropped(Leg::kData, static_cast<std::uint32_t>(packet.id), now_);
    }
  }
  while (const Link::Delivery* next = link_.NextDelivery()) {
    const Link::Delivery delivery = *next;
    link_.PopDelivery();
    if (delivery.packet.flow >= 0) {
      deliveries_.PushBack(delivery);
    } else if (Connection* connection = Find(delivery.packet.flow)) {
      const auto id = static_cast<std::uint32_t>(delivery.packet.id);
      connection->flow->OnDelivered(Leg::kData, id, delivery.queue_delay, now_);
    }
  }
}

void LoadedLink::RunAcks() {
  while (!acks_.empty() && acks_.front().arrival <= now_) {
    const ReturningAck ack = acks_.PopFront();
    if (Connection* connection = Find(ack.number)) {
      connection->flow->OnDelivered(Leg::kReturn, ack.id, TimeDelta::Zero(), now_);
    }
  }
}

void LoadedLink::RunTimers() {
  if (next_timer_ > now_) return;
  next_timer_ = Timestamp::PlusInfinity();
  for (Connection& connection : connections_) {
    for (int timer = 0; connection.flow && timer < Flow::kTimers; ++timer) {
      Timestamp& at = connection.timers[static_cast<std::size_t>(timer)];
      if (at > now_) continue;
      at = Timestamp::PlusInfinity();
      connection.flow->OnTimer(timer, now_);
    }
  }
  for (const Connection& connection : connections_) {
    for (int timer = 0; connection.flow && timer < Flow::kTimers; ++timer) {
      next_timer_ = std::min(next_timer_, connection.timers[static_cast<std::size_t>(timer)]);
    }
  }
}

// Ends all connections and starts new ones at `end`. The packets of ended connections still pass through the link and
// are then discarded.
void LoadedLink::LeaveOutUntil(Timestamp end) {
  connections_.clear();
  acks_.Clear();
  next_timer_ = Timestamp::PlusInfinity();
  now_ = end;
  RunLink();
  SetCrossTraffic(cross_traffic_, end);
}

}  // namespace ccscope
