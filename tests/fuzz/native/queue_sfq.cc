// Compares SFQ with a model of its queues. The lengths of the queues decide which packet is dropped.
#include <algorithm>
#include <deque>

#include "sim/queue_disc/sfq.h"
#include "tests/fuzz/native/queue.h"

namespace ccscope::fuzz {
namespace {

constexpr ParameterSpec kSpecs[] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/queue_disc/sfq.def"
#undef PARAMETER
};

class SfqModel final : public QueueModel {
 public:
  SfqModel(const Sfq::Params& params, const Sfq& disc) : params_(params) {
    for (int flow = 0; flow < QueueExercise::kFlows; ++flow) {
      const int bucket = disc.BucketOf(flow);
      EXPECT_THAT_HOLDS(bucket >= 0 && bucket < params.buckets, "a flow has a bucket");
      // In the model, a bucket has the number of the lowest flow that is hashed to it.
      int first = 0;
      while (disc.BucketOf(first) != bucket) ++first;
      queue_of_[static_cast<std::size_t>(flow)] = static_cast<std::size_t>(first);
    }
  }

  void OnCapacity(DataRate capacity) override {
    if (capacity > DataRate::Zero()) capacity_bps_ = capacity.bps();
  }

  void OnEnqueued(const Packet& packet, Timestamp, const std::vector<Dropped>& drops) override {
    std::deque<Packet>& queue = QueueOf(packet);
    if (static_cast<double>(queue.size()) + 1 > params_.depth_packets) {
      EXPECT_THAT_HOLDS(drops.size() == 1 && drops[0].packet.id == packet.id && drops[0].reason == DropReason::kQueueFull, "a packet beyond its flow's depth is dropped");
      return;
    }
    queue.push_back(packet);
    ++packets_;
    bytes_ += packet.size.bytes();
    for (const Dropped& drop : drops) {
      EXPECT_THAT_HOLDS(MayBeOverLimit(), "what waits is dropped only beyond a limit");
      EXPECT_THAT_HOLDS(drop.reason == DropReason::kOverlimit, "it makes room for others");
      std::deque<Packet>& longest = QueueOf(drop.packet);
      for (const auto& other : queues_) EXPECT_THAT_HOLDS(other.size() <= longest.size(), "the longest queue loses a packet");
      EXPECT_THAT_HOLDS(longest.back().id == drop.packet.id, "its last one");
      longest.pop_back();
      Remove(drop.packet);
      if (longest.empty()) ForgetTurns(queue_of_[static_cast<std::size_t>(drop.packet.flow)]);
    }
    EXPECT_THAT_HOLDS(packets_ == 1 || !IsOverLimit(), "the limits hold");
  }

  void OnDequeued(const Packet* packet, Timestamp, const std::vector<Dropped>& drops) override {
    EXPECT_THAT_HOLDS(drops.empty(), "SFQ drops on arrival only");
    if (packet == nullptr) return;
    std::deque<Packet>& queue = QueueOf(*packet);
    EXPECT_THAT_HOLDS(queue.front().id == packet->id, "a queue is first in, first out");
    queue.pop_front();
    Remove(*packet);
    CheckTurns(queue_of_[static_cast<std::size_t>(packet->flow)], packet->size.bytes());
  }

 private:
  static constexpr double kRounding = 1e-9;  // relative tolerance for a time limit converted to bytes

  // Deficit round robin: while two queues are both backlogged, neither gets ahead of the other by more than two quanta
  // plus two of the largest packets.
  void CheckTurns(std::size_t served, double bytes) {
    largest_ = std::max(largest_, bytes);
    for (std::size_t other = 0; other < queues_.size(); ++other) {
      auto& ahead = ahead_[served][other];
      if (queues_[other].empty() || queues_[served].empty()) {
        ahead_[other][served] = ahead = 0;
        continue;
      }
      ahead += bytes;
      EXPECT_THAT_HOLDS(other == served || ahead <= 2 * (params_.quantum_bytes + largest_), "queues that wait share the link");
      ahead_[other][served] = std::max(0.0, ahead_[other][served] - bytes);
    }
    ahead_[served][served] = 0;
  }

  void ForgetTurns(std::size_t queue) {
    for (std::size_t other = 0; other < queues_.size(); ++other) ahead_[queue][other] = ahead_[other][queue] = 0;
  }

  std::deque<Packet>& QueueOf(const Packet& packet) { return queues_[queue_of_[static_cast<std::size_t>(packet.flow)]]; }
  void Remove(const Packet& packet) {
    --packets_;
    bytes_ -= packet.size.bytes();
  }
  bool Exceeds(double rounding) const {
    const double time_limit = params_.limit_ms > 0 && capacity_bps_ > 0 ? capacity_bps_ * params_.limit_ms / 8e3 : kInfinity;
    return (params_.limit_bytes > 0 && bytes_ > params_.limit_bytes) ||
           (params_.limit_packets > 0 && packets_ > params_.limit_packets) || bytes_ > time_limit * (1 + rounding);
  }
  bool IsOverLimit() const { return Exceeds(kRounding); }
  bool MayBeOverLimit() const { return Exceeds(-kRounding); }

  Sfq::Params params_;
  double capacity_bps_ = 0;  // 0 until a capacity is given
  std::array<std::size_t, QueueExercise::kFlows> queue_of_{};
  std::array<std::deque<Packet>, QueueExercise::kFlows> queues_;
  double packets_ = 0;
  double bytes_ = 0;
  double largest_ = 0;
  std::array<std::array<double, QueueExercise::kFlows>, QueueExercise::kFlows> ahead_{};
};

FUZZ_TARGET(queue_sfq) {
  Sfq::Params usual;
  usual.buckets = 1 + input.Byte();
  if (input.Flag()) {
    usual.depth_packets = 1 + input.Pick(16);
    usual.limit_packets = input.Pick(32);
    usual.quantum_bytes = input.Scaled(1, 5000);
  }
  const auto params = DrawParameters(input, usual, kSpecs);
  const auto disc = MakeDisc<Sfq>(QueueDiscKind::kSfq, params, input.Byte());
  if (disc == nullptr) return;
  SfqModel model(params, *disc);
  QueueExercise(*disc, model, false).Run(input);
}

}  // namespace
}  // namespace ccscope::fuzz
