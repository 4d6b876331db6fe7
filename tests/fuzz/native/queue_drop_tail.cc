// Compares DropTail with a model, packet by packet: which packets are dropped, and in which order the others
// leave.
#include <deque>

#include "sim/queue_disc/drop_tail.h"
#include "tests/fuzz/native/queue.h"

namespace ccscope::fuzz {
namespace {

constexpr ParameterSpec kSpecs[] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/queue_disc/drop_tail.def"
#undef PARAMETER
};

class DropTailModel final : public QueueModel {
 public:
  explicit DropTailModel(const DropTail::Params& params) : params_(params) {}

  void OnCapacity(DataRate capacity) override {
    if (capacity > DataRate::Zero()) capacity_bps_ = capacity.bps();
  }

  void OnEnqueued(const Packet& packet, Timestamp, const std::vector<Dropped>& drops) override {
    const double bytes = bytes_ + packet.size.bytes();
    const auto count = static_cast<double>(queue_.size() + 1);
    const bool over_time = params_.limit_ms > 0 && capacity_bps_ > 0 && bytes > capacity_bps_ * params_.limit_ms / 8e3 * (1 + kRounding);
    const bool over_bytes = params_.limit_bytes > 0 && bytes > params_.limit_bytes;
    const bool over_packets = params_.limit_packets > 0 && count > params_.limit_packets;
    const bool within_time = !(params_.limit_ms > 0 && capacity_bps_ > 0) || bytes < capacity_bps_ * params_.limit_ms / 8e3 * (1 - kRounding);
    EXPECT_THAT_HOLDS(drops.size() <= 1, "at most the packet that arrives is dropped");
    if (queue_.empty()) {
      EXPECT_THAT_HOLDS(drops.empty(), "an empty queue takes any packet");
    } else if (over_time || over_bytes || over_packets) {
      EXPECT_THAT_HOLDS(drops.size() == 1, "a packet beyond a limit is dropped");
    } else if (within_time) {
      EXPECT_THAT_HOLDS(drops.empty(), "a packet within all limits waits");
    }
    if (drops.empty()) {
      queue_.push_back(packet);
      bytes_ = bytes;
    } else {
      EXPECT_THAT_HOLDS(drops[0].packet.id == packet.id && drops[0].reason == DropReason::kQueueFull, "the packet that arrives is dropped, since the queue is full");
    }
  }

  void OnDequeued(const Packet* packet, Timestamp, const std::vector<Dropped>& drops) override {
    EXPECT_THAT_HOLDS(drops.empty(), "DropTail drops on arrival only");
    EXPECT_THAT_HOLDS((packet == nullptr) == queue_.empty(), "what waits leaves");
    if (packet == nullptr) return;
    EXPECT_THAT_HOLDS(packet->id == queue_.front().id, "first in, first out");
    queue_.pop_front();
    bytes_ -= packet->size.bytes();
  }

 private:
  static constexpr double kRounding = 1e-9;  // relative tolerance for a time limit converted to bytes
  DropTail::Params params_;
  double capacity_bps_ = 0;  // 0 until a capacity is given
  std::deque<Packet> queue_;
  double bytes_ = 0;
};

FUZZ_TARGET(queue_drop_tail) {
  DropTail::Params usual;
  const int how = input.Byte();
  if ((how & 3) == 1) usual = DropTail::Params::Packets(how >> 2);
  // The limit is a whole number of packets of 1500 bytes, to test that a packet that fits exactly is not dropped.
  if ((how & 3) == 2) usual = DropTail::Params::Bytes(DataSize::Bytes(1500) * (how >> 2));
  const auto params = DrawParameters(input, usual, kSpecs);
  const auto disc = MakeDisc<DropTail>(QueueDiscKind::kDropTail, params, 1);
  if (disc == nullptr) return;
  DropTailModel model(params);
  QueueExercise(*disc, model, true).Run(input);
}

}  // namespace
}  // namespace ccscope::fuzz
