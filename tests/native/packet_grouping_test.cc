#include "cc/gcc/packet_grouping.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

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

// Three frames, each of two packets that are sent 2 ms apart; the last packets are (T, t) = (2, 52), (35, 88)
// and (68, 118) ms. Eq. 3: d_m = (88 - 52) - (35 - 2) = 3 ms and (118 - 88) - (68 - 35) = -3 ms.
TEST(PacketGrouping, IsEquation3OnThreeGroups) {
  PacketGrouping grouping(PresetNamed("gcc"));
  EXPECT_FALSE(Arrive(grouping, 0, 50, 1000));
  EXPECT_FALSE(Arrive(grouping, 2, 52, 500));
  EXPECT_FALSE(Arrive(grouping, 33, 85, 1000));
  EXPECT_FALSE(Arrive(grouping, 35, 88, 1200));
  const auto first = Arrive(grouping, 66, 116, 100);
  EXPECT_FALSE(Arrive(grouping, 68, 118, 100));
  const auto second = Arrive(grouping, 99, 149, 1000);
  ASSERT_TRUE(first);
  EXPECT_DOUBLE_EQ(first->delay_variation().ms(), 3);
  EXPECT_DOUBLE_EQ(first->size.bytes(), 2200 - 1500);
  EXPECT_DOUBLE_EQ(first->one_way_delay.ms(), 53);
  ASSERT_TRUE(second);
  EXPECT_DOUBLE_EQ(second->delay_variation().ms(), -3);
  EXPECT_DOUBLE_EQ(second->size.bytes(), 200 - 2200);
  EXPECT_DOUBLE_EQ(second->one_way_delay.ms(), 50);
}

TEST(PacketGrouping, AGroupIsWhatLeavesWithin5MsOfItsFirstPacket) {
  PacketGrouping grouping(PresetNamed("gcc"));
  Arrive(grouping, 0, 100, 1000);
  Arrive(grouping, 3, 103, 1000);
  Arrive(grouping, 5, 105, 1000);
  Arrive(grouping, 5.01, 105.01, 1000);  // 5.01 ms after the first packet of the group; the limit is 5 ms
  const auto deltas = Arrive(grouping, 50, 150, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->size.bytes(), 1000 - 3000);
}

// ToN ("Congestion Control for Web Real-Time Communication", 2017) III-A: a group is a frame, however the pacer spreads
// its packets. The last packets of the three frames are (T, t) = (20, 70), (53, 105) and (86, 135) ms.
TEST(PacketGrouping, ByFrameAPacedFrameIsOneGroup) {
  Parameters parameters = PresetNamed("gcc");
  parameters.group_by = 1;
  PacketGrouping grouping(parameters);
  std::vector<GroupDeltas> deltas;
  const double arrivals[3][3] = {{50, 60, 70}, {83, 93, 105}, {116, 126, 135}};
  for (int frame = 0; frame < 4; ++frame) {
    for (int packet = 0; packet < (frame < 3 ? 3 : 1); ++packet) {
      const double sent = 33 * frame + 10 * packet;
      const double arrived = frame < 3 ? arrivals[frame][packet] : 150;
      const auto d = grouping.OnArrival(Timestamp::Millis(sent), Timestamp::Millis(arrived), DataSize::Bytes(1000), 3000.0 * frame);
      if (d) deltas.push_back(*d);
    }
  }
  ASSERT_EQ(deltas.size(), 2u);
  EXPECT_DOUBLE_EQ(deltas[0].delay_variation().ms(), (105 - 70) - (53 - 20));
  EXPECT_DOUBLE_EQ(deltas[1].delay_variation().ms(), (135 - 105) - (86 - 53));
  EXPECT_DOUBLE_EQ(deltas[1].later_size.bytes(), 3000);
}

// A clock offset of any size between the two ends does not change the deltas.
TEST(PacketGrouping, NeedsNoCommonClock) {
  for (const double offset_ms : {0.0, -1e9, 5e8}) {
    PacketGrouping grouping(PresetNamed("gcc"));
    Arrive(grouping, 0, offset_ms, 1000);
    Arrive(grouping, 33, offset_ms + 35, 1000);
    const auto deltas = Arrive(grouping, 66, offset_ms + 66, 1000);
    ASSERT_TRUE(deltas);
    EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), 2);
  }
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

// GRP ("Making GCC Robust over Wi-Fi Networks Using Packet Grouping", 2016): an outage of the radio link holds packets
// back, which then arrive all at once. Their delay does not reveal anything about the queue.
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

// The example on a back-up slide of GRP. Packets 1 and 2 arrive on time. An outage holds packets 3 and 4 back; they
// arrive 2 and 1 ms before packet 5. Packet 6 arrives as if there had been no outage.
std::vector<double> VariationsAcrossAnOutage(double pre_filter) {
  struct Packet {
    double send_ms;
    double arrival_ms;
  };
  constexpr Packet kPackets[] = {{0, 50}, {20, 70}, {40, 128}, {60, 129}, {80, 130}, {100, 150}, {120, 170}};
  Parameters parameters = PresetNamed("gcc");
  parameters.pre_filter = pre_filter;
  PacketGrouping grouping(parameters);
  std::vector<double> variations;
  for (const Packet& p : kPackets) {
    if (const auto deltas = Arrive(grouping, p.send_ms, p.arrival_ms, 1000)) {
      variations.push_back(deltas->delay_variation().ms());
    }
  }
  return variations;
}

