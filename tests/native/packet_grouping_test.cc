#include "cc/gcc/packet_grouping.h"

#include <gtest/gtest.h>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

std::optional<GroupDeltas> Arrive(PacketGrouping& grouping, double send_ms, double arrival_ms, double bytes) {
  return grouping.OnArrival(Timestamp::Millis(send_ms), Timestamp::Millis(arrival_ms), DataSize::Bytes(bytes));
}

TEST(PacketGrouping, DeltasAreThoseOfTheLastPacketsOfTwoFinishedGroups) {
  PacketGrouping grouping(PresetNamed("gcc"));
  EXPECT_FALSE(Arrive(grouping, 0, 100, 1200));
  EXPECT_FALSE(Arrive(grouping, 4, 104, 1200));
  EXPECT_FALSE(Arrive(grouping, 33, 134, 1000));
  const auto deltas = Arrive(grouping, 66, 170, 500);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->send.ms(), 29);
  EXPECT_DOUBLE_EQ(deltas->arrival.ms(), 30);
  EXPECT_DOUBLE_EQ(deltas->size.bytes(), 1000 - 2400);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), 1);  // eq. 3
  EXPECT_DOUBLE_EQ(deltas->one_way_delay.ms(), 101);
}

TEST(PacketGrouping, APacketOlderThanItsGroupIsLeftOut) {
  PacketGrouping grouping(PresetNamed("gcc"));
  Arrive(grouping, 0, 100, 1000);
  Arrive(grouping, 33, 133, 1000);
  EXPECT_FALSE(Arrive(grouping, 20, 134, 5000));
  const auto deltas = Arrive(grouping, 66, 166, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->size.bytes(), 0);
  EXPECT_DOUBLE_EQ(deltas->arrival.ms(), 33);
}

// GRP: what an outage of the radio link held back arrives at once and says nothing of the queue.
TEST(PacketGrouping, PreFilterMergesABurstAndKeepsItsLastPacket) {
  Parameters parameters = PresetNamed("gcc");
  parameters.pre_filter = 1;
  PacketGrouping grouping(parameters);
  EXPECT_FALSE(Arrive(grouping, 0, 100, 1000));
  EXPECT_FALSE(Arrive(grouping, 20, 101, 1000));
  EXPECT_FALSE(Arrive(grouping, 40, 102, 1000));
  EXPECT_FALSE(Arrive(grouping, 60, 160, 1000));
  const auto deltas = Arrive(grouping, 80, 180, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->send.ms(), 20);
  EXPECT_DOUBLE_EQ(deltas->arrival.ms(), 58);
  EXPECT_DOUBLE_EQ(deltas->size.bytes(), 1000 - 3000);
}

TEST(PacketGrouping, WithoutPreFilterTheSameBurstIsThreeGroups) {
  PacketGrouping grouping(PresetNamed("gcc"));
  Arrive(grouping, 0, 100, 1000);
  Arrive(grouping, 20, 101, 1000);
  const auto deltas = Arrive(grouping, 40, 102, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), -19);
}

TEST(PacketGrouping, AJumpOfTheArrivalClockStartsAfresh) {
  PacketGrouping grouping(PresetNamed("gcc"));
  Arrive(grouping, 0, 100, 1000);
  Arrive(grouping, 33, 3140, 1000);
  EXPECT_FALSE(Arrive(grouping, 66, 3173, 1000));  // 3007 ms later than sent: the clock, not the queue
  EXPECT_FALSE(Arrive(grouping, 99, 3206, 1000));
  EXPECT_FALSE(Arrive(grouping, 132, 3239, 1000));
  const auto deltas = Arrive(grouping, 165, 3272, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), 0);
}

}  // namespace
}  // namespace ccscope::gcc
