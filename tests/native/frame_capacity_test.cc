#include "cc/live/frame_capacity.h"

#include <gtest/gtest.h>

#include "frames_on_a_link.h"

namespace ccscope {
namespace {

constexpr DataRate kSent = DataRate::BitsPerSec(1e6);

// A video of 1 Mbps on a link of 2 Mbps. The link takes 17 ms for a frame on average.
class FrameCapacityTest : public ::testing::Test {
 protected:
  FrameCapacityTest() { Frames(150, 0.5); }
  void Frames(int count, double load, double late_ms = 0) {
    for (; count > 0; --count) fifo.Frame(frames, load, 0, late_ms);
  }
  FrameCapacity frames;
  Fifo fifo{2};
};

// At 0.5 Mbps, the link takes 67 ms for a frame on average.
TEST_F(FrameCapacityTest, OneFrameRaisesASuspicionAndTheNextConfirmsIt) {
  EXPECT_FALSE(frames.Suspected());
  fifo.SetCapacity(0.5);
  Frames(1, 2);
  ASSERT_TRUE(frames.Suspected());
  EXPECT_NEAR(frames.Suspected()->bps() / 1e6, 0.5, 0.05);
  EXPECT_FALSE(frames.FallenBelow(kSent));
  Frames(1, 2);
  EXPECT_TRUE(frames.Suspected());
  const auto fallen = frames.FallenBelow(kSent);
  ASSERT_TRUE(fallen);
  EXPECT_NEAR(fallen->bps() / 1e6, 0.5, 0.05);
}

TEST_F(FrameCapacityTest, AFrameOnTimeEndsASuspicionAndTheNextOneWaits20Seconds) {
  Frames(1, 0.5, 60);
  EXPECT_TRUE(frames.Suspected());
  Frames(1, 0.5);
  EXPECT_FALSE(frames.Suspected());
  Frames(30 * 19, 0.5);
  Frames(1, 0.5, 60);
  EXPECT_FALSE(frames.Suspected());
  Frames(30, 0.5);
  Frames(1, 0.5, 60);
  EXPECT_TRUE(frames.Suspected());
}

TEST_F(FrameCapacityTest, AConfirmedSuspicionIsNotHeldAgainstTheNext) {
  Frames(1, 0.5, 60);
  frames.OnFall(frames.latest_frame());
  Frames(10, 0.5);
  Frames(1, 0.5, 60);
  EXPECT_FALSE(frames.Suspected());  // too soon after the fall
  Frames(80, 0.5);
  EXPECT_FALSE(frames.Suspected());
  Frames(1, 0.5, 60);
  EXPECT_TRUE(frames.Suspected());
}

// If one time stamp in four is late, one more late stamp does not raise a suspicion that the capacity has fallen.
TEST_F(FrameCapacityTest, LateStampsAreNotSuspectedWhereTheyAreUsual) {
  for (int i = 0; i < 80; ++i) Frames(1, 0.5, i % 4 == 0 ? 8 : 0);
  Frames(1, 0.5, 60);
  EXPECT_FALSE(frames.Suspected());
}

// A video of 0.2 Mbps, whose frames have at least 4 kbit. A frame that takes 15 ms longer is still served at 0.23 Mbps
// or more: faster than the rate of the video.
TEST_F(FrameCapacityTest, AFrameThatWasServedFasterThanTheVideoIsNotSuspected) {
  Frames(60, 0.1);
  Frames(1, 0.1, 15);
  EXPECT_FALSE(frames.Suspected());
}

// A frame that lacks a packet is complete only when the packet has been sent again.
TEST_F(FrameCapacityTest, AFrameThatWaitsForALostPacketIsNotSuspected) {
  frames.OnLoss(frames.latest_frame());
  Frames(1, 0.5, 60);
  EXPECT_FALSE(frames.Suspected());
}

}  // namespace
}  // namespace ccscope
