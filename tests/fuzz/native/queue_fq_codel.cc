// Compares FQ-CoDel with a model of its queues. Beyond the limit, the queue with the most bytes loses packets from its
// head: half of its bytes, or one batch of packets.
#include <algorithm>
#include <deque>

#include "sim/queue_disc/fq_codel.h"
#include "tests/fuzz/native/queue.h"

namespace ccscope::fuzz {
namespace {

constexpr ParameterSpec kSpecs[] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/queue_disc/fq_codel.def"
#undef PARAMETER
};

class FqCoDelModel final : public QueueModel {
 public:
  FqCoDelModel(const FqCoDel::Params& params, const FqCoDel& disc) : params_(params), disc_(disc) {
    for (int flow = 0; flow < QueueExercise::kFlows; ++flow) {
      const int bucket = disc.BucketOf(flow);
      EXPECT_THAT_HOLDS(bucket >= 0 && bucket < params.queues, "a flow has a queue");
      // In the model, a queue has the number of the lowest flow that is hashed to it.
      int first = 0;
      while (disc.BucketOf(first) != bucket) ++first;
      queue_of_[static_cast<std::size_t>(flow)] = static_cast<std::size_t>(first);
    }
  }

  void OnEnqueued(const Packet& packet, Timestamp, const std::vector<Dropped>& drops) override {
    Queue& queue = QueueOf(packet);
    queue.packets.push_back(packet);
    queue.bytes += packet.size.bytes();
    ++packets_;
    EXPECT_THAT_HOLDS(drops.empty() == (packets_ <= params_.limit_packets), "what waits is dropped beyond the limit only");
    EXPECT_THAT_HOLDS(static_cast<double>(drops.size()) <= params_.drop_batch_packets, "at most a batch is dropped");
    if (drops.empty()) return;
    Queue& longest = QueueOf(drops[0].packet);
    for (const Queue& other : queues_) EXPECT_THAT_HOLDS(other.bytes <= longest.bytes, "the queue with the most bytes loses packets");
    const double half = longest.bytes / 2;
    double dropped = 0;
    for (const Dropped& drop : drops) {
      EXPECT_THAT_HOLDS(drop.reason == DropReason::kOverlimit, "they make room for others");
      EXPECT_THAT_HOLDS(dropped < half, "the queue loses half of its bytes");
      dropped += drop.packet.size.bytes();
      PopHead(drop.packet);
    }
    EXPECT_THAT_HOLDS(dropped >= half || static_cast<double>(drops.size()) == params_.drop_batch_packets, "the queue loses half of its bytes, or a batch");
    EXPECT_THAT_HOLDS(packets_ <= params_.limit_packets, "the limit holds");
  }

  void OnDequeued(const Packet* packet, Timestamp now, const std::vector<Dropped>& drops) override {
    for (const Dropped& drop : drops) {
      EXPECT_THAT_HOLDS(drop.reason == DropReason::kCoDel, "CoDel drops at the head");
      EXPECT_THAT_HOLDS(now - drop.packet.queued >= TimeDelta::Millis(params_.target_ms), "CoDel drops what waited beyond the target");
      PopHead(drop.packet);
    }
    if (packet != nullptr) PopHead(*packet);
    const FqCoDel::Stats& stats = disc_.fq_stats();
    EXPECT_THAT_HOLDS(stats.codel_drops + stats.limit_drops == disc_.stats().dropped, "each drop is CoDel's or the limit's");
  }

 private:
  struct Queue {
    std::deque<Packet> packets;
    double bytes = 0;
  };

  Queue& QueueOf(const Packet& packet) { return queues_[queue_of_[static_cast<std::size_t>(packet.flow)]]; }
  void PopHead(const Packet& packet) {
    Queue& queue = QueueOf(packet);
    EXPECT_THAT_HOLDS(!queue.packets.empty() && queue.packets.front().id == packet.id, "a queue is first in, first out");
    queue.packets.pop_front();
    queue.bytes -= packet.size.bytes();
    --packets_;
  }

  FqCoDel::Params params_;
  const FqCoDel& disc_;
  std::array<std::size_t, QueueExercise::kFlows> queue_of_{};
  std::array<Queue, QueueExercise::kFlows> queues_;
  double packets_ = 0;
};

FUZZ_TARGET(queue_fq_codel) {
  FqCoDel::Params usual;
  usual.queues = 1 + input.Byte();
  if (input.Flag()) {
    usual.target_ms = input.Scaled(0.1, 100);
    usual.interval_ms = input.Scaled(0.1, 100);
    usual.limit_packets = 1 + input.Pick(32);
    usual.quantum_bytes = input.Scaled(1, 5000);
    usual.mtu_bytes = input.Byte() * 8;
    usual.drop_batch_packets = 1 + input.Pick(8);
  }
  const auto params = DrawParameters(input, usual, kSpecs);
  const auto disc = MakeDisc<FqCoDel>(QueueDiscKind::kFqCoDel, params, input.Byte());
  EXPECT_THAT_HOLDS(disc != nullptr, "values in range make a discipline");
  FqCoDelModel model(params, *disc);
  QueueExercise(*disc, model, false).Run(input);
}

}  // namespace
}  // namespace ccscope::fuzz
