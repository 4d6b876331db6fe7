// Tests every queue discipline: the contract of sim/queue_disc/queue_disc.h over random sequences, no allocation in the
// steady state, and the ranges of the parameters.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "units/random.h"
#include "tests/native/allocations.h"
#include "tests/native/queue_support.h"

namespace ccscope {
namespace {

using Factory = std::function<std::unique_ptr<QueueDisc>()>;

std::map<std::string, Factory> Disciplines() {
  CoDel::Params tight_codel;
  tight_codel.target_ms = 1;
  tight_codel.interval_ms = 10;
  Sfq::Params shallow_sfq;
  shallow_sfq.depth_packets = 5;
  shallow_sfq.quantum_bytes = 100;
  FqCoDel::Params small_fq;
  small_fq.limit_packets = 20;
  small_fq.queues = 4;
  small_fq.target_ms = 1;
  small_fq.interval_ms = 10;
  return {
      {"droptail", [] { return Make(QueueDiscKind::kDropTail, DropTail::Params::Bytes(DataSize::Bytes(20000))); }},
      {"codel", [] { return Make(QueueDiscKind::kCoDel, CoDel::Params()); }},
      {"tight codel", [=] { return Make(QueueDiscKind::kCoDel, tight_codel); }},
      {"pie", [] { return Make(QueueDiscKind::kPie, PiePreset("pie")); }},
      {"pie-rfc8033", [] { return Make(QueueDiscKind::kPie, PiePreset("pie-rfc8033")); }},
      {"sfq", [] { return Make(QueueDiscKind::kSfq, Sfq::Params()); }},
      {"shallow sfq", [=] { return Make(QueueDiscKind::kSfq, shallow_sfq); }},
      {"fq_codel", [] { return Make(QueueDiscKind::kFqCoDel, FqCoDel::Params()); }},
      {"small fq_codel", [=] { return Make(QueueDiscKind::kFqCoDel, small_fq); }},
  };
}

// Exercises a discipline with random arrivals and departures, and checks the contract at every step.
class Exercise {
 public:
  Exercise(std::unique_ptr<QueueDisc> disc, std::uint64_t seed) : disc_(std::move(disc)), random_(seed) {}

  void Run(int steps) {
    disc_->OnCapacity(DataRate::KilobitsPerSec(1000));
    for (int i = 0; i < steps; ++i) {
      Advance();
      // Phases of overload and phases of draining alternate. Each takes 400 steps.
      const bool overload = (i / 400) % 2 == 0;
      if (random_.Uniform() < (overload ? 0.7 : 0.3)) {
        Arrive();
      } else {
        Depart();
      }
      if (i % 997 == 0) disc_->OnCapacity(DataRate::KilobitsPerSec(std::floor(random_.Uniform() * 3) * 1000));
      Check();
    }
    while (Depart()) Check();
    EXPECT_TRUE(waiting_.empty());
    EXPECT_EQ(disc_->stats().packets, 0);
    EXPECT_EQ(disc_->stats().bytes.bytes(), 0);
    EXPECT_EQ(disc_->stats().dequeued, departed_);
  }

  double departed() const { return departed_; }
  const DropLog& drops() const { return drops_; }

 private:
  void Advance() {
    // The times between operations: mostly up to 24 ms (two packets of 1500 B at 1 Mbps), sometimes 0, now and then an
    // hour.
    const double u = random_.Uniform();
    if (u > 0.2) now_ += TimeDelta::Micros(std::floor(random_.Uniform() * 24000));
    if (u > 0.999) now_ += TimeDelta::Seconds(3600);
  }

  void Arrive() {
    const int flow = static_cast<int>(random_.Uniform() * 12);
    const double bytes = random_.Uniform() < 0.02 ? 1e6 : std::floor(1 + random_.Uniform() * 1500);
    const Packet packet = PacketAt(next_id_++, bytes, now_, flow);
    waiting_[packet.id] = packet;
    disc_->Enqueue(packet, now_, drops_);
    Settle();
  }

  bool Depart() {
    const double before = disc_->stats().packets;
    const auto packet = disc_->Dequeue(now_, drops_);
    Settle();
    if (!packet) {
      EXPECT_EQ(disc_->stats().packets, 0) << "nothing came out of " << before;
      return false;
    }
    ++departed_;
    const auto it = waiting_.find(packet->id);
    EXPECT_NE(it, waiting_.end()) << "packet " << packet->id << " left twice";
    if (it == waiting_.end()) return true;
    EXPECT_EQ(packet->size, it->second.size);
    waiting_.erase(it);
    double& last = last_of_flow_[packet->flow];
    EXPECT_GT(packet->id + 1, last) << "flow " << packet->flow << " was reordered";
    last = packet->id + 1;
    return true;
  }

  void Settle() {
    for (; settled_ < drops_.entries.size(); ++settled_) {
      EXPECT_EQ(waiting_.erase(drops_.entries[settled_].id), 1u);
      EXPECT_NE(drops_.entries[settled_].reason, DropReason::kNone);
    }
  }

  void Check() {
    const QueueStats& s = disc_->stats();
    double bytes = 0;
    for (const auto& [id, packet] : waiting_) bytes += packet.size.bytes();
    ASSERT_EQ(s.packets, static_cast<double>(waiting_.size()));
    ASSERT_EQ(s.bytes.bytes(), bytes);
    ASSERT_EQ(s.dropped, static_cast<double>(drops_.entries.size()));
    ASSERT_EQ(s.dequeued, departed_);
    ASSERT_EQ(next_id_, s.packets + s.dequeued + s.dropped);
  }

