#include "cc/live/frame_dispersion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "frames_on_a_link.h"

namespace ccscope {
namespace {

constexpr TimeDelta kHorizon = TimeDelta::Seconds(1);
constexpr int kFrames = 6;
struct Case {
  const char* name;
  double capacity_mbps;
};

class FrameDispersionOf : public ::testing::TestWithParam<Case> {};

TEST_P(FrameDispersionOf, FindsTheCapacityAndTheWaitOfAnIdealLink) {
  const double capacity = GetParam().capacity_mbps;
  FrameDispersion dispersion;
  Fifo fifo(capacity);
  double longest_wait_ms = 0;
  for (int i = 0; i < 600; ++i) {
    fifo.Frame(dispersion, 0.8);
    longest_wait_ms = std::max(longest_wait_ms, fifo.wait_ms());
    if (i < 100) continue;
    const auto estimate = dispersion.Capacity(kHorizon, kFrames);
    ASSERT_TRUE(estimate);
    ASSERT_NEAR(estimate->rate.bps() / 1e6, capacity, 0.03 * capacity) << i;
    ASSERT_NEAR(dispersion.Wait(1).ms(), fifo.wait_ms(), 1.5) << i;
    ASSERT_LT(estimate->spread, 0.02) << i;
  }
  EXPECT_GT(longest_wait_ms, 5);  // frames did wait
}

TEST_P(FrameDispersionOf, IsWithin8PercentThroughHalfAMillisecondOfNoise) {
  const double capacity = GetParam().capacity_mbps;
  FrameDispersion dispersion;
  Fifo fifo(capacity);
  for (int i = 0; i < 600; ++i) {
    fifo.Frame(dispersion, 0.8, 0.5);
    if (i < 100) continue;
    const auto estimate = dispersion.Capacity(kHorizon, kFrames);
    ASSERT_TRUE(estimate);
    ASSERT_NEAR(estimate->rate.bps() / 1e6, capacity, 0.08 * capacity) << i;
  }
}

// For errors that are uniform in [-h, h], the smallest mean pinball loss is tau (1 - tau) h, i.e. 0.1875 h for the
// quartile. The spread is this loss divided by the mean service time of a frame, which is 27 ms at this load.
TEST(FrameDispersion, TheSpreadIsThatOfItsFrames) {
  for (const double noise_ms : {2.0, 4.0, 8.0}) {
    FrameDispersion dispersion;
    Fifo fifo(1);
    double spread = 0;
    for (int i = 0; i < 600; ++i) {
      fifo.Frame(dispersion, 0.8, noise_ms);
      if (i < 100) continue;
      const auto estimate = dispersion.Capacity(kHorizon, kFrames);
      ASSERT_TRUE(estimate);
      spread += estimate->spread / 500;
    }
    const double expected = 0.1875 * noise_ms / (0.8 * 1000 / 30);
    EXPECT_GT(spread, 0.6 * expected) << noise_ms;
    EXPECT_LT(spread, 1.4 * expected) << noise_ms;
  }
}

INSTANTIATE_TEST_SUITE_P(Capacities, FrameDispersionOf,
                         ::testing::Values(Case{"HalfAMbps", 0.5}, Case{"OneMbps", 1}, Case{"TwoMbps", 2}),
                         [](const auto& info) { return info.param.name; });

// The frames need 1.1 times the new capacity, so there is a queue throughout.
TEST(FrameDispersion, NoticesAFallOfTheCapacityWithinHalfASecond) {
  FrameDispersion dispersion;
  Fifo fifo(2);
  for (int i = 0; i < 150; ++i) fifo.Frame(dispersion, 0.5);
  EXPECT_NEAR(dispersion.Capacity(TimeDelta::Millis(250), kFrames)->rate.bps() / 1e6, 2, 0.06);
  fifo.SetCapacity(1);
  for (int i = 0; i < 15; ++i) fifo.Frame(dispersion, 1.1);
  const auto estimate = dispersion.Capacity(TimeDelta::Millis(250), kFrames);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->rate.bps() / 1e6, 1, 0.1);
}

TEST(FrameDispersion, NoticesARiseOfTheCapacityWithinHalfASecond) {
  FrameDispersion dispersion;
  Fifo fifo(1);
  for (int i = 0; i < 150; ++i) fifo.Frame(dispersion, 0.8);
  fifo.SetCapacity(2);
  for (int i = 0; i < 15; ++i) fifo.Frame(dispersion, 0.4);
  const auto estimate = dispersion.Capacity(TimeDelta::Millis(250), kFrames);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->rate.bps() / 1e6, 2, 0.2);
}

