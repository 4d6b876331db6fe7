// Tests CoDel against RFC 8289: the spacings of section 5.6's control law, and the counts of section 5.5.
#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "tests/native/queue_support.h"

namespace ccscope {
namespace {

// A queue that never ends: every packet has waited for the same time, and the backlog behind it never changes.
struct EndlessQueue {
  std::optional<Packet> Pop() { return PacketAt(0, 1000, now - sojourn); }
  DataSize Backlog() const { return backlog; }
  void Drop(const Packet&) { drops.push_back(now.ms()); }

  Timestamp now;
  TimeDelta sojourn;
  DataSize backlog = DataSize::Bytes(1e6);
  std::vector<double> drops = {};  // ms
};

// CoDel's control law on an EndlessQueue, which is served in steps of 1/16 ms (exact in binary, finer than any
// spacing).
class LawAtWork {
 public:
  explicit LawAtWork(const CoDel::Params& params = {}) : params_(params.law()) {}

  // Serves packets until `until_ms`; each of them has waited for `sojourn_ms`.
  void Run(double until_ms, double sojourn_ms) {
    queue_.sojourn = TimeDelta::Millis(sojourn_ms);
    for (; now_ms_ < until_ms; now_ms_ += kStepMs) {
      queue_.now = Timestamp::Millis(now_ms_);
      EXPECT_TRUE(law_.Dequeue(params_, queue_.now, queue_));
    }
  }

  std::vector<double> TakeDrops() { return std::exchange(queue_.drops, {}); }
  EndlessQueue& queue() { return queue_; }
  const CoDelLaw::State& state() const { return law_.state(); }

  static constexpr double kStepMs = 1.0 / 16;