  std::unique_ptr<QueueDisc> disc_;
  Random random_;
  DropLog drops_;
  std::size_t settled_ = 0;
  Timestamp now_;
  double next_id_ = 0;
  double departed_ = 0;
  std::map<double, Packet> waiting_;
  std::map<int, double> last_of_flow_;
};

TEST(QueueDisc, EveryPacketLeavesOnceAndInItsFlowsOrder) {
  for (const auto& [name, make] : Disciplines()) {
    SCOPED_TRACE(name);
    double dropped = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Exercise exercise(make(), seed);
      exercise.Run(6000);
      EXPECT_GT(exercise.departed(), 1000);
      dropped += static_cast<double>(exercise.drops().entries.size());
    }
    EXPECT_GT(dropped, 0);
  }
}

TEST(QueueDisc, TheSameSeedGivesTheSameFates) {
  for (const auto& [name, make] : Disciplines()) {
    SCOPED_TRACE(name);
    Exercise a(make(), 5);
    Exercise b(make(), 5);
    a.Run(4000);
    b.Run(4000);
    EXPECT_EQ(a.drops().ids(), b.drops().ids());
  }
}

TEST(QueueDisc, DoesNotAllocateInTheSteadyState) {
  struct Silent final : DropSink {
    void OnDrop(const Packet&, DropReason, Timestamp) override { ++drops; }
    long drops = 0;
  } silent;
  for (const auto& [name, make] : Disciplines()) {
    SCOPED_TRACE(name);
    const auto disc = make();
    disc->OnCapacity(DataRate::KilobitsPerSec(1000));
    double id = 0;
    Timestamp now;
    // In each round, 5 packets of 1250 B arrive and 4 depart, 10 ms apart: the queue is always overloaded.
    const auto run = [&](int rounds) {
      for (int i = 0; i < rounds; ++i) {
        for (int k = 0; k < 5; ++k, ++id) disc->Enqueue(PacketAt(id, 1250, now, i % 9), now, silent);
        for (int k = 0; k < 4; ++k, now += TimeDelta::Millis(10)) disc->Dequeue(now, silent);
      }
    };
    run(20000);
    const long before = Allocations();
    run(20000);
    EXPECT_EQ(Allocations(), before);
  }
  EXPECT_GT(silent.drops, 0);
}

// With packets of a gigabyte and a quantum of one byte, most rounds send nothing. Such rounds are skipped, not
// performed one by one.
TEST(QueueDisc, DebtOfManyRoundsTakesNoTime) {
  Sfq::Params sfq;
  sfq.quantum_bytes = 1;
  FqCoDel::Params fq;
  fq.quantum_bytes = 1;
  for (const auto& disc : {Make(QueueDiscKind::kSfq, sfq), Make(QueueDiscKind::kFqCoDel, fq)}) {
    DropLog drops;
    for (double id = 0; id < 300; ++id) disc->Enqueue(PacketAt(id, 1e9, {}, static_cast<int>(id) % 100), {}, drops);
    std::set<int> flows;
    for (int i = 0; i < 300; ++i) {
      const auto packet = disc->Dequeue({}, drops);
      ASSERT_TRUE(packet);
      if (i < 100) flows.insert(packet->flow);
    }
    EXPECT_GE(flows.size(), 85u);  // fewer than 100, since some flows share a queue
  }
}

TEST(QueueDisc, NamesTheParameterThatIsOutOfRange) {
  const auto refused = [](QueueDiscKind kind, const auto& params) {
    const auto error = CheckQueueDisc(kind, reinterpret_cast<const double*>(&params), sizeof params / sizeof(double));
    EXPECT_EQ(Make(kind, params), nullptr);
    return std::string(error ? error.field : "") + ": " + error.expectation;
  };
  CoDel::Params codel;
  codel.target_ms = 0;
  EXPECT_EQ(refused(QueueDiscKind::kCoDel, codel), "target_ms: expected 0.001 to 10000 ms");
  codel = {};
  codel.limit_packets = 10.5;
  EXPECT_EQ(refused(QueueDiscKind::kCoDel, codel), "limit_packets: expected a whole number");
  Pie::Params pie;
  pie.variant = 2;
  EXPECT_EQ(refused(QueueDiscKind::kPie, pie), "variant: expected 0 to 1 ");
  pie = {};
  pie.beta_per_s = std::nan("");
  EXPECT_EQ(refused(QueueDiscKind::kPie, pie), "beta_per_s: expected 0 to 32 1/s");
  Sfq::Params sfq;
  sfq.limit_ms = 0;
  EXPECT_EQ(refused(QueueDiscKind::kSfq, sfq), "limit_ms: expected a limit above 0 in ms, bytes or packets");
  FqCoDel::Params fq;
  fq.queues = 65537;
  EXPECT_EQ(refused(QueueDiscKind::kFqCoDel, fq), "queues: expected 1 to 65536 queues");
  EXPECT_EQ(refused(static_cast<QueueDiscKind>(99), fq), "kind: expected a queue discipline of the schema");
  EXPECT_EQ(refused(QueueDiscKind::kCoDel, fq), "parameters: expected as many values as the schema has parameters");
}

}  // namespace
}  // namespace ccscope
