// Checks PIE: it is a FIFO that drops only arriving packets, and only if the queue is full or RFC 8033, section 4.1,
// allows an early drop.
#include "sim/queue_disc/pie.h"
#include "tests/fuzz/native/queue.h"

namespace ccscope::fuzz {
namespace {

constexpr ParameterSpec kSpecs[] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/queue_disc/pie.def"
#undef PARAMETER
};

class PieModel final : public QueueModel {
 public:
  PieModel(const Pie::Params& params, const Pie& disc) : params_(params), disc_(disc) {}

  void OnEnqueued(const Packet& packet, Timestamp now, const std::vector<Dropped>& drops) override {
    const bool full = packets_ + 1 > params_.limit_packets;
    EXPECT_THAT_HOLDS(drops.size() <= 1, "at most the packet that arrives is dropped");
    if (drops.empty()) {
      EXPECT_THAT_HOLDS(!full, "a packet beyond the limit is dropped");
      ++packets_;
      bytes_ += packet.size.bytes();
    } else {
      EXPECT_THAT_HOLDS(drops[0].packet.id == packet.id, "the packet that arrives is dropped");
      EXPECT_THAT_HOLDS(drops[0].reason == (full ? DropReason::kQueueFull : DropReason::kPie), "a full queue is told from an early drop");
      if (!full) CheckEarlyDrop();
      EXPECT_THAT_HOLDS(disc_.state().accumulated == 0, "a drop begins a new accumulation");
    }
    CheckState(now);
  }

  void OnDequeued(const Packet* packet, Timestamp now, const std::vector<Dropped>& drops) override {
    EXPECT_THAT_HOLDS(drops.empty(), "PIE drops on arrival only");
    if (packet != nullptr) {
      --packets_;
      bytes_ -= packet->size.bytes();
    }
    CheckState(now);
  }

 private:
  // The conditions for an early drop (RFC 8033, section 4.1).
  void CheckEarlyDrop() const {
    const Pie::State& s = disc_.state();
    EXPECT_THAT_HOLDS(s.probability > 0, "no early drop at a probability of 0");
    EXPECT_THAT_HOLDS(s.burst_allowance == TimeDelta::Zero(), "no early drop within the burst allowance");
    EXPECT_THAT_HOLDS(bytes_ >= 2 * params_.mtu_bytes, "no early drop of what finds less than two packets");
    EXPECT_THAT_HOLDS(!(s.delay < params_.target() / 2 && s.probability < 0.2), "no early drop while the delay is short");
  }

  void CheckState(Timestamp now) {
    const Pie::State& s = disc_.state();
    EXPECT_THAT_HOLDS(s.probability >= 0 && s.probability <= 1, "the probability is between 0 and 1");
    EXPECT_THAT_HOLDS(s.accumulated >= 0 && s.accumulated < 8.5 + 1, "a drop is certain before ten times the probability");
    EXPECT_THAT_HOLDS(s.delay >= TimeDelta::Zero() && s.delay.IsFinite() && s.old_delay >= TimeDelta::Zero(), "a delay is finite and not negative");
    EXPECT_THAT_HOLDS(s.burst_allowance >= TimeDelta::Zero() && s.burst_allowance <= params_.burst_allowance(), "the burst allowance is at most what was asked for");
    EXPECT_THAT_HOLDS(s.next_update >= now, "updates that were due have been made");
    const TimeDelta longest = std::max(params_.t_update(), TimeDelta::Millis(500));
    EXPECT_THAT_HOLDS(s.next_update - now <= longest * (1 + 1e-9), "the next update is at most an interval away");
    EXPECT_THAT_HOLDS(disc_.pie_stats().updates - updates_ <= 10001, "the updates of one call are bounded");
    updates_ = disc_.pie_stats().updates;
  }

  Pie::Params params_;
  const Pie& disc_;
  double packets_ = 0;
  double bytes_ = 0;
  double updates_ = 0;
};

FUZZ_TARGET(queue_pie) {
  Pie::Params usual;
  usual.variant = input.Pick(2);
  if (input.Flag()) {
    usual.target_ms = input.Scaled(0.1, 100);
    usual.t_update_ms = input.Scaled(0.5, 100);
    usual.limit_packets = 1 + input.Byte();
    usual.burst_allowance_ms = input.Byte();
    usual.dq_threshold_bytes = 1 + input.Byte() * 20;
    usual.mtu_bytes = input.Byte();
  }
  const auto params = DrawParameters(input, usual, kSpecs);
  const auto disc = MakeDisc<Pie>(QueueDiscKind::kPie, params, input.Byte());
  EXPECT_THAT_HOLDS(disc != nullptr, "values in range make a discipline");
  PieModel model(params, *disc);
  QueueExercise(*disc, model, true).Run(input);
}

}  // namespace
}  // namespace ccscope::fuzz
