#include "sim/simulation.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace ccscope {
namespace {

// A flow has converged when it receives this fraction of its fair share of the capacity.
constexpr double kConverged = 0.9;

}  // namespace

Simulation::Simulation(const Params& params) : params_(params), seeds_(params.seed) {
  rate_tick_ = AddSource(kRateTick, 0, 0);
  trace_tick_ = AddSource(kTraceTick, 0, 0);
  for (int i = 0; i < 2; ++i) {
    paths_[static_cast<std::size_t>(i)].source = AddSource(kPathEvent, i, 0);
    SetPath(static_cast<Direction>(i), Link::Params(), nullptr);
  }
  first_flow_source_ = static_cast<EventQueue::Source>(sources_.size());
  recorder_.KeepOnly(0);
  AddWindow({Timestamp(), Timestamp() + params.duration});
}

EventQueue::Source Simulation::AddSource(SourceKind kind, int index, int which, Flow* flow) {
  sources_.push_back({kind, index, which, flow});
  return event_queue_.Add();
}

void Simulation::SetPath(Direction direction, Link::Params link, std::unique_ptr<QueueDisc> queue) {
  link.seed = NextSeed();
  PathSlot& path = slot(direction);
  path.capacity.clear();
  if (queue) {
    path.capacity.push_back({Timestamp(), link.bottleneck.capacity});
    path.path = std::make_unique<Path>(link, std::move(queue));
  } else {
    path.path = std::make_unique<Path>(link);
  }
}

void Simulation::ScheduleCapacity(Direction direction, Timestamp at, DataRate capacity) {
  PathSlot& path = slot(direction);
  assert(path.path->has_bottleneck());
  path.capacity.push_back({at, capacity});
  path.path->link()->ScheduleCapacity(at, capacity);
}

int Simulation::AddWindow(const Window& window) {
  assert(flows_.empty());
  windows_.emplace_back();
  windows_.back().span = window;
  return windows() - 1;
}

int Simulation::AddFlow(std::unique_ptr<Flow> flow) {
  const int index = flows();
  FlowSlot& slot = flows_.emplace_back();
  slot.flow = std::move(flow);
  for (int timer = 0; timer < Flow::kTimers; ++timer) AddSource(kFlowTimer, index, timer, slot.flow.get());
  for (int lane = 0; lane < kLanes; ++lane) AddSource(kLane, index, lane, slot.flow.get());
  return index;
}

int Simulation::AddMediaFlow(const FlowParams& params, const MediaSource::Params& source, std::vector<Window> pauses,
                             MediaFlow::Controller controller) {
  return AddFlow(std::make_unique<MediaFlow>(params, source, std::move(pauses), std::move(controller), flows(),
                                             windows(), NextSeed(), network(), recorder_));
}

int Simulation::AddLiveFlow(const FlowParams& params, const MediaSource::Params& source, const live::Parameters& live,
                            MediaFlow::Controller controller) {
  return AddFlow(std::make_unique<live::LiveFlow>(params, source, live, std::move(controller), flows(), windows(),
                                                  NextSeed(), network(), recorder_));
}

int Simulation::AddTcpFlow(const FlowParams& params, const TcpFlow::Params& tcp) {
  return AddFlow(std::make_unique<TcpFlow>(params, tcp, flows(), windows(), NextSeed(), network()));
}

void Simulation::SetTrace(std::uint32_t tables, TimeDelta interval) {
  trace_tables_ = tables;
  trace_interval_ = interval;
  recorder_.KeepOnly(tables);
}

void Simulation::Begin() {
  begun_ = true;
  UpdateActiveWindows();
  event_queue_.Schedule(rate_tick_, now_ + params_.rate_interval);
  if (trace_tables_ != 0) event_queue_.Schedule(trace_tick_, now_ + trace_interval_);
  for (FlowSlot& slot : flows_) slot.flow->Begin();
}

// Whether the run has reached one of its limits, and which.
Simulation::Status Simulation::Exceeded() const {
  if (work_ >= params_.max_events) return Status::kTooManyEvents;
  if (packets_ > params_.max_packets) return Status::kTooManyPackets;
  if (recorder_.kept_rows() > params_.max_rows) return Status::kTooManyRows;
  return Status::kOk;
}

