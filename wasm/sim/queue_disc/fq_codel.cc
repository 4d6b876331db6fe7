#include "sim/queue_disc/fq_codel.h"

#include <algorithm>
#include <cmath>

namespace ccscope {

class FqCoDel::Head {
 public:
  Head(FqCoDel& disc, PacketList& packets, Timestamp now, DropSink& drops)
      : disc_(disc), packets_(packets), now_(now), drops_(drops) {}

  std::optional<Packet> Pop() {
    if (packets_.empty()) return std::nullopt;
    const Packet packet = disc_.state_.pool.PopFront(packets_);
    disc_.stats_.Remove(packet);
    return packet;
  }
  DataSize Backlog() const { return disc_.params_.whole_backlog() ? disc_.stats_.bytes : packets_.bytes(); }
  void Drop(const Packet& packet) {
    ++disc_.stats_.dropped;
    ++disc_.fq_stats_.codel_drops;
    drops_.OnDrop(packet, DropReason::kCoDel, now_);
  }

 private:
  FqCoDel& disc_;
  PacketList& packets_;
  Timestamp now_;
  DropSink& drops_;
};

FqCoDel::FqCoDel(const Params& params, std::uint64_t seed)
    : params_(params), law_params_(params.law()), state_{.queues = {static_cast<int>(params.queues), seed}} {}

// Follows RFC 8290, 4.1.
void FqCoDel::Enqueue(const Packet& packet, Timestamp now, DropSink& drops) {
  const int index = state_.queues.IndexOf(packet.flow);
  FlowQueue& queue = state_.queues[index];
  state_.pool.PushBack(queue.packets, packet);
  stats_.Accept(packet);
  if (!queue.listed) {
    ++fq_stats_.new_flows;
    queue.deficit = params_.quantum_bytes;
    PushBack(state_.new_flows, index);
  }
  if (stats_.packets > params_.limit_packets) DropFromLongest(now, drops);
}

// Follows RFC 8290, 4.2.
std::optional<Packet> FqCoDel::Dequeue(Timestamp now, DropSink& drops) {
  for (int index = NextInTurn(); index != kNone; index = NextInTurn()) {
    FlowQueue& queue = state_.queues[index];
    Head head(*this, queue.packets, now, drops);
    if (const auto packet = queue.law.Dequeue(law_params_, now, head)) {
      ++stats_.dequeued;
      queue.deficit -= packet->size.bytes();
      return packet;
    }
    // An empty old queue is removed from its list. An empty new queue becomes an old queue first; if it were removed,
    // it could become new again at once and starve the old queues.
    if (!state_.new_flows.empty()) {
      PopFront(state_.new_flows);
      PushBack(state_.old_flows, index);
    } else {
      PopFront(state_.old_flows);
    }
  }
  return std::nullopt;
}

// RFC 8290, 4.1: drops packets from the head of the queue with the most bytes, until half of its bytes or a batch of
// packets is dropped. Linux before 4.7, and therefore the testbed of gcc-aqm-2016, drops a single packet.
void FqCoDel::DropFromLongest(Timestamp now, DropSink& drops) {
  int longest = 0;
  for (int i = 1; i < state_.queues.size(); ++i) {
    if (state_.queues[i].packets.bytes() > state_.queues[longest].packets.bytes()) longest = i;
  }
  PacketList& packets = state_.queues[longest].packets;
  const DataSize half = packets.bytes() / 2;
  DataSize dropped;
  for (double i = 0; i < params_.drop_batch_packets && (i == 0 || dropped < half); ++i) {
    const Packet packet = state_.pool.PopFront(packets);
    dropped += packet.size;
    ++fq_stats_.limit_drops;
    stats_.Discard(packet);
    drops.OnDrop(packet, DropReason::kOverlimit, now);
  }
}

void FqCoDel::PushBack(FlowList& list, int index) {
  FlowQueue& queue = state_.queues[index];
  queue.listed = true;
  queue.next = kNone;
  (list.empty() ? list.first : state_.queues[list.last].next) = index;
  list.last = index;
  ++state_.listed;
}

void FqCoDel::PopFront(FlowList& list) {
  FlowQueue& queue = state_.queues[list.first];
  queue.listed = false;
  list.first = queue.next;
  --state_.listed;
}

// Returns the first queue with a positive deficit, new queues first. Queues that are passed over get a quantum and
// move to the end of the old queues. Returns kNone if both lists are empty.
int FqCoDel::NextInTurn() {
  for (int skipped = 0;; ++skipped) {
    FlowList& list = state_.new_flows.empty() ? state_.old_flows : state_.new_flows;
    if (list.empty()) return kNone;
    if (skipped == state_.listed) SkipIdleRounds();
    const int index = list.first;
    FlowQueue& queue = state_.queues[index];
    if (queue.deficit > 0) return index;
    queue.deficit += params_.quantum_bytes;
    PopFront(list);
    PushBack(state_.old_flows, index);
  }
}

// Called after a round in which no queue had a positive deficit; all queues are then in old_flows. Computes all
// further rounds of this kind in one step.
void FqCoDel::SkipIdleRounds() {
  double rounds = kInfinity;
  for (int i = state_.old_flows.first; i != kNone; i = state_.queues[i].next) {
    rounds = std::min(rounds, std::floor(-state_.queues[i].deficit / params_.quantum_bytes));
  }
  if (rounds <= 0) return;
  for (int i = state_.old_flows.first; i != kNone; i = state_.queues[i].next) {
    state_.queues[i].deficit += rounds * params_.quantum_bytes;
  }
}

}  // namespace ccscope
