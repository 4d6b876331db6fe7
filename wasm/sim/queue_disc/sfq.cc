#include "sim/queue_disc/sfq.h"

#include <algorithm>
#include <cmath>

namespace ccscope {
namespace {

// State::first_of_length has an entry for each length of a queue. At the start, it has entries for lengths up to this.
constexpr double kUsualLength = 127;

}  // namespace

Sfq::Sfq(const Params& params, std::uint64_t seed)
    : params_(params), state_{.queues = {static_cast<int>(params.buckets), seed}}, random_(seed) {
  state_.first_of_length.resize(static_cast<std::size_t>(std::min(params.depth_packets, kUsualLength)) + 1, kNone);
}

// Replaces (perturbs) the hash at regular intervals, counted from the first packet. If several perturbations are due,
// only one is made: the others would have no visible effect.
void Sfq::PerturbIfDue(Timestamp now, DropSink& drops) {
  if (params_.perturb_s <= 0) return;
  const TimeDelta period = TimeDelta::Seconds(params_.perturb_s);
  if (!next_perturbation_) next_perturbation_ = now + period;
  if (now < *next_perturbation_) return;
  *next_perturbation_ += period * (std::floor((now - *next_perturbation_) / period) + 1);
  Rehash(now, drops);
}

// Changes the hash, and moves all waiting packets, queue by queue, into the new queues (Linux's sfq_rehash).
void Sfq::Rehash(Timestamp now, DropSink& drops) {
  rehashed_.clear();
  for (int index = 0; index < state_.queues.size(); ++index) {
    PacketList& packets = state_.queues[index].packets;
    while (!packets.empty()) rehashed_.push_back(state_.pool.PopFront(packets));
  }
  state_.queues.Rehash(random_.Next());
  std::fill(state_.first_of_length.begin(), state_.first_of_length.end(), kNone);
  state_.last = kNone;
  state_.active = state_.longest = 0;
  for (const Packet& packet : rehashed_) {
    const int index = state_.queues.IndexOf(packet.flow);
    if (state_.queues[index].packets.size() + 1 > params_.depth_packets) {
      ++sfq_stats_.depth_drops;
      stats_.Discard(packet);
      drops.OnDrop(packet, DropReason::kQueueFull, now);
    } else {
      Append(index, packet);
    }
  }
}

void Sfq::Append(int index, const Packet& packet) {
  FlowQueue& queue = state_.queues[index];
  if (queue.packets.empty()) {
    JoinRound(index);
  } else {
    UnlinkByLength(index);
  }
  state_.pool.PushBack(queue.packets, packet);
  LinkByLength(index);
}

void Sfq::Enqueue(const Packet& packet, Timestamp now, DropSink& drops) {
  PerturbIfDue(now, drops);
  const int index = state_.queues.IndexOf(packet.flow);
  if (state_.queues[index].packets.size() + 1 > params_.depth_packets) {
    ++sfq_stats_.depth_drops;
    stats_.Refuse();
    drops.OnDrop(packet, DropReason::kQueueFull, now);
    return;
  }
  Append(index, packet);
  stats_.Accept(packet);
  // One packet always stays in the queue. Otherwise a limit smaller than one packet would block the link.
  while (IsOverLimit() && stats_.packets > 1) DropFromLongest(now, drops);
}

std::optional<Packet> Sfq::Dequeue(Timestamp now, DropSink& drops) {
  PerturbIfDue(now, drops);
  if (state_.last == kNone) return std::nullopt;
  const int index = NextInTurn();
  FlowQueue& queue = state_.queues[index];
  UnlinkByLength(index);
  const Packet packet = state_.pool.PopFront(queue.packets);
  stats_.Release(packet);
  if (queue.packets.empty()) {
    LeaveRound(index);
  } else {
    LinkByLength(index);
    queue.allotment -= packet.size.bytes();
  }
  return packet;
}

void Sfq::OnCapacity(DataRate capacity) {
  if (params_.limit_ms > 0 && capacity > DataRate::Zero()) {
    state_.time_limit = capacity * TimeDelta::Millis(params_.limit_ms);
  }
}

bool Sfq::IsOverLimit() const {
  const bool bytes = params_.limit_bytes > 0 && stats_.bytes.bytes() > params_.limit_bytes;
  const bool packets = params_.limit_packets > 0 && stats_.packets > params_.limit_packets;
  return bytes || packets || stats_.bytes > state_.time_limit;
}

// Drops the last packet of the queue with the most packets (Linux's sfq_drop). If several queues have that many
// packets, the queue that reached this length last is chosen. If no queue has more than one packet, the queue whose
// turn is next is chosen.
void Sfq::DropFromLongest(Timestamp now, DropSink& drops) {
  const bool all_have_one = state_.longest == 1;
  const int index = all_have_one ? state_.queues[state_.last].next
                                 : state_.first_of_length[static_cast<std::size_t>(state_.longest)];
  FlowQueue& queue = state_.queues[index];
  UnlinkByLength(index);
  const Packet packet = state_.pool.PopBack(queue.packets);
  if (all_have_one) {
    LeaveRound(index);
  } else {
    LinkByLength(index);
  }
  ++sfq_stats_.limit_drops;
  stats_.Discard(packet);
  drops.OnDrop(packet, DropReason::kOverlimit, now);
}

// Appends a queue to the end of the round, when the queue gets its first packet.
void Sfq::JoinRound(int index) {
  FlowQueue& queue = state_.queues[index];
  if (state_.last == kNone) {
    queue.next = index;
  } else {
    FlowQueue& last = state_.queues[state_.last];
    queue.next = last.next;
    last.next = index;
  }
  state_.last = index;
  ++state_.active;
  queue.allotment = params_.quantum_bytes;
}

void Sfq::LeaveRound(int index) {
  --state_.active;
  if (state_.active == 0) {
    state_.last = kNone;
  } else {
    state_.queues[state_.last].next = state_.queues[index].next;
  }
}

// Returns the first queue with a positive allotment. Queues that are passed over get a quantum for their next turn.
int Sfq::NextInTurn() {
  for (int skipped = 0;; ++skipped) {
    if (skipped == state_.active) SkipIdleRounds();
    const int index = state_.queues[state_.last].next;
    FlowQueue& queue = state_.queues[index];
    if (queue.allotment > 0) return index;
    queue.allotment += params_.quantum_bytes;
    state_.last = index;
  }
}

// Called after a round in which no queue had a positive allotment, because packets are far larger than a quantum.
// Computes all further rounds of this kind but the last in one step.
void Sfq::SkipIdleRounds() {
  double rounds = kInfinity;
  int index = state_.last;
  for (int i = 0; i < state_.active; ++i, index = state_.queues[index].next) {
    rounds = std::min(rounds, std::floor(-state_.queues[index].allotment / params_.quantum_bytes));
  }
  for (int i = 0; rounds > 0 && i < state_.active; ++i, index = state_.queues[index].next) {
    state_.queues[index].allotment += rounds * params_.quantum_bytes;
  }
}

void Sfq::LinkByLength(int index) {
  FlowQueue& queue = state_.queues[index];
  const int length = queue.packets.size();
  if (static_cast<int>(state_.first_of_length.size()) <= length) {
    state_.first_of_length.resize(static_cast<std::size_t>(length) + 1, kNone);
  }
  int& first = state_.first_of_length[static_cast<std::size_t>(length)];
  queue.peer_previous = kNone;
  queue.peer_next = first;
  if (first != kNone) state_.queues[first].peer_previous = index;
  first = index;
  state_.longest = std::max(state_.longest, length);
}

void Sfq::UnlinkByLength(int index) {
  const FlowQueue& queue = state_.queues[index];
  const int length = queue.packets.size();
  int& first = state_.first_of_length[static_cast<std::size_t>(length)];
  if (queue.peer_previous == kNone) {
    first = queue.peer_next;
  } else {
    state_.queues[queue.peer_previous].peer_next = queue.peer_next;
  }
  if (queue.peer_next != kNone) state_.queues[queue.peer_next].peer_previous = queue.peer_previous;
  if (first == kNone && state_.longest == length) --state_.longest;
}

}  // namespace ccscope