Simulation::Status Simulation::RunUntil(Timestamp end) {
  end = std::min(end, Timestamp() + params_.duration);
  if (!begun_) Begin();
  for (;;) {
    const Timestamp next = event_queue_.next_time();
    if (next > end) break;
    if (const Status status = Exceeded(); status != Status::kOk) return status;
    now_ = next;
    if (now_ >= next_boundary_) UpdateActiveWindows();
    ++events_;
    ++work_;
    Dispatch(sources_[event_queue_.Pop()]);
  }
  now_ = std::max(now_, end);
  return Status::kOk;
}

Path& Simulation::ChangePath(Direction direction) {
  PollPath(static_cast<int>(direction));
  return *slot(direction).path;
}

void Simulation::Dispatch(const Source& source) {
  switch (source.kind) {
    case kPathEvent:
      return PollPath(source.index);
    case kFlowTimer:
      return source.flow->OnTimer(source.which, now_);
    case kLane:
      return PassLane(source.index, source.which);
    case kRateTick:
      return OnRateTick();
    case kTraceTick:
      return OnTraceTick();
  }
}

bool Simulation::Send(const Flow& flow, Leg leg, std::uint32_t id, DataSize size, Timestamp now) {
  const Direction data = flow.params().direction;
  const Direction direction = leg == Leg::kData ? data : Opposite(data);
  PathSlot& path = slot(direction);
  const DropReason reason = path.path->Send(id, size, flow.index(), now);
  event_queue_.Schedule(path.source, path.path->NextEvent());
  ++work_;
  if (reason == DropReason::kNone) {
    ++packets_;
    return true;
  }
  for (const int w : active_windows_) {
    ++PathWindowOf(w, static_cast<int>(direction)).drops[static_cast<std::size_t>(reason)];
  }
  RecordDrop(direction, {.flow = flow.index(), .size = size, .offered = now}, now, reason);
  return false;
}

void Simulation::RecordDrop(Direction direction, const Packet& packet, Timestamp at, DropReason reason) {
  recorder_.Output(PacketRow{.link = static_cast<double>(direction),
                             .flow = static_cast<double>(packet.flow),
                             .time_us = at.us(),
                             .offered_us = packet.offered.us(),
                             .size_bytes = packet.size.bytes(),
                             .queue_delay_us = std::numeric_limits<double>::quiet_NaN(),
                             .dropped = static_cast<double>(reason)});
}

void Simulation::SetTimer(int flow, int timer, Timestamp at) {
  event_queue_.Schedule(TimerOf(flow, timer), at);
}

TimeDelta Simulation::MinRtt(int flow) const {
  const TimeDelta extra = flows_[static_cast<std::size_t>(flow)].flow->params().extra_delay;
  return path(Direction::kForward).one_way_delay() + path(Direction::kBackward).one_way_delay() + extra * 2;
}

TimeDelta Simulation::MinOneWayDelay(int flow) const {
  const FlowParams& params = flows_[static_cast<std::size_t>(flow)].flow->params();
  return path(params.direction).one_way_delay() + params.extra_delay;
}

