#include "sim/live/frame_assembly.h"

#include <gtest/gtest.h>

#include <vector>

namespace ccscope::live {
namespace {

constexpr FrameAssembly::Params kParams{true, TimeDelta::Millis(100), 3};
Timestamp At(double ms) { return Timestamp::Millis(ms); }

// Frames of three packets each.
FramePacket Packet(double seq, bool key_frame = false) {
  return {.seq = seq, .frame = static_cast<double>(static_cast<int>(seq) / 3), .packets = 3, .frame_size = DataSize::Bytes(3000), .key_frame = key_frame};
}

std::vector<double> FramesOut(FrameAssembly& assembly) {
  std::vector<double> frames;
  while (const auto frame = assembly.NextFrame()) frames.push_back(frame->of.frame);
  return frames;
}

std::vector<double> AskedFor(FrameAssembly& assembly, Timestamp now) {
  const auto request = assembly.TakeRequest(now);
  return {request.seqs.begin(), request.seqs.begin() + request.count};
}

TEST(FrameAssembly, AFrameComesOutWithItsLastPacket) {
  FrameAssembly assembly(kParams);
  assembly.OnPacket(Packet(0), false, At(10));
  assembly.OnPacket(Packet(1), false, At(11));
  EXPECT_FALSE(assembly.NextFrame());
  assembly.OnPacket(Packet(2), false, At(12));
  const auto frame = assembly.NextFrame();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->of.frame, 0);
  EXPECT_EQ(frame->arrived, At(12));
  EXPECT_EQ(assembly.packets_lost(), 0);
  EXPECT_EQ(assembly.NextRequest(), Timestamp::PlusInfinity());
}

// As in Chromium: a complete frame reaches the receiver's encoded transform even while an earlier frame still lacks a
// packet.
TEST(FrameAssembly, TellsOfEachFrameOnceAsSoonAsItIsWhole) {
  FrameAssembly assembly(kParams);
  for (const double seq : {0, 2, 3, 4}) EXPECT_FALSE(assembly.OnPacket(Packet(seq), false, At(seq)));
  const auto second = assembly.OnPacket(Packet(5), false, At(5));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->of.frame, 1);
  EXPECT_EQ(second->arrived, At(5));
  const auto first = assembly.OnPacket(Packet(1), true, At(60));
  ASSERT_TRUE(first);
  EXPECT_EQ(first->of.frame, 0);
  EXPECT_EQ(first->arrived, At(60));
  EXPECT_FALSE(assembly.OnPacket(Packet(1), true, At(61)));
  EXPECT_EQ(FramesOut(assembly), (std::vector<double>{0, 1}));
}

TEST(FrameAssembly, AGapIsAskedForAtOnceAndAgainUntilItComes) {
  FrameAssembly assembly(kParams);
  for (const double seq : {0, 2, 3, 4, 5}) assembly.OnPacket(Packet(seq), false, At(seq));
  EXPECT_EQ(assembly.packets_lost(), 1);
  EXPECT_EQ(assembly.NextRequest(), At(2));
  EXPECT_EQ(AskedFor(assembly, At(5)), std::vector<double>{1});
  EXPECT_TRUE(AskedFor(assembly, At(50)).empty());
  EXPECT_EQ(assembly.NextRequest(), At(105));
  EXPECT_EQ(AskedFor(assembly, At(105)), std::vector<double>{1});
  // Frame 1 is complete, but waits for frame 0, to which it refers.
  EXPECT_TRUE(FramesOut(assembly).empty());
  assembly.OnPacket(Packet(1), true, At(150));
  EXPECT_EQ(FramesOut(assembly), (std::vector<double>{0, 1}));
  EXPECT_EQ(assembly.NextRequest(), Timestamp::PlusInfinity());
  EXPECT_EQ(assembly.packets_lost(), 1);  // still 1: the retransmission came in a separate stream (RFC 4588)
}

TEST(FrameAssembly, AReorderedPacketIsNotLostAndARepeatedOneCountsOnce) {
  FrameAssembly assembly(kParams);
  for (const double seq : {0, 2, 3}) assembly.OnPacket(Packet(seq), false, At(seq));
  EXPECT_EQ(assembly.packets_lost(), 1);
  EXPECT_EQ(AskedFor(assembly, At(4)), std::vector<double>{1});
  EXPECT_TRUE(assembly.OnPacket(Packet(1), false, At(5)));
  EXPECT_EQ(assembly.packets_lost(), 0);
  EXPECT_EQ(assembly.NextRequest(), Timestamp::PlusInfinity());
  // Packet 3 arrives a second time, as a retransmission. Frame 1 still needs packets 4 and 5.
  EXPECT_FALSE(assembly.OnPacket(Packet(3), true, At(30)));
  EXPECT_FALSE(assembly.OnPacket(Packet(4), false, At(40)));
  EXPECT_TRUE(assembly.OnPacket(Packet(5), false, At(41)));
  EXPECT_EQ(assembly.packets_lost(), 0);
}

TEST(FrameAssembly, WithoutRetransmissionsAReorderedPacketIsNotLostEither) {
  FrameAssembly assembly({false, TimeDelta::Millis(100), 3});
  for (const double seq : {0, 2}) assembly.OnPacket(Packet(seq), false, At(seq));
  EXPECT_EQ(assembly.packets_lost(), 1);
  EXPECT_TRUE(assembly.OnPacket(Packet(1), false, At(3)));
  EXPECT_EQ(assembly.packets_lost(), 0);
}

TEST(FrameAssembly, BehindAPacketThatNeverComesOnlyAKeyFrameHelps) {
  FrameAssembly assembly(kParams);
  for (const double seq : {0, 2, 3, 4, 5}) assembly.OnPacket(Packet(seq), false, At(0));
  for (const double ms : {0, 100, 200}) EXPECT_EQ(AskedFor(assembly, At(ms)).size(), 1u) << ms;
  EXPECT_FALSE(assembly.TakeNeedsKeyFrame(At(200)));
  EXPECT_TRUE(AskedFor(assembly, At(300)).empty());
  EXPECT_TRUE(assembly.TakeNeedsKeyFrame(At(300)));
  EXPECT_FALSE(assembly.TakeNeedsKeyFrame(At(400)));
  EXPECT_EQ(assembly.NextRequest(), At(800));
  EXPECT_TRUE(assembly.TakeNeedsKeyFrame(At(800)));
  for (const double seq : {6, 7, 8}) assembly.OnPacket(Packet(seq), false, At(900));
  EXPECT_TRUE(FramesOut(assembly).empty());
  for (const double seq : {9, 10, 11}) assembly.OnPacket(Packet(seq, true), false, At(950));
  EXPECT_EQ(FramesOut(assembly), std::vector<double>{3});
  EXPECT_FALSE(assembly.TakeNeedsKeyFrame(At(2000)));
  for (const double seq : {12, 13, 14}) assembly.OnPacket(Packet(seq), false, At(980));
  EXPECT_EQ(FramesOut(assembly), std::vector<double>{4});
}

TEST(FrameAssembly, WithoutRetransmissionsALossNeedsAKeyFrame) {
  FrameAssembly assembly({false, TimeDelta::Millis(100), 3});
  for (const double seq : {0, 2}) assembly.OnPacket(Packet(seq), false, At(0));
  EXPECT_TRUE(AskedFor(assembly, At(0)).empty());
  EXPECT_TRUE(assembly.TakeNeedsKeyFrame(At(0)));
}

}  // namespace
}  // namespace ccscope::live
