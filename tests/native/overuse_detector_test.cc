#include "cc/gcc/overuse_detector.h"

#include <gtest/gtest.h>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

// A detector whose threshold stays at 12.5 ms, fed with T = 10 m.
class OveruseDetectorTest : public ::testing::Test {
 protected:
  static Parameters Fixed() {
    Parameters parameters = PresetNamed("gcc");
    parameters.adaptive_threshold = 0;
    parameters.detector_gain_groups = 10;
    return parameters;
  }

  Signal Feed(double m_ms, double send_delta_ms = 33, int num_deltas = 100) {
    now_ += TimeDelta::Millis(send_delta_ms);
    return detector_.Detect(TimeDelta::Millis(m_ms), TimeDelta::Millis(send_delta_ms), num_deltas, now_);
  }

  Timestamp now_ = Timestamp::Seconds(1);
  OveruseDetector detector_{Fixed()};
};

// Fig. 3: normal on [-gamma, gamma], overuse above, underuse below.
TEST_F(OveruseDetectorTest, HasTheThreeRegionsOfFigure3) {
  for (const double m : {-1.25, -0.5, 0.0, 0.5, 1.25}) {
    EXPECT_EQ(Feed(m), Signal::kNormal) << m;
    EXPECT_EQ(Feed(m), Signal::kNormal) << m;
  }
  EXPECT_EQ(Feed(-1.26), Signal::kUnderuse);
  Feed(1.26);
  EXPECT_EQ(Feed(1.26), Signal::kOveruse);
  EXPECT_EQ(Feed(1.25), Signal::kNormal);
}

TEST_F(OveruseDetectorTest, UnderuseNeedsNoPersistence) {
  EXPECT_EQ(Feed(-2, 1), Signal::kUnderuse);
  EXPECT_EQ(Feed(0, 1), Signal::kNormal);
}

TEST_F(OveruseDetectorTest, OneGroupAboveTheThresholdIsNoOveruse) {
  EXPECT_EQ(Feed(5, 500), Signal::kNormal);
  EXPECT_EQ(Feed(0, 33), Signal::kNormal);
  EXPECT_EQ(Feed(5, 500), Signal::kNormal);
  EXPECT_EQ(Feed(6, 33), Signal::kOveruse);
}

// Groups are 4 ms apart, and half of the first interval counts: T has been above the threshold for 2, 6, 10 and 14 ms.
TEST_F(OveruseDetectorTest, OveruseHasToLastForMoreThan10Ms) {
  EXPECT_EQ(Feed(2, 4), Signal::kNormal);
  EXPECT_EQ(Feed(2, 4), Signal::kNormal);
  EXPECT_EQ(Feed(2, 4), Signal::kNormal);
  EXPECT_EQ(Feed(2, 4), Signal::kOveruse);
}

TEST_F(OveruseDetectorTest, AQueueThatGrowsEverSlowerIsNoOveruse) {
  Feed(5);
  EXPECT_EQ(Feed(4.9), Signal::kNormal);
  EXPECT_EQ(Feed(4.8), Signal::kNormal);
  EXPECT_EQ(Feed(4.8), Signal::kOveruse);
}

TEST_F(OveruseDetectorTest, OveruseStaysSignalledWhileAboveTheThreshold) {
  Feed(5);
  ASSERT_EQ(Feed(6), Signal::kOveruse);
  EXPECT_EQ(Feed(3), Signal::kOveruse);
  EXPECT_EQ(Feed(1), Signal::kNormal);
  EXPECT_EQ(Feed(3), Signal::kNormal);
}

TEST_F(OveruseDetectorTest, ThePaperTakenLiterallySignalsAtOnce) {
  OveruseDetector literal(PresetNamed("ton-2017-literal"));
  const auto feed = [&](double m_ms) {
    now_ += TimeDelta::Millis(33);
    return literal.Detect(TimeDelta::Millis(m_ms), TimeDelta::Millis(33), 100, now_);
  };
  EXPECT_EQ(feed(12.4), Signal::kNormal);
  EXPECT_DOUBLE_EQ(literal.detector_input().ms(), 12.4);  // m itself
  EXPECT_EQ(feed(14), Signal::kOveruse);
  EXPECT_EQ(feed(13.9), Signal::kOveruse);
}

// T = min(n, 60) m: the gradient m is multiplied by the number n of groups, which counts up to 60.
TEST_F(OveruseDetectorTest, MCountsTimesTheGroupsSeenUpTo60) {
  OveruseDetector detector(PresetNamed("gcc"));
  const auto input_ms = [&](int num_deltas) {
    now_ += TimeDelta::Millis(33);
    detector.Detect(TimeDelta::Millis(0.125), TimeDelta::Millis(33), num_deltas, now_);
    return detector.detector_input().ms();
  };
  EXPECT_DOUBLE_EQ(input_ms(2), 0.25);
  EXPECT_DOUBLE_EQ(input_ms(59), 59 * 0.125);
  EXPECT_DOUBLE_EQ(input_ms(60), 7.5);
  EXPECT_DOUBLE_EQ(input_ms(1000), 7.5);
}

TEST_F(OveruseDetectorTest, OnePairOfGroupsSaysNothing) {
  EXPECT_EQ(Feed(-500, 33, 1), Signal::kNormal);
  EXPECT_EQ(Feed(500, 33, 1), Signal::kNormal);
}

}  // namespace
}  // namespace ccscope::gcc