TEST(PacketGrouping, WithoutPreFilterAnOutageShowsAsALargeRiseAndSmallFalls) {
  // (70-50)-20, (128-70)-20, (129-128)-20, (130-129)-20, (150-130)-20
  EXPECT_EQ(VariationsAcrossAnOutage(0), (std::vector<double>{0, 38, -19, -19, 0}));
}

TEST(PacketGrouping, WithPreFilterAnOutageLeavesNoVariation) {
  // (70-50)-20, (130-70)-(80-20), (150-130)-20
  EXPECT_EQ(VariationsAcrossAnOutage(1), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(VariationsAcrossAnOutage(2), (std::vector<double>{0, 0, 0}));
}

// The packets are sent every 10 ms and arrive every 1 ms. For GRP and for libwebrtc in 2016 they are one burst, however
// long it lasts. The limit of 100 ms was added to libwebrtc about 2019.
TEST(PacketGrouping, ABurstEndsByItsAgeOnlyWhereALimitIsSet) {
  const auto groups_of = [](const char* preset, double pre_filter, std::optional<double> longest_ms = std::nullopt) {
    Parameters parameters = PresetNamed(preset);
    parameters.pre_filter = pre_filter;
    if (longest_ms) parameters.burst_max_duration_ms = *longest_ms;
    PacketGrouping grouping(parameters);
    std::vector<double> sizes;
    for (int i = 0; i < 250; ++i) {
      if (const auto deltas = Arrive(grouping, 10 * i, 5000 + i, 1)) sizes.push_back(deltas->size.bytes());
    }
    return sizes;
  };
  EXPECT_EQ(groups_of("gcc", 1), std::vector<double>{});
  for (const char* preset : {"libwebrtc-2016-08", "libwebrtc-2016-03", "libwebrtc-2016-02"}) {
    EXPECT_EQ(groups_of(preset, 2), std::vector<double>{}) << preset;
  }
  // The groups are packets 0 to 99, 100 to 199, and so on. Packet 200 completes the second group, so the first delta
  // compares two full groups.
  EXPECT_EQ(groups_of("libwebrtc-2016-08", 2, 100), std::vector<double>{0});
}

TEST(PacketGrouping, WithoutPreFilterTheSameBurstIsThreeGroups) {
  PacketGrouping grouping(PresetNamed("gcc"));
  Arrive(grouping, 0, 100, 1000);
  Arrive(grouping, 20, 101, 1000);
  const auto deltas = Arrive(grouping, 40, 102, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), -19);
}

// A group that arrives before its predecessor has no deltas. Three such groups in a row mean that the clock has jumped,
// and the grouping is reset. Otherwise, each later group would be compared with the group that arrived at 5000 ms.
TEST(PacketGrouping, ThreeReorderedGroupsInARowStartAfresh) {
  const auto next_after = [](int reordered) {
    PacketGrouping grouping(PresetNamed("gcc"));
    Arrive(grouping, 0, 5000, 1000);
    for (int i = 1; i <= reordered + 1; ++i) {
      EXPECT_FALSE(Arrive(grouping, 33 * i, 100 + 33 * i, 1000)) << i;
    }
    return grouping;
  };
  PacketGrouping kept = next_after(1);
  EXPECT_FALSE(Arrive(kept, 33 * 3, 100 + 33 * 3, 1000));
  PacketGrouping reset = next_after(4);
  EXPECT_FALSE(Arrive(reset, 33 * 6, 100 + 33 * 6, 1000));
  const auto deltas = Arrive(reset, 33 * 7, 100 + 33 * 7, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), 0);
}

TEST(PacketGrouping, AJumpOfTheArrivalClockBelow3SecondsIsDelay) {
  PacketGrouping grouping(PresetNamed("gcc"));
  Arrive(grouping, 0, 100, 1000);
  Arrive(grouping, 33, 133 + 2999, 1000);
  const auto deltas = Arrive(grouping, 66, 133 + 2999 + 33, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), 2999);
}

TEST(PacketGrouping, ARestartedSendClockStartsAfresh) {
  PacketGrouping grouping(PresetNamed("gcc"));
  for (int i = 0; i < 10; ++i) Arrive(grouping, 1e6 + 33 * i, 33 * i, 1000);
  EXPECT_FALSE(Arrive(grouping, 0, 330, 1000));
  EXPECT_FALSE(Arrive(grouping, 33, 363, 1000));
  const auto deltas = Arrive(grouping, 66, 400, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), 0);
  EXPECT_DOUBLE_EQ(deltas->send.ms(), 33);
}

TEST(PacketGrouping, AJumpOfTheArrivalClockStartsAfresh) {
  PacketGrouping grouping(PresetNamed("gcc"));
  Arrive(grouping, 0, 100, 1000);
  Arrive(grouping, 33, 3140, 1000);
  EXPECT_FALSE(Arrive(grouping, 66, 3173, 1000));  // the group before is 3007 ms late: the clock jumped
  EXPECT_FALSE(Arrive(grouping, 99, 3206, 1000));
  EXPECT_FALSE(Arrive(grouping, 132, 3239, 1000));
  const auto deltas = Arrive(grouping, 165, 3272, 1000);
  ASSERT_TRUE(deltas);
  EXPECT_DOUBLE_EQ(deltas->delay_variation().ms(), 0);
}

}  // namespace
}  // namespace ccscope::gcc
