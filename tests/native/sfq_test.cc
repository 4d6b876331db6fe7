// SFQ: the rounds, computed by hand; byte fairness (McKenney 1990; the bound of Shreedhar and Varghese 1995); and which
// packets Linux's sch_sfq drops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/native/queue_support.h"

namespace ccscope {
namespace {

// The flows of the next packets, as letters: flow 0 is A.
std::string Serve(QueueDisc& queue, DropLog& drops, int packets) {
  std::string flows;
  for (int i = 0; i < packets; ++i) {
    const auto packet = queue.Dequeue({}, drops);
    flows += packet ? static_cast<char>('A' + packet->flow) : '-';
  }
  return flows;
}

struct SfqTest : testing::Test {
  void Offer(int flow, double bytes, int packets = 1) {
    for (int i = 0; i < packets; ++i) queue->Enqueue(PacketAt(next_id++, bytes, {}, flow), {}, drops);
  }
  void MakeQueue(const Sfq::Params& params) { queue = Make(QueueDiscKind::kSfq, params); }

  std::unique_ptr<QueueDisc> queue;
  DropLog drops;
  double next_id = 0;
};

// The quantum is 1000 B. Packets of A are 600 B long, packets of B 1500 B. The lists contain each flow's credit; "(A)"
// or "(B)" marks where the turn passes to that flow.
// A: 1000, 400, -200 (B), 800, 200, -400 (B), 600, 0 (B).
// B: 1000, -500 (A), 500, -1000 (A), 0 (A).
// Then both have 1000 again.
TEST_F(SfqTest, TheRoundGoesByBytes) {
  Sfq::Params params;
  params.quantum_bytes = 1000;
  MakeQueue(params);
  Offer(0, 600, 40);
  Offer(1, 1500, 20);
  EXPECT_EQ(Serve(*queue, drops, 21), "AABAABAAABAABAAABAABA");
}

TEST_F(SfqTest, FlowsOfAnyPacketSizeGetTheSameBytes) {
  Sfq::Params params;
  params.limit_ms = 0;
  params.limit_packets = 1e6;
  MakeQueue(params);
  const double sizes[] = {100, 700, 1500};
  double served[3] = {};
  for (int i = 0; i < 30000; ++i) {
    for (int flow = 0; flow < 3; ++flow) Offer(flow, sizes[flow]);  // so no queue runs empty
    const auto packet = queue->Dequeue({}, drops);
    served[packet->flow] += packet->size.bytes();
    if (i < 100) continue;
    const auto [least, most] = std::minmax({served[0], served[1], served[2]});
    ASSERT_LE(most - least, 1514 + 2 * 1500) << i;
  }
  EXPECT_GT(served[0], 1e6);
}

TEST_F(SfqTest, AFlowThatBeginsIsServedLastInTheRound) {
  MakeQueue(Sfq::Params());
  Offer(0, 1500, 4);
  Offer(1, 1500, 4);
  EXPECT_EQ(Serve(*queue, drops, 1), "A");
  Offer(2, 100);
  // A has 14 B of its quantum left.
  EXPECT_EQ(Serve(*queue, drops, 5), "ABBCA");
}

TEST_F(SfqTest, WhatAFlowLeftOfItsQuantumIsNotSavedUp) {
  MakeQueue(Sfq::Params());
  for (int i = 0; i < 5; ++i) {
    Offer(0, 1000);
    EXPECT_EQ(Serve(*queue, drops, 2), "A-");
  }
  Offer(0, 1500, 5);
  Offer(1, 1500, 5);
  EXPECT_EQ(Serve(*queue, drops, 4), "AABB");
}

TEST_F(SfqTest, WhenFullTheLongestFlowLosesItsLastPacket) {
  Sfq::Params params;
  params.limit_ms = 0;
  params.limit_packets = 6;
  MakeQueue(params);
  Offer(0, 100, 4);   // ids 0 to 3
  Offer(1, 1500, 2);  // packets 4 and 5: more bytes, but fewer packets
  Offer(2, 100);      // 6
  EXPECT_EQ(drops.ids(), std::vector<double>{3});
  EXPECT_EQ(drops.entries[0].reason, DropReason::kOverlimit);
  Offer(0, 100);  // packet 7 would be the fourth of A, the longest queue
  EXPECT_EQ(drops.ids(), (std::vector<double>{3, 7}));
  // A has 3 packets, B has 2. One more packet of B makes both queues equally long. The queue that reached this length
  // last loses the packet.
  Offer(1, 1500);  // 8
  EXPECT_EQ(drops.ids(), (std::vector<double>{3, 7, 8}));
}

TEST_F(SfqTest, WhenAllHaveOnePacketTheFlowWhoseTurnItIsLosesIt) {
  Sfq::Params params;
  params.limit_ms = 0;
  params.limit_packets = 3;
  MakeQueue(params);
  for (int flow = 0; flow < 4; ++flow) Offer(flow, 100);
  EXPECT_EQ(drops.ids(), std::vector<double>{0});
  EXPECT_EQ(Serve(*queue, drops, 4), "BCD-");
}

TEST_F(SfqTest, TheLimitIsATimeOfTheCapacity) {
  MakeQueue(Sfq::Params());
  queue->OnCapacity(DataRate::KilobitsPerSec(1000));  // 37.5 kB
  Offer(0, 1500, 30);
  EXPECT_EQ(queue->stats().bytes.bytes(), 37500);
  EXPECT_EQ(drops.entries.size(), 5u);
}

TEST_F(SfqTest, AFlowsQueueHoldsItsDepth) {
  MakeQueue(Sfq::Params());  // the default limit, 127 packets, as in Linux
  Offer(0, 100, 130);
  EXPECT_EQ(queue->stats().packets, 127);
  EXPECT_EQ(drops.ids(), (std::vector<double>{127, 128, 129}));
  EXPECT_EQ(drops.entries[0].reason, DropReason::kQueueFull);
  Offer(1, 100);
  EXPECT_EQ(queue->stats().packets, 128);
}

// n flows occupy 1024 * (1 - (1 - 1/1024)^n) of 1024 buckets on average; for n = 100 that is 95.3.
TEST(SfqHash, FlowsFallIntoBucketsAsByChanceAndAnewForEachSeed) {
  double occupied = 0;
  std::set<int> first_buckets;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Sfq sfq(Sfq::Params(), seed);
    std::set<int> buckets;
    for (int flow = 0; flow < 100; ++flow) buckets.insert(sfq.BucketOf(flow));
    EXPECT_GE(*buckets.begin(), 0);
    EXPECT_LT(*buckets.rbegin(), 1024);
    occupied += static_cast<double>(buckets.size());
    first_buckets.insert(sfq.BucketOf(0));
  }
  EXPECT_NEAR(occupied / 200, 95.34, 0.6);  // the sd for one seed is 2.1
  EXPECT_GT(first_buckets.size(), 150u);
}

TEST(SfqHash, FlowsThatMeetInABucketShareItsTurn) {
  Sfq::Params params;
  params.buckets = 1;
  Sfq sfq(params, 1);
  DropLog drops;
  for (double id = 0; id < 6; ++id) sfq.Enqueue(PacketAt(id, 100, {}, static_cast<int>(id) / 3), {}, drops);
  EXPECT_EQ(Serve(sfq, drops, 7), "AAABBB-");
}

// With 20 flows and 16 buckets, some flows share a bucket. After a perturbation, different flows share a bucket. No
// packet is lost, and every flow keeps its order.
TEST_F(SfqTest, APerturbationHashesFlowsIntoOtherQueues) {
  Sfq::Params params;
  params.buckets = 16;
  params.limit_ms = 0;
  params.limit_packets = 1e6;
  params.perturb_s = 10;
  Sfq sfq(params, 3);
  const auto buckets = [&] {
    std::vector<int> of;
    for (int flow = 0; flow < 20; ++flow) of.push_back(sfq.BucketOf(flow));
    return of;
  };
  const std::vector<int> before = buckets();
  double id = 0;
  const auto offer = [&](double s) {
    const Timestamp now = Timestamp::Seconds(s);
    for (int flow = 0; flow < 20; ++flow) sfq.Enqueue(PacketAt(id++, 1000, now, flow), now, drops);
  };
  for (int i = 0; i < 5; ++i) offer(9.9 * i / 5);
  EXPECT_EQ(buckets(), before);
  offer(10);
  EXPECT_NE(buckets(), before);
  const std::vector<int> after = buckets();
  offer(19.9);
  EXPECT_EQ(buckets(), after);
  std::vector<double> last(20, -1);
  for (int i = 0; i < 20 * 7; ++i) {
    const auto packet = sfq.Dequeue(Timestamp::Seconds(19.95), drops);
    ASSERT_TRUE(packet);
    double& of_flow = last[static_cast<std::size_t>(packet->flow)];
    EXPECT_GT(packet->id, of_flow);
    of_flow = packet->id;
  }
  EXPECT_FALSE(sfq.Dequeue(Timestamp::Seconds(19.95), drops));
  EXPECT_TRUE(drops.entries.empty());
  EXPECT_EQ(sfq.stats().packets, 0);
  EXPECT_EQ(sfq.stats().bytes, DataSize::Zero());
}

// Two flows have 100 packets each. After a perturbation they share a queue, which holds only 127 packets.
TEST_F(SfqTest, WhatDoesNotFitBehindAPerturbationIsDropped) {
  Sfq::Params params;
  params.buckets = 2;
  params.limit_ms = 0;
  params.limit_packets = 1e6;
  params.perturb_s = 1;
  bool was_shared = false;
  for (std::uint64_t seed = 1; seed < 40 && !was_shared; ++seed) {
    Sfq sfq(params, seed);
    if (sfq.BucketOf(0) == sfq.BucketOf(1)) continue;
    DropLog log;
    for (int i = 0; i < 200; ++i) sfq.Enqueue(PacketAt(i, 1000, {}, i % 2), {}, log);
    ASSERT_TRUE(log.entries.empty());
    sfq.Dequeue(Timestamp::Seconds(1), log);
    was_shared = sfq.BucketOf(0) == sfq.BucketOf(1);
    EXPECT_EQ(log.entries.size(), was_shared ? 73u : 0u);
    EXPECT_EQ(sfq.stats().packets, was_shared ? 126 : 199);
    EXPECT_EQ(sfq.sfq_stats().depth_drops, was_shared ? 73 : 0);
  }
  EXPECT_TRUE(was_shared);
}

}  // namespace
}  // namespace ccscope