TEST(FrameDispersion, SaysNothingFromFiveFrames) {
  FrameDispersion dispersion;
  Fifo fifo(1);
  for (int i = 0; i < 5; ++i) {
    fifo.Frame(dispersion, 0.5);
    EXPECT_FALSE(dispersion.Capacity(kHorizon, kFrames)) << i;
  }
  EXPECT_EQ(dispersion.Wait(), TimeDelta::Zero());
}

TEST(FrameDispersion, AFrameWithoutPayloadTravelsInAPacketToo) {
  FrameDispersion dispersion;
  Fifo fifo(1);
  for (int i = 0; i < 300; ++i) fifo.Frame(dispersion, i % 3 == 0 ? 0 : 0.8);
  const auto estimate = dispersion.Capacity(kHorizon, kFrames);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->rate.bps() / 1e6, 1, 0.03);
}

// At 1 Gbps a frame of a 1 Mbps video takes 0.03 ms: less than the clocks can resolve.
TEST(FrameDispersion, SaysNothingWhereFramesTakeLessThanTheClocksTell) {
  FrameDispersion dispersion;
  Fifo fifo(1000);
  for (int i = 0; i < 200; ++i) fifo.Frame(dispersion, 0.001);
  EXPECT_FALSE(dispersion.Capacity(kHorizon, kFrames));
}

// A busy machine stamps every fifth frame 5 to 55 ms late, together with the frames that arrive meanwhile.
TEST(FrameDispersion, IsNotMovedByStampsThatAreLate) {
  FrameDispersion dispersion;
  Fifo fifo(1);
  for (int i = 0; i < 600; ++i) {
    fifo.Frame(dispersion, 0.6, 0.3, i % 5 == 0 ? 5 + 50 * fifo.Uniform() : 0);
    if (i < 100) continue;
    const auto estimate = dispersion.Capacity(kHorizon, kFrames);
    ASSERT_TRUE(estimate);
    ASSERT_NEAR(estimate->rate.bps() / 1e6, 1, 0.15) << i;
    ASSERT_LT(dispersion.Wait().ms(), fifo.wait_ms() + 12) << i;
    ASSERT_LE(dispersion.ServiceExcess(2).ms(), 4 + 2 * dispersion.Lateness().ms()) << i;
  }
  EXPECT_GT(dispersion.Lateness().ms(), 1);
}

// Every eighth frame loses a packet. So the frame is complete only 60 ms later, after the next two frames.
TEST(FrameDispersion, IsNotMovedByFramesThatWereSentAgain) {
  constexpr double kCapacityMbps = 1;
  constexpr double kPayload = 2600;
  FrameDispersion dispersion;
  std::vector<Arrival> waiting;
  double free_ms = 0;
  for (int i = 0; i < 600; ++i) {
    Arrival arrival;
    arrival.seq = i;
    arrival.send_time = Timestamp::Millis(i * 1000.0 / 30);
    arrival.size = DataSize::Bytes(kPayload + (i % 5) * 200);
    const double wait_ms = std::max(0.0, free_ms - arrival.send_time.ms());
    free_ms = std::max(free_ms, arrival.send_time.ms()) + WireBytes(arrival.size.bytes()) * 8 / (kCapacityMbps * 1000);
    const bool again = i % 8 == 7;
    arrival.arrival_time = Timestamp::Millis(free_ms + kOffsetMs + (again ? 60 : 0));
    if (again) {
      waiting.push_back(arrival);
      continue;
    }
    dispersion.OnFrame(arrival);
    if (!waiting.empty() && i % 8 == 1) {
      dispersion.OnFrame(waiting.back());
      waiting.clear();
    }
    if (i < 100) continue;
    const auto estimate = dispersion.Capacity(kHorizon, kFrames);
    ASSERT_TRUE(estimate);
    ASSERT_NEAR(estimate->rate.bps() / 1e6, kCapacityMbps, 0.05) << i;
    ASSERT_NEAR(dispersion.Wait(1).ms(), wait_ms, 1.5) << i;
    ASSERT_LT(dispersion.ServiceExcess(2).ms(), 2) << i;
  }
}