void Simulation::PollPath(int index) {
  PathSlot& slot = paths_[static_cast<std::size_t>(index)];
  Path& path = *slot.path;
  const auto leg_of = [index](const Flow& flow) {
    return static_cast<int>(flow.params().direction) == index ? Leg::kData : Leg::kReturn;
  };
  path.AdvanceTo(now_);
  while (const Link::Drop* drop = path.NextDrop()) {
    const auto [packet, time, reason] = *drop;
    path.PopDrop();
    --packets_;
    for (const int w : active_windows_) ++PathWindowOf(w, index).drops[static_cast<std::size_t>(reason)];
    RecordDrop(static_cast<Direction>(index), packet, time, reason);
    Flow& flow = *flows_[static_cast<std::size_t>(packet.flow)].flow;
    flow.OnDropped(leg_of(flow), static_cast<std::uint32_t>(packet.id), now_);
  }
  while (const Link::Delivery* delivery = path.NextDelivery()) {
    const Packet& packet = delivery->packet;
    const Arrival arrival{static_cast<std::uint32_t>(packet.id), delivery->queue_delay, delivery->held};
    for (const int w : active_windows_) {
      PathWindow& window = PathWindowOf(w, index);
      ++window.delivered_packets;
      window.delivered += packet.size;
      window.queue_delay_us.Add(delivery->queue_delay.us());
    }
    recorder_.Output(PacketRow{.link = static_cast<double>(index),
                               .flow = static_cast<double>(packet.flow),
                               .time_us = delivery->depart.us(),
                               .offered_us = packet.offered.us(),
                               .size_bytes = packet.size.bytes(),
                               .queue_delay_us = delivery->queue_delay.us(),
                               .dropped = 0});
    FlowSlot& flow = flows_[static_cast<std::size_t>(packet.flow)];
    path.PopDelivery();
    Deliver(flow, leg_of(*flow.flow), arrival);
  }
  event_queue_.Schedule(slot.source, path.NextEvent());
}

void Simulation::Deliver(FlowSlot& slot, Leg leg, const Arrival& arrival) {
  const TimeDelta delay = slot.flow->params().extra_delay + arrival.held;
  if (delay <= TimeDelta::Zero()) {
    --packets_;
    return slot.flow->OnDelivered(leg, arrival.id, arrival.queue_delay, now_);
  }
  const int number = LaneOf(leg, arrival.held > TimeDelta::Zero());
  auto& lane = slot.lanes[static_cast<std::size_t>(number)];
  lane.PushBack({now_ + delay, arrival.id, arrival.queue_delay});
  for (std::size_t i = lane.size() - 1; i > 0 && lane[i].at < lane[i - 1].at; --i) std::swap(lane[i], lane[i - 1]);
  event_queue_.Schedule(EndOf(slot.flow->index(), number), lane.front().at);
}

void Simulation::PassLane(int flow, int number) {
  FlowSlot& slot = flows_[static_cast<std::size_t>(flow)];
  auto& lane = slot.lanes[static_cast<std::size_t>(number)];
  const Delayed arrived = lane.PopFront();
  if (!lane.empty()) event_queue_.Schedule(EndOf(flow, number), lane.front().at);
  --packets_;
  slot.flow->OnDelivered(static_cast<Leg>(number / 2), arrived.id, arrived.queue_delay, now_);
}

void Simulation::UpdateActiveWindows() {
  active_windows_.clear();
  next_boundary_ = Timestamp::PlusInfinity();
  for (int w = 0; w < windows(); ++w) {
    const Window& span = window(w);
    if (span.Contains(now_)) active_windows_.push_back(w);
    if (span.begin > now_) next_boundary_ = std::min(next_boundary_, span.begin);
    if (span.end > now_) next_boundary_ = std::min(next_boundary_, span.end);
  }
}

