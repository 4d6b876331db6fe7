#include "sim/tcp/receiver.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "units/random.h"

namespace ccscope::tcp {
namespace {

Segment Data(std::int64_t seq, double sent_ms = 0) {
  return {.seq = seq, .size = DataSize::Bytes(1500), .sent = Timestamp::Millis(sent_ms)};
}

using Blocks = std::vector<std::pair<std::int64_t, std::int64_t>>;
Blocks BlocksOf(const Ack& ack) {
  Blocks blocks;
  for (int i = 0; i < ack.sack_count; ++i) blocks.emplace_back(ack.sack[i].begin, ack.sack[i].end);
  return blocks;
}

// RFC 5681, section 4.2.
TEST(TcpReceiver, AcknowledgesEverySecondSegment) {
  Receiver receiver{Parameters{}};
  for (int i = 0; i < 20; ++i) {
    const auto ack = receiver.OnSegment(Data(i), Timestamp::Millis(i));
    ASSERT_EQ(ack.has_value(), i % 2 == 1) << i;
    if (ack) {
      EXPECT_EQ(ack->next_expected, i + 1);
      EXPECT_EQ(ack->size.bytes(), 52);
    }
  }
  EXPECT_EQ(receiver.next_timer(), Timestamp::PlusInfinity());
}

TEST(TcpReceiver, ALoneSegmentIsAcknowledgedByTheTimer) {
  Receiver receiver{Parameters{}};
  EXPECT_FALSE(receiver.OnSegment(Data(0), Timestamp::Millis(100)));
  EXPECT_EQ(receiver.next_timer(), Timestamp::Millis(140));
  EXPECT_FALSE(receiver.OnTimer(Timestamp::Millis(139)));
  const auto ack = receiver.OnTimer(Timestamp::Millis(140));
  ASSERT_TRUE(ack);
  EXPECT_EQ(ack->next_expected, 1);
  EXPECT_EQ(receiver.next_timer(), Timestamp::PlusInfinity());
}

TEST(TcpReceiver, AcknowledgesAtOnceOutOfOrderAndWhenAHoleIsFilledWhollyOrInPart) {
  Receiver receiver{Parameters{}};
  receiver.OnSegment(Data(0), {});
  EXPECT_EQ(receiver.OnSegment(Data(3), {})->next_expected, 1);
  EXPECT_EQ(receiver.OnSegment(Data(1), {})->next_expected, 2);  // fills the hole in part
  EXPECT_EQ(receiver.OnSegment(Data(2), {})->next_expected, 4);  // fills it wholly
  EXPECT_FALSE(receiver.OnSegment(Data(4), {}));                 // in order again, so the ACK is delayed
  EXPECT_EQ(receiver.OnSegment(Data(2), {})->next_expected, 5);  // already received, so a duplicate ACK is sent
  EXPECT_EQ(receiver.stats().duplicates, 1);
}

TEST(TcpReceiver, QuickAcksComeFirst) {
  Parameters p;
  p.quick_ack_segments = 5;
  Receiver receiver(p);
  int acks = 0;
  for (int i = 0; i < 11; ++i) acks += receiver.OnSegment(Data(i), {}).has_value();
  EXPECT_EQ(acks, 5 + 3);
}

// The example of RFC 2018, section 4: eight segments of 500 B, counted from 0. The second, fourth, sixth and eighth are
// lost; then the fourth and the second arrive.
TEST(TcpReceiver, SackBlocksAreThoseOfRfc2018sExample) {
  Parameters p;
  p.delayed_ack_segments = 1;
  Receiver receiver(p);
  EXPECT_EQ(BlocksOf(*receiver.OnSegment(Data(0), {})), Blocks{});
  EXPECT_EQ(BlocksOf(*receiver.OnSegment(Data(2), {})), (Blocks{{2, 3}}));
  EXPECT_EQ(BlocksOf(*receiver.OnSegment(Data(4), {})), (Blocks{{4, 5}, {2, 3}}));
  const auto third = receiver.OnSegment(Data(6), {});
  EXPECT_EQ(BlocksOf(*third), (Blocks{{6, 7}, {4, 5}, {2, 3}}));
  EXPECT_EQ(third->next_expected, 1);
  EXPECT_EQ(third->size.bytes(), 52 + 4 + 3 * 8);
  EXPECT_EQ(BlocksOf(*receiver.OnSegment(Data(3), {})), (Blocks{{2, 5}, {6, 7}}));
  const auto second = receiver.OnSegment(Data(1), {});
  EXPECT_EQ(second->next_expected, 5);
  EXPECT_EQ(BlocksOf(*second), (Blocks{{6, 7}}));
}

TEST(TcpReceiver, WithoutSackAcksStaySmall) {
  Receiver receiver(Parameters{}, CongestionControlKind::kNewReno);
  receiver.OnSegment(Data(0), {});
  const auto ack = receiver.OnSegment(Data(5), {});
  EXPECT_EQ(ack->sack_count, 0);
  EXPECT_EQ(ack->size.bytes(), 52);
}

// RFC 7323, section 4.3.
TEST(TcpReceiver, EchoesTheEarliestSegmentThatItAcknowledges) {
  Receiver receiver{Parameters{}};
  receiver.OnSegment(Data(0, 10), {});
  EXPECT_EQ(receiver.OnSegment(Data(1, 11), {})->echo.ms(), 10);
  receiver.OnSegment(Data(2, 12), {});
  EXPECT_EQ(receiver.OnSegment(Data(4, 14), {})->echo.ms(), 12);  // behind a hole: still the echo of segment 2
  EXPECT_EQ(receiver.OnSegment(Data(5, 15), {})->echo.ms(), 12);
  EXPECT_EQ(receiver.OnSegment(Data(3, 99), {})->echo.ms(), 99);  // the echo of the segment that fills the hole
}

// RFC 7323, section 4.3, (2): TS.Recent becomes the timestamp of any segment up to Last.ACK.sent, unless this timestamp
// is older. So if a segment is retransmitted because its ACK was lost, the time of the retransmission is echoed.
TEST(TcpReceiver, EchoesTheRepetitionOfWhatItAcknowledged) {
  Receiver receiver{Parameters{}};
  receiver.OnSegment(Data(0, 10), {});
  EXPECT_EQ(receiver.OnSegment(Data(1, 11), {})->echo.ms(), 10);
  EXPECT_EQ(receiver.OnSegment(Data(1, 500), {})->echo.ms(), 500);
  EXPECT_EQ(receiver.OnSegment(Data(0, 12), {})->echo.ms(), 500);  // an old segment, which arrives late
}

// Compares the SACK blocks with the set of received segment numbers. Segments arrive in random order, some of them
// repeatedly.
TEST(TcpReceiver, BlocksAreMaximalAndTrueWhateverArrives) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Receiver receiver{Parameters{}};
    std::set<std::int64_t> received;
    std::int64_t expected = 0;
    const double spread = 10 + 300 * random.Uniform();
    for (int i = 0; i < 2000; ++i) {
      const double ahead = random.Uniform() < 0.2 ? 0 : spread * random.Uniform() - 5;
      const std::int64_t seq = expected + static_cast<std::int64_t>(ahead);
      if (seq < 0) continue;
      received.insert(seq);
      while (received.contains(expected)) ++expected;
      const double duplicates = receiver.stats().duplicates;
      const auto ack = receiver.OnSegment(Data(seq), Timestamp::Millis(i));
      ASSERT_EQ(receiver.next_expected(), expected);
      if (!ack) continue;
      ASSERT_EQ(ack->next_expected, expected);
      // The first block contains the segment, unless the segment had already been received.
      bool newest = ack->sack_count == 0 || seq < expected || receiver.stats().duplicates > duplicates;
      for (int b = 0; b < ack->sack_count; ++b) {
        const SackBlock block = ack->sack[b];
        ASSERT_GT(block.begin, expected);
        ASSERT_FALSE(received.contains(block.end));
        ASSERT_FALSE(received.contains(block.begin - 1));
        for (std::int64_t s = block.begin; s < block.end; ++s) ASSERT_TRUE(received.contains(s));
        if (b == 0 && seq >= block.begin && seq < block.end) newest = true;
      }
      ASSERT_TRUE(newest);
    }
    EXPECT_GT(expected, 100);
  }
}

}  // namespace
}  // namespace ccscope::tcp