// When a process gets processor time again, it stamps all frames that arrived in the meantime at the same moment.
TEST(FrameDispersion, KnowsFramesThatAreStampedTogether) {
  FrameDispersion dispersion;
  Fifo fifo(1);
  for (int i = 0; i < 200; ++i) {
    const bool is_late = i > 100 && i % 20 == 0;
    fifo.Frame(dispersion, 0.5, 0, is_late ? 40 : 0);
    // The frame after a late one has the same stamp.
    const bool is_behind = i > 101 && i % 20 == 1;
    if (i > 20) {
      EXPECT_EQ(dispersion.IsBunched(), is_behind) << i;
    }
  }
}

TEST(FrameDispersion, StartsAgainWhenTheSequenceNumbersDo) {
  FrameDispersion dispersion;
  Fifo before(1);
  for (int i = 0; i < 300; ++i) before.Frame(dispersion, 0.8);
  Fifo after(3);
  for (int i = 0; i < 60; ++i) after.Frame(dispersion, 0.8);
  const auto estimate = dispersion.Capacity(kHorizon, kFrames);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->rate.bps() / 1e6, 3, 0.1);
}

// A busy machine stamps every fifth frame 5 to 55 ms late. In addition, half a second of frames at twice the capacity
// causes a real queue of 500 ms.
TEST(FrameDispersion, SeesAQueueThroughStampsThatAreLate) {
  FrameDispersion dispersion;
  Fifo fifo(1);
  for (int i = 0; i < 300; ++i) fifo.Frame(dispersion, 0.6, 0.3, i % 5 == 0 ? 5 + 50 * fifo.Uniform() : 0);
  for (int i = 0; i < 15; ++i) fifo.Frame(dispersion, 2, 0.3, i % 5 == 0 ? 5 + 50 * fifo.Uniform() : 0);
  EXPECT_GT(fifo.wait_ms(), 400);
  EXPECT_GT(dispersion.Wait().ms(), 0.6 * fifo.wait_ms());
  EXPECT_LT(dispersion.Wait().ms(), fifo.wait_ms() + 10);
}

// When the capacity falls from 2 to 1 Mbps, the link takes 33 ms instead of 17 ms for a frame of a 1 Mbps video.
TEST(FrameDispersion, TwoFramesSayThatTheCapacityHasFallenAndOneLateStampDoesNot) {
  FrameDispersion dispersion;
  Fifo fifo(2);
  for (int i = 0; i < 150; ++i) fifo.Frame(dispersion, 0.5);
  EXPECT_LT(dispersion.ServiceExcess(1).ms(), 1);
  fifo.Frame(dispersion, 0.5, 0, 30);
  EXPECT_GT(dispersion.ServiceExcess(1).ms(), 25);
  EXPECT_LT(dispersion.ServiceExcess(2).ms(), 1);
  fifo.Frame(dispersion, 0.5);
  fifo.SetCapacity(1);
  fifo.Frame(dispersion, 1);
  EXPECT_LT(dispersion.ServiceExcess(2).ms(), 1);
  fifo.Frame(dispersion, 1);
  EXPECT_GT(dispersion.ServiceExcess(2).ms(), 5);
  const auto [slowest, fastest] = dispersion.ServiceRatesOf(2);
  EXPECT_NEAR(slowest.bps() / 1e6, 1, 0.05);
  EXPECT_NEAR(fastest.bps() / 1e6, 1, 0.05);
}

TEST(FrameDispersion, CountsWhatWasDeliveredInTheLastSecond) {
  FrameDispersion dispersion;
  Fifo fifo(2);
  for (int i = 0; i < 90; ++i) fifo.Frame(dispersion, 0.5);
  EXPECT_NEAR(dispersion.Delivered(kHorizon)->bps() / 1e6, 1.03, 0.1);
}

}  // namespace
}  // namespace ccscope