void Simulation::OnRateTick() {
  work_ += flows();
  const Timestamp begin = now_ - params_.rate_interval;
  event_queue_.Schedule(rate_tick_, now_ + params_.rate_interval);
  std::array<double, 2> active{};
  for (const FlowSlot& slot : flows_) {
    if (slot.flow->ActiveThrough(begin, now_)) ++active[static_cast<std::size_t>(slot.flow->params().direction)];
  }
  std::array<DataRate, 2> capacity;
  for (std::size_t d = 0; d < 2; ++d) {
    capacity[d] = paths_[d].capacity.empty()
                      ? DataRate::PlusInfinity()
                      : OfferedCapacity({begin, now_}, static_cast<Direction>(d)) / params_.rate_interval;
  }
  JainIndex media;
  JainIndex all;
  for (FlowSlot& slot : flows_) {
    Flow& flow = *slot.flow;
    const DataRate received = flow.meter().TakeReceived() / params_.rate_interval;
    if (!flow.ActiveThrough(begin, now_)) continue;
    const auto d = static_cast<std::size_t>(flow.params().direction);
    if (flow.kind() == FlowKind::kMedia) media.Add(received.bps());
    if (flow.params().direction == Direction::kForward) all.Add(received.bps());
    for (WindowSlot& window : windows_) {
      if (begin < window.span.begin || now_ > window.span.end) continue;
      FlowWindow& measured = flow.meter().window(static_cast<int>(&window - windows_.data()));
      measured.received_bps.Add(received.bps());
      if (capacity[d].IsFinite() && capacity[d] > DataRate::Zero()) measured.capacity_share.Add(received / capacity[d]);
      if (flow.target().IsFinite()) measured.target_bps.Add(flow.target().bps());
      if (flow.kind() == FlowKind::kMedia) measured.loss_bound.Add(flow.is_loss_bound() ? 1 : 0);
    }
    const DataRate due = std::min(capacity[d] / std::max(1.0, active[d]), flow.highest_rate());
    const bool counts = slot.convergence < TimeDelta::Zero() && due.IsFinite() && due > DataRate::Zero();
    if (counts && received >= due * kConverged) slot.convergence = now_ - flow.params().start;
  }
  for (WindowSlot& window : windows_) {
    if (begin < window.span.begin || now_ > window.span.end) continue;
    if (media.count() > 0) window.jain.Add(media.value());
    if (all.count() > 0) window.jain_all.Add(all.value());
  }
}

void Simulation::OnTraceTick() {
  event_queue_.Schedule(trace_tick_, now_ + trace_interval_);
  work_ += flows();
  for (FlowSlot& slot : flows_) slot.flow->Trace(now_, trace_interval_, recorder_);
  for (PathSlot& path : paths_) {
    Link* link = path.path->link();
    if (link == nullptr) continue;
    const TimeDelta queue_delay = link->QueueDelay(now_);
    const Link::Stats& stats = link->stats();
    recorder_.Output(QueueRow{.link = static_cast<double>(&path - paths_.data()),
                              .time_us = now_.us(),
                              .queue_delay_us = queue_delay.us(),
                              .queue_bytes = link->queue_size().bytes(),
                              .capacity_bps = link->capacity().bps(),
                              .drops = stats.lost_packets + stats.dropped_packets,
                              .delivered_bytes = stats.delivered.bytes()});
  }
}

const PathWindow& Simulation::path_window(int window, Direction direction) const {
  return windows_[static_cast<std::size_t>(window)].paths[static_cast<std::size_t>(direction)];
}

TimeDelta Simulation::Elapsed(int window) const {
  const Window& span = this->window(window);
  return std::max(TimeDelta::Zero(), std::min(now_, span.end) - span.begin);
}

DataSize Simulation::OfferedCapacity(const Window& span, Direction direction) const {
  const Timestamp end = std::min(now_, span.end);
  const std::vector<CapacityStep>& steps = paths_[static_cast<std::size_t>(direction)].capacity;
  std::size_t i = 0;
  for (std::size_t n = steps.size(); n > 1; n -= n / 2) {
    if (steps[i + n / 2].at <= span.begin) i += n / 2;
  }
  DataSize sum;
  for (; i < steps.size() && steps[i].at < end; ++i) {
    const Timestamp from = std::max(steps[i].at, span.begin);
    const Timestamp to = i + 1 < steps.size() ? std::min(steps[i + 1].at, end) : end;
    if (to > from) sum += steps[i].capacity * (to - from);
  }
  return sum;
}

Simulation::Fairness Simulation::fairness(int window) const {
  JainIndex media;
  JainIndex all;
  for (const FlowSlot& slot : flows_) {
    const FlowWindow& measured = slot.flow->meter().window(window);
    if (measured.received_bps.count() == 0) continue;
    if (slot.flow->kind() == FlowKind::kMedia) media.Add(measured.received_bps.mean());
    if (slot.flow->params().direction == Direction::kForward) all.Add(measured.received_bps.mean());
  }
  const WindowSlot& slot = windows_[static_cast<std::size_t>(window)];
  return {media.value(), slot.jain.mean(), all.value(), slot.jain_all.mean()};
}

}  // namespace ccscope
