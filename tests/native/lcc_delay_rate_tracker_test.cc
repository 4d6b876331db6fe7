// Compares the delay-rate tracker with LCC II-A; the numbers are computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "cc/lcc/delay_rate_tracker.h"

namespace ccscope::lcc {
namespace {

constexpr TimeDelta kEpoch = TimeDelta::Millis(50);

EpochDelays Of(double mean_ms, double smallest_ms) { return {TimeDelta::Millis(mean_ms), TimeDelta::Millis(smallest_ms)}; }

TEST(LccEpochCollectorTest, AnEpochIsTheMeanOfItsOwnArrivals) {
  EpochCollector epochs(kEpoch);
  EXPECT_FALSE(epochs.Add(TimeDelta::Millis(60), Timestamp::Millis(1000)));
  EXPECT_FALSE(epochs.Add(TimeDelta::Millis(50), Timestamp::Millis(1020)));
  EXPECT_FALSE(epochs.Add(TimeDelta::Millis(70), Timestamp::Millis(1049.9)));
  const auto first = epochs.Add(TimeDelta::Millis(90), Timestamp::Millis(1050));  // part of the next epoch
  ASSERT_TRUE(first);
  EXPECT_NEAR(first->mean.ms(), 60, 1e-9);
  EXPECT_EQ(first->smallest.ms(), 50);
  const auto second = epochs.Add(TimeDelta::Millis(20), Timestamp::Millis(1105));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->mean.ms(), 90);
  EXPECT_EQ(second->smallest.ms(), 90);
}

TEST(LccEpochCollectorTest, EpochsFollowEachOtherWithoutGaps) {
  EpochCollector epochs(kEpoch);
  int ended = 0;
  for (int ms = 0; ms < 10000; ms += 33) ended += epochs.Add(kEpoch, Timestamp::Millis(ms)) ? 1 : 0;
  EXPECT_EQ(ended, 9999 / 50);
}

TEST(LccEpochCollectorTest, AnEpochWithoutArrivalsSaysNothing) {
  EpochCollector epochs(kEpoch);
  EXPECT_FALSE(epochs.Add(TimeDelta::Millis(60), Timestamp::Millis(0)));
  EXPECT_TRUE(epochs.Advance(Timestamp::Millis(50)));
  EXPECT_FALSE(epochs.Advance(Timestamp::Millis(100)));
  EXPECT_FALSE(epochs.Advance(Timestamp::Millis(5000)));
  EXPECT_FALSE(epochs.Add(TimeDelta::Millis(80), Timestamp::Millis(5010)));
  const auto after = epochs.Advance(Timestamp::Millis(5060));
  ASSERT_TRUE(after);
  EXPECT_EQ(after->mean.ms(), 80);
}

// Eq. 2 with alpha = 0.5 and 0.25.
TEST(LccDelayRateTrackerTest, DelaysAreAveragedExponentially) {
  Parameters parameters;
  DelayRateTracker tracker(parameters);
  EXPECT_TRUE(tracker.OnEpoch(Of(100, 99), false));
  EXPECT_EQ(tracker.average().ms(), 100);
  EXPECT_TRUE(tracker.OnEpoch(Of(140, 120), false));
  EXPECT_EQ(tracker.average().ms(), 120);
  EXPECT_TRUE(tracker.OnEpoch(Of(100, 100), false));
  EXPECT_EQ(tracker.average().ms(), 110);
  parameters.alpha = 0.25;
  tracker.Configure(parameters);
  EXPECT_TRUE(tracker.OnEpoch(Of(70, 60), false));
  EXPECT_EQ(tracker.average().ms(), 0.75 * 110 + 0.25 * 70);
  EXPECT_EQ(tracker.smallest().ms(), 60);
}

TEST(LccDelayRateTrackerTest, TheSmallestDelayStays) {
  DelayRateTracker tracker({});
  EXPECT_TRUE(tracker.OnEpoch(Of(60, 52), false));
  EXPECT_TRUE(tracker.OnEpoch(Of(60, 50), false));
  EXPECT_TRUE(tracker.OnEpoch(Of(900, 890), false));
  EXPECT_EQ(tracker.smallest().ms(), 50);
}

TEST(LccDelayRateTrackerTest, AClockThatWasSetStartsAnew) {
  DelayRateTracker tracker({});
  EXPECT_TRUE(tracker.OnEpoch(Of(60, 50), true));
  EXPECT_TRUE(tracker.OnEpoch(Of(3059, 3059), true));  // a jump of 2999 ms, just below the limit of 3 s
  DelayRateTracker other({});
  EXPECT_TRUE(other.OnEpoch(Of(60, 50), true));
  EXPECT_FALSE(other.OnEpoch(Of(-3000, -3010), true));
  EXPECT_EQ(other.average().ms(), -3000);
  EXPECT_EQ(other.smallest().ms(), -3010);
  EXPECT_TRUE(other.OnEpoch(Of(-2990, -3000), true));
  EXPECT_TRUE(other.OnEpoch(Of(3000, 3000), false));  // the packets waited
  EXPECT_EQ(other.smallest().ms(), -3010);
}

}  // namespace
}  // namespace ccscope::lcc
