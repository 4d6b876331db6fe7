#include "sim/queue_disc/drop_tail.h"

namespace ccscope {

DropTail::DropTail(const Params& params) : params_(params) {
  if (const auto* bytes = std::get_if<DataSize>(&params_.limit)) state_.byte_limit = *bytes;
  if (const auto* packets = std::get_if<Packets>(&params_.limit)) state_.packet_limit = packets->count;
}

void DropTail::Enqueue(const Packet& packet, Timestamp now, DropSink& drops) {
  const bool full =
      stats_.bytes + packet.size > state_.byte_limit || stats_.packets + 1 > state_.packet_limit;
  if (full && !state_.packets.empty()) {
    ++stats_.dropped;
    drops.OnDrop(packet, DropReason::kQueueFull, now);
    return;
  }
  state_.packets.PushBack(packet);
  ++stats_.packets;
  ++stats_.enqueued;
  stats_.bytes += packet.size;
}

std::optional<Packet> DropTail::Dequeue(Timestamp, DropSink&) {
  if (state_.packets.empty()) return std::nullopt;
  const Packet packet = state_.packets.PopFront();
  --stats_.packets;
  ++stats_.dequeued;
  stats_.bytes -= packet.size;
  return packet;
}

void DropTail::OnCapacity(DataRate capacity) {
  const auto* time = std::get_if<TimeDelta>(&params_.limit);
  if (time != nullptr && capacity > DataRate::Zero()) state_.byte_limit = capacity * *time;
}

}  // namespace ccscope
