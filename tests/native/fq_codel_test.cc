// Tests FQ-CoDel against RFC 8290: the deficits and lists of section 4.2, computed by hand; the drops of section 4.1,
// when the limit is exceeded; and CoDel in each queue.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/native/queue_support.h"

namespace ccscope {
namespace {

struct FqCoDelTest : testing::Test {
  void MakeQueue(const FqCoDel::Params& params) { queue = Make(QueueDiscKind::kFqCoDel, params); }
  void Offer(int flow, double bytes, int packets = 1, double ms = 0) {
    const Timestamp now = Timestamp::Millis(ms);
    for (int i = 0; i < packets; ++i) queue->Enqueue(PacketAt(next_id++, bytes, now, flow), now, drops);
  }
  std::string Serve(int packets, double ms = 0) {
    std::string flows;
    for (int i = 0; i < packets; ++i) {
      const auto packet = queue->Dequeue(Timestamp::Millis(ms), drops);
      flows += packet ? static_cast<char>('A' + packet->flow) : '-';
    }
    return flows;
  }

  std::unique_ptr<QueueDisc> queue;
  DropLog drops;
  double next_id = 0;
};

// The quantum is 1000 B. Packets of A are 600 B long, packets of B 1500 B. Each line lists the deficit of one flow, at
// first and after each of its packets. A number in parentheses is the deficit after a quantum was added.
// A: 1000, 400, -200 (800, the queue is now old), 200, -400 (600), 0 (1000).
// B: 1000, -500 (500, the queue is now old), -1000 (0), then (1000).
TEST_F(FqCoDelTest, TheDeficitsShareByBytes) {
  FqCoDel::Params params;
  params.quantum_bytes = 1000;
  MakeQueue(params);
  Offer(0, 600, 40);
  Offer(1, 1500, 20);
  EXPECT_EQ(Serve(21), "AABAABAAABAABAAABAABA");
}

TEST_F(FqCoDelTest, AQueueThatBeginsToSendGoesFirst) {
  MakeQueue(FqCoDel::Params());
  Offer(0, 1500, 10);
  Offer(1, 1500, 10);
  // Both queues are new at first. The quantum is 1514 B, so after one packet of 1500 B a queue may still send a second
  // one.
  EXPECT_EQ(Serve(4), "AABB");
  Offer(2, 200);
  EXPECT_EQ(Serve(1), "C");
}

// RFC 8290, 4.2: a new queue that becomes empty is put behind the old queues. Otherwise, a flow that sends packets one
// by one would stay ahead of the others forever.
TEST_F(FqCoDelTest, AQueueThatBecameEmptyWaitsARoundBeforeItIsNewAgain) {
  MakeQueue(FqCoDel::Params());
  Offer(0, 1514, 10);
  Offer(1, 1514, 10);
  EXPECT_EQ(Serve(2), "AB");
  Offer(2, 200);
  EXPECT_EQ(Serve(1), "C");
  // Before A is served, C is found empty and put behind A and B. Its next packet arrives while C is an old queue, so
  // this packet is served after B.
  EXPECT_EQ(Serve(1), "A");
  Offer(2, 200);
  EXPECT_EQ(Serve(3), "BCA");
  // Before the last A, C was found empty among the old queues and removed. Its next packet makes C a new queue again.
  EXPECT_EQ(Serve(2), "BA");
  Offer(2, 200);
  EXPECT_EQ(Serve(2), "CB");
}

TEST_F(FqCoDelTest, WhatAFlowLeftOfItsQuantumIsNotSavedUp) {
  MakeQueue(FqCoDel::Params());
  for (int i = 0; i < 5; ++i) {
    Offer(0, 1000);
    EXPECT_EQ(Serve(2), "A-");
  }
  Offer(0, 1500, 5);
  Offer(1, 1500, 5);
  EXPECT_EQ(Serve(4), "AABB");
}

TEST_F(FqCoDelTest, OverTheLimitTheQueueWithMostBytesLosesHalfOfThemFromItsHead) {
  FqCoDel::Params params;
  params.limit_packets = 10;
  MakeQueue(params);
  Offer(0, 1000, 4);  // packets 0 to 3: 4000 B
  Offer(1, 100, 7);   // packets 4 to 10: more packets, fewer bytes; packet 10 exceeds the limit
  ASSERT_EQ(drops.ids(), (std::vector<double>{0, 1}));
  EXPECT_EQ(drops.entries[0].reason, DropReason::kOverlimit);
  EXPECT_EQ(queue->stats().packets, 9);
}

TEST_F(FqCoDelTest, ABatchOfDropsIsAtMost64Packets) {
  FqCoDel::Params params;
  params.limit_packets = 500;
  MakeQueue(params);
  Offer(0, 1000, 501);
  EXPECT_EQ(drops.entries.size(), 64u);  // at most 64 per batch; half of the queue would be 250
}

TEST_F(FqCoDelTest, LinuxOf2016DropsOnePacket) {
  FqCoDel::Params params;
  params.limit_packets = 10;
  params.drop_batch_packets = 1;
  MakeQueue(params);
  Offer(0, 1000, 11);
  EXPECT_EQ(drops.ids(), std::vector<double>{0});
}

TEST_F(FqCoDelTest, CoDelActsOnEachQueueByItself) {
  MakeQueue(FqCoDel::Params());
  // A is served every 10 ms and never waits; 200 packets of B have been waiting since time 0.
  Offer(1, 1000, 200);
  double ms = 10;
  for (; ms <= 500; ms += 10) {
    Offer(0, 1000, 1, ms);
    EXPECT_NE(Serve(3, ms).find('A'), std::string::npos) << ms;
  }
  ASSERT_FALSE(drops.entries.empty());
  for (const auto& drop : drops.entries) {
    EXPECT_EQ(drop.flow, 1);
    EXPECT_EQ(drop.reason, DropReason::kCoDel);
  }
  // The delay first exceeds the target at 10 ms. The drops then have RFC 8289's spacings, rounded up to multiples of 10
  // ms.
  std::vector<double> times;
  for (const auto& drop : drops.entries) times.push_back(drop.time_us / 1e3);
  EXPECT_EQ(times, (std::vector<double>{110, 210, 290, 340, 390, 440, 480}));
}

// The queue of A contains one packet at a time, which is always 20 ms old when it leaves. B has a standing queue. CoDel
// does not drop while at most one MTU is waiting. For this rule, Linux counts the bytes of all flows. RFC 8289 counts
// only the queue of A, which is empty.
TEST_F(FqCoDelTest, TheMtuIsComparedWithTheWholeBacklogOrTheQueuesOwn) {
  for (const double own : {0.0, 1.0}) {
    FqCoDel::Params params;
    params.backlog_of = own;
    MakeQueue(params);
    drops.entries.clear();
    double dropped_of_a = 0;
    Offer(1, 1500, 1000);
    for (double ms = 0; ms < 1000; ms += 20) {
      // Serves a packet of A that arrived 20 ms ago; it does not matter how many packets of B are served first.
      const Timestamp came = Timestamp::Millis(ms);
      const Timestamp now = came + TimeDelta::Millis(20);
      queue->Enqueue(PacketAt(1e6 + ms, 1000, came, 0), came, drops);
      for (int i = 0; i < 100; ++i) {
        const auto packet = queue->Dequeue(now, drops);
        if (!packet || packet->flow == 0) break;
      }
    }
    for (const auto& drop : drops.entries) dropped_of_a += drop.flow == 0 ? 1 : 0;
    if (own == 1) {
      EXPECT_EQ(dropped_of_a, 0);
    } else {
      EXPECT_GT(dropped_of_a, 5);
    }
  }
}

}  // namespace
}  // namespace ccscope