 private:
  CoDelLaw law_;
  CoDelLaw::Params params_;
  EndlessQueue queue_;
  double now_ms_ = 0;
};

void ExpectSpacings(const std::vector<double>& drops, double first, const std::vector<double>& spacings) {
  ASSERT_EQ(drops.size(), spacings.size() + 1);
  EXPECT_EQ(drops[0], first);
  double due = first;
  for (std::size_t i = 0; i < spacings.size(); ++i) {
    due += spacings[i];
    EXPECT_GE(drops[i + 1], due - 1e-3) << i;
    EXPECT_LE(drops[i + 1], due + LawAtWork::kStepMs + 1e-3) << i;
  }
}

TEST(CoDel, DropsAfterAnIntervalThenAtIntervalOverTheSquareRootOfTheCount) {
  LawAtWork law;
  law.Run(605, 6);
  // RFC 8289, 5.6: the spacings are 100 / sqrt(1), 100 / sqrt(2), … ms. The drops are at 100, 200, 270.7, 328.4, 378.4
  // ms …
  ExpectSpacings(law.TakeDrops(), 100,
                 {100, 70.7107, 57.7350, 50, 44.7214, 40.8248, 37.7964, 35.3553, 33.3333, 31.6228});
}

TEST(CoDel, ADelayOfTheTargetIsTooLongOneBelowIsNot) {
  LawAtWork law;
  law.Run(500, 4.999);
  EXPECT_TRUE(law.TakeDrops().empty());
  law.Run(601, 5);
  EXPECT_EQ(law.TakeDrops(), std::vector<double>{600});
}

TEST(CoDel, ADipBelowTheTargetStartsTheIntervalAnew) {
  LawAtWork law;
  law.Run(99, 6);
  law.Run(100, 4);
  law.Run(199.9, 6);
  EXPECT_TRUE(law.TakeDrops().empty());
  law.Run(201, 6);
  EXPECT_EQ(law.TakeDrops(), std::vector<double>{200});
}

TEST(CoDel, LeavesPacketsAloneWhileAtMostAnMtuWaitsBehindThem) {
  LawAtWork law;
  law.queue().backlog = DataSize::Bytes(1514);
  law.Run(1000, 500);
  EXPECT_TRUE(law.TakeDrops().empty());
  law.queue().backlog = DataSize::Bytes(1515);
  law.Run(1101, 500);
  EXPECT_EQ(law.TakeDrops(), std::vector<double>{1100});
}

// Linux 3.16, codel_should_drop(): no drop while the backlog is at most stats->maxpacket, the size of the largest
// packet so far. All packets here are 1000 B long.
TEST(CoDel, OrWhileAtMostTheLargestPacketSoFarDoes) {
  CoDel::Params params;
  params.least_backlog = 1;
  LawAtWork law(params);
  law.queue().backlog = DataSize::Bytes(1000);
  law.Run(1000, 500);
  EXPECT_TRUE(law.TakeDrops().empty());
  law.queue().backlog = DataSize::Bytes(1001);
  law.Run(1101, 500);
  EXPECT_EQ(law.TakeDrops(), std::vector<double>{1100});
}

// There are 5 drops, at 100 to 378.4 ms. For the next 10 ms, packets wait for less than the target. After that, they
// wait for more than the target again.
TEST(CoDel, ResumesFromTheDropsOfTheLastDroppingState) {
  LawAtWork law;
  law.Run(390, 6);
  ASSERT_EQ(law.TakeDrops().size(), 5u);
  EXPECT_EQ(law.state().count, 5);
  EXPECT_EQ(law.state().last_count, 1);
  law.Run(400, 4);
  EXPECT_FALSE(law.state().dropping);
  law.Run(590, 6);
  // count = 5 - 1 = 4, so the spacing is 100/sqrt(4) = 50 ms.
  ExpectSpacings(law.TakeDrops(), 500, {50});
  EXPECT_EQ(law.state().count, 5);
  EXPECT_EQ(law.state().last_count, 4);
  // In this dropping state the count rose by only one, from 4 to 5, so the next state begins at 1.
  law.Run(594, 4);
  law.Run(720, 6);
  ExpectSpacings(law.TakeDrops(), 694, {});
  EXPECT_EQ(law.state().count, 1);
}

TEST(CoDel, ForgetsADroppingStateAfterSixteenIntervals) {
  // After five drops the next one would be due at 378.4 + 44.7 = 423.2 ms. A dropping state that begins within 16
  // intervals after that time, until 2023.2 ms, resumes from the old count. Here it begins 100 ms after `calm_until`.
  for (const auto& [calm_until, count] : {std::pair{1920.0, 4.0}, std::pair{1930.0, 1.0}}) {
    LawAtWork law;
    law.Run(390, 6);
    law.Run(calm_until, 4);
    law.Run(calm_until + 101, 6);
    EXPECT_EQ(law.state().last_count, count) << calm_until;
  }
}

// The queue is served at 0, 100 and 1050 ms only. The first drop is at 100 ms. At 1050 ms, drops 2 to 30 are due: drop
// 2 was due at 200 ms, and drop 30 at 200 ms plus the sum of 100/sqrt(k) over k = 2 … 29, i.e. 1040.3 ms. Drop 31 would
// be due at 1058.5 ms.
TEST(CoDel, MakesUpForTheDropsThatWereDueInASilence) {
  CoDelLaw law;
  EndlessQueue queue{.now = {}, .sojourn = TimeDelta::Millis(6)};
  for (const double ms : {0.0, 100.0, 1050.0}) {
    queue.now = Timestamp::Millis(ms);
    law.Dequeue(CoDel::Params().law(), queue.now, queue);
  }
  EXPECT_EQ(queue.drops.size(), 30u);
  EXPECT_EQ(law.state().count, 30);
  EXPECT_NEAR(law.state().drop_next.ms(), 1058.513, 1e-3);
}

TEST(CoDel, DropsFromTheHeadAndSaysWhy) {
  CoDel::Params params;
  const auto queue = Make(QueueDiscKind::kCoDel, params);
  DropLog drops;
  for (double id = 0; id < 10; ++id) queue->Enqueue(PacketAt(id, 1000, {}), {}, drops);
  EXPECT_EQ(queue->Dequeue(Timestamp::Millis(10), drops)->id, 0);
  EXPECT_EQ(queue->Dequeue(Timestamp::Millis(110), drops)->id, 2);
  ASSERT_EQ(drops.ids(), std::vector<double>{1});
  EXPECT_EQ(drops.entries[0].reason, DropReason::kCoDel);
  EXPECT_EQ(queue->stats().dropped, 1);
  EXPECT_EQ(queue->stats().dequeued, 2);
}

TEST(CoDel, TheLimitRefusesWhatArrives) {
  CoDel::Params params;
  params.limit_packets = 3;
  const auto queue = Make(QueueDiscKind::kCoDel, params);
  DropLog drops;
  for (double id = 0; id < 5; ++id) queue->Enqueue(PacketAt(id, 1000, {}), {}, drops);
  EXPECT_EQ(drops.ids(), (std::vector<double>{3, 4}));
  EXPECT_EQ(drops.entries[0].reason, DropReason::kQueueFull);
}

}  // namespace
}  // namespace ccscope
