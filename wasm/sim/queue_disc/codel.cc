#include "sim/queue_disc/codel.h"

namespace ccscope {
namespace {

// The interface that CoDelLaw expects of a queue.
struct Fifo {
  std::optional<Packet> Pop() {
    if (packets.empty()) return std::nullopt;
    const Packet packet = packets.PopFront();
    stats.Remove(packet);
    return packet;
  }
  DataSize Backlog() const { return stats.bytes; }
  void Drop(const Packet& packet) {
    ++stats.dropped;
    drops.OnDrop(packet, DropReason::kCoDel, now);
  }

  RingBuffer<Packet>& packets;
  QueueStats& stats;
  DropSink& drops;
  Timestamp now;
};

}  // namespace

void CoDel::Enqueue(const Packet& packet, Timestamp now, DropSink& drops) {
  if (stats_.packets + 1 > params_.limit_packets) {
    stats_.Refuse();
    drops.OnDrop(packet, DropReason::kQueueFull, now);
    return;
  }
  state_.packets.PushBack(packet);
  stats_.Accept(packet);
}

std::optional<Packet> CoDel::Dequeue(Timestamp now, DropSink& drops) {
  Fifo fifo{state_.packets, stats_, drops, now};
  const auto packet = state_.law.Dequeue(law_params_, now, fifo);
  if (packet) ++stats_.dequeued;
  return packet;
}

}  // namespace ccscope
