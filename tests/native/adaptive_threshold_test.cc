#include "cc/gcc/adaptive_threshold.h"

#include <gtest/gtest.h>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

// Returns the threshold gamma, in ms, after two updates with the same input T. The first update, at time 0, only sets
// the clock. The second follows `delta_ms` later. gamma starts at 12.5 ms, or at 52 ms in the preset
// `static-threshold`, where it does not change.
double GammaAfter(double t_ms, double delta_ms, const char* preset = "gcc") {
  AdaptiveThreshold threshold(PresetNamed(preset));
  threshold.Update(TimeDelta::Millis(t_ms), Timestamp::Millis(0));
  threshold.Update(TimeDelta::Millis(t_ms), Timestamp::Millis(delta_ms));
  return threshold.gamma().ms();
}

TEST(AdaptiveThreshold, RisesWithKuTowardsALargerInput) {
  EXPECT_NEAR(GammaAfter(20, 30), 12.5 + 30 * 0.01 * (20 - 12.5), 1e-12);  // eq. 11
  EXPECT_NEAR(GammaAfter(-20, 30), 12.5 + 30 * 0.01 * (20 - 12.5), 1e-12);
}

TEST(AdaptiveThreshold, FallsWithKdTowardsASmallerInput) {
  EXPECT_NEAR(GammaAfter(5, 30), 12.5 + 30 * 0.00018 * (5 - 12.5), 1e-12);
}

TEST(AdaptiveThreshold, LeavesOutSpikesBeyondTheGuard) {
  EXPECT_GT(GammaAfter(27.4, 30), 12.5);
  EXPECT_DOUBLE_EQ(GammaAfter(27.6, 30), 12.5);
}

TEST(AdaptiveThreshold, APauseCountsAsAtMost100Ms) { EXPECT_DOUBLE_EQ(GammaAfter(20, 5000), GammaAfter(20, 100)); }

// T is 20 ms after a pause of 200 ms; k_u = 0.004 /ms. If all 200 ms count, gamma becomes 12.5 + 200 * 0.004 * (20 -
// 12.5) = 18.5 ms. If at most 100 ms count, gamma becomes 15.5 ms.
TEST(AdaptiveThreshold, InFebruary2016APauseCountsInFullAndInMarchNot) {
  EXPECT_NEAR(GammaAfter(20, 200, "libwebrtc-2016-02"), 18.5, 1e-12);
  EXPECT_NEAR(GammaAfter(20, 200, "libwebrtc-2016-03"), 15.5, 1e-12);
}

TEST(AdaptiveThreshold, NeedsAClockAndSoKeepsItsFirstValueOnce) {
  AdaptiveThreshold threshold(PresetNamed("gcc"));
  threshold.Update(TimeDelta::Millis(20), Timestamp::Seconds(1000));
  EXPECT_DOUBLE_EQ(threshold.gamma().ms(), 12.5);
}

TEST(AdaptiveThreshold, StaysWithinItsBounds) {
  AdaptiveThreshold threshold(PresetNamed("gcc"));
  for (int i = 0; i < 20000; ++i) threshold.Update(TimeDelta::Zero(), Timestamp::Millis(33 * i));
  EXPECT_DOUBLE_EQ(threshold.gamma().ms(), 6);
  for (int i = 20000; i < 60000; ++i) {
    threshold.Update(threshold.gamma() + TimeDelta::Millis(14), Timestamp::Millis(33 * i));
  }
  EXPECT_DOUBLE_EQ(threshold.gamma().ms(), 600);
}

TEST(AdaptiveThreshold, StaysWhereItIsInThePresetOfTheStaticOne) {
  EXPECT_DOUBLE_EQ(GammaAfter(60, 30, "static-threshold"), 52);
  EXPECT_DOUBLE_EQ(GammaAfter(0, 30, "static-threshold"), 52);
}

TEST(AdaptiveThreshold, TheStaticOneFollowsItsParameterDuringACall) {
  Parameters parameters = PresetNamed("static-threshold");
  AdaptiveThreshold threshold(parameters);
  parameters.gamma_init_ms = 10;
  threshold.Configure(parameters);
  EXPECT_DOUBLE_EQ(threshold.gamma().ms(), 10);
}

}  // namespace
}  // namespace ccscope::gcc
