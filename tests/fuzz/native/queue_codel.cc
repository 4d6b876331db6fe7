// Compares CoDel with an independent implementation of the pseudocode in RFC 8289, section 5. Both must drop and send
// the same packets, also in a dropping state, in which drops are interval / sqrt(count) apart.
#include <deque>

#include "sim/queue_disc/codel.h"
#include "tests/fuzz/native/queue.h"

namespace ccscope::fuzz {
namespace {

constexpr ParameterSpec kSpecs[] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/queue_disc/codel.def"
#undef PARAMETER
};

class Rfc8289 {
 public:
  explicit Rfc8289(const CoDel::Params& params) : params_(params) {}

  void Enqueue(const Packet& packet) {
    queue_.push_back(packet);
    backlog_ += packet.size.bytes();
  }
  std::size_t size() const { return queue_.size(); }

  std::vector<double> dropped;  // the ids dropped by the latest Dequeue()

  const Packet* Dequeue(double now) {
    dropped.clear();
    Result r = DoDequeue(now);
    if (dropping_) {
      if (!r.ok_to_drop) dropping_ = false;
      while (now >= drop_next_ && dropping_) {
        dropped.push_back(r.packet->id);
        r = DoDequeue(now);
        if (!r.ok_to_drop) {
          dropping_ = false;
        } else {
          ++count_;
          drop_next_ = ControlLaw(drop_next_, count_);
        }
      }
    } else if (r.ok_to_drop) {
      dropped.push_back(r.packet->id);
      r = DoDequeue(now);
      dropping_ = true;
      const double delta = count_ - lastcount_;
      count_ = delta > 1 && now - drop_next_ < 16 * interval() ? delta : 1;
      drop_next_ = ControlLaw(now, count_);
      lastcount_ = count_;
    }
    packet_ = r.packet;
    return packet_ ? &*packet_ : nullptr;
  }

 private:
  struct Result {
    std::optional<Packet> packet;
    bool ok_to_drop = false;
  };
  double interval() const { return params_.interval_ms * 1e3; }
  double ControlLaw(double t, double count) const { return t + interval() / std::sqrt(count); }

  Result DoDequeue(double now) {
    Result r;
    if (queue_.empty()) {
      first_above_ = kNever;
      return r;
    }
    r.packet = queue_.front();
    queue_.pop_front();
    backlog_ -= r.packet->size.bytes();
    largest_ = std::max(largest_, r.packet->size.bytes());
    const double least = params_.least_backlog == 1 ? largest_ : params_.mtu_bytes;
    if (now - r.packet->queued.us() < params_.target_ms * 1e3 || backlog_ <= least) {
      first_above_ = kNever;
    } else if (first_above_ == kNever) {
      first_above_ = now + interval();
    } else {
      r.ok_to_drop = now >= first_above_;
    }
    return r;
  }

  static constexpr double kNever = -1;
  CoDel::Params params_;
  std::deque<Packet> queue_;
  double backlog_ = 0;
  double largest_ = 256;
  double first_above_ = kNever;
  double drop_next_ = -kInfinity;
  double count_ = 0;
  double lastcount_ = 0;
  bool dropping_ = false;
  std::optional<Packet> packet_;
};

class CoDelModel final : public QueueModel {
 public:
  CoDelModel(const CoDel::Params& params, const CoDel& disc) : params_(params), disc_(disc), law_(params) {}

  void OnEnqueued(const Packet& packet, Timestamp, const std::vector<Dropped>& drops) override {
    const bool full = static_cast<double>(law_.size()) + 1 > params_.limit_packets;
    EXPECT_THAT_HOLDS(drops.size() == (full ? 1u : 0u), "the packet that arrives is dropped if and only if the queue is full");
    if (full) {
      EXPECT_THAT_HOLDS(drops[0].packet.id == packet.id && drops[0].reason == DropReason::kQueueFull, "it is dropped, since the queue is full");
    } else {
      law_.Enqueue(packet);
    }
  }

  void OnDequeued(const Packet* packet, Timestamp now, const std::vector<Dropped>& drops) override {
    const Packet* expected = law_.Dequeue(now.us());
    EXPECT_THAT_HOLDS((packet == nullptr) == (expected == nullptr), "a packet leaves if the RFC's would");
    EXPECT_THAT_HOLDS(packet == nullptr || packet->id == expected->id, "the packet that leaves is the RFC's");
    EXPECT_THAT_HOLDS(drops.size() == law_.dropped.size(), "as many are dropped as by the RFC");
    for (std::size_t i = 0; i < drops.size(); ++i) {
      EXPECT_THAT_HOLDS(drops[i].packet.id == law_.dropped[i] && drops[i].reason == DropReason::kCoDel, "those that are dropped are the RFC's");
    }
    const CoDelLaw::State& state = disc_.law().state();
    EXPECT_THAT_HOLDS(!state.dropping || state.count >= 1, "a dropping state has a drop");
  }

 private:
  CoDel::Params params_;
  const CoDel& disc_;
  Rfc8289 law_;
};

FUZZ_TARGET(queue_codel) {
  CoDel::Params usual;
  if (input.Flag()) {
    usual = {input.Scaled(0.1, 100), input.Scaled(0.1, 100), static_cast<double>(1 + input.Byte()), static_cast<double>(input.Byte() * 8)};
  }
  const auto params = DrawParameters(input, usual, kSpecs);
  const auto disc = MakeDisc<CoDel>(QueueDiscKind::kCoDel, params, 1);
  EXPECT_THAT_HOLDS(disc != nullptr, "values in range make a discipline");
  CoDelModel model(params, *disc);
  QueueExercise(*disc, model, true).Run(input);
}

}  // namespace
}  // namespace ccscope::fuzz
