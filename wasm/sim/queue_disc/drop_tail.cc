#include "sim/queue_disc/drop_tail.h"

#include <algorithm>

namespace ccscope {

DropTail::DropTail(const Params& params) : params_(params) {
  state_.byte_limit = params.limit_bytes > 0 ? DataSize::Bytes(params.limit_bytes) : DataSize::PlusInfinity();
  state_.packet_limit = params.limit_packets > 0 ? params.limit_packets : kInfinity;
}

DataSize DropTail::byte_limit() const { return std::min(state_.time_limit, state_.byte_limit); }

void DropTail::Enqueue(const Packet& packet, Timestamp now, DropSink& drops) {
  const bool full = stats_.bytes + packet.size > byte_limit() || stats_.packets + 1 > state_.packet_limit;
  if (full && !state_.packets.empty()) {
    stats_.Refuse();
    drops.OnDrop(packet, DropReason::kQueueFull, now);
    return;
  }
  state_.packets.PushBack(packet);
  stats_.Accept(packet);
}

std::optional<Packet> DropTail::Dequeue(Timestamp, DropSink&) {
  if (state_.packets.empty()) return std::nullopt;
  const Packet packet = state_.packets.PopFront();
  stats_.Release(packet);
  return packet;
}

void DropTail::OnCapacity(DataRate capacity) {
  if (params_.limit_ms > 0 && capacity > DataRate::Zero()) {
    state_.time_limit = capacity * TimeDelta::Millis(params_.limit_ms);
  }
}

}  // namespace ccscope
