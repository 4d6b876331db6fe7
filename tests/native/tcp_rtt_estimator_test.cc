// Tests the RTT estimator against RFC 6298: rules 2.1 to 2.5, and 5.5.
#include "sim/tcp/rtt_estimator.h"

#include <gtest/gtest.h>

namespace ccscope::tcp {
namespace {

constexpr TimeDelta Ms(double ms) { return TimeDelta::Millis(ms); }

// As in the RFC, but without the minimum RTO of rule 2.4 unless a test sets one.
Parameters Rfc(double min_ms = 0) {
  Parameters p;
  p.rto_min_of = 0;
  p.rto_min_ms = min_ms;
  return p;
}

TEST(RttEstimator, Rule2_1_IsOneSecondBeforeTheFirstSample) {
  EXPECT_EQ(RttEstimator(Rfc()).rto(), Ms(1000));
  EXPECT_EQ(RttEstimator(Parameters{}).rto(), Ms(1000));
}

TEST(RttEstimator, Rule2_2_FirstSample) {
  RttEstimator rtt(Rfc());
  rtt.OnSample(Ms(100));
  EXPECT_EQ(rtt.srtt(), Ms(100));
  EXPECT_EQ(rtt.rttvar(), Ms(50));
  EXPECT_EQ(rtt.rto(), Ms(300));  // SRTT + 4 RTTVAR
}

TEST(RttEstimator, Rule2_3_TheVariationIsUpdatedWithTheOldSrtt) {
  RttEstimator rtt(Rfc());
  rtt.OnSample(Ms(100));
  rtt.OnSample(Ms(200));
  EXPECT_EQ(rtt.rttvar(), Ms(62.5));  // 3/4 * 50 + 1/4 * |100 - 200|
  EXPECT_EQ(rtt.srtt(), Ms(112.5));   // 7/8 * 100 + 1/8 * 200
  EXPECT_EQ(rtt.rto(), Ms(362.5));
  rtt.OnSample(Ms(72.5));
  EXPECT_EQ(rtt.rttvar(), Ms(56.875));  // 3/4 * 62.5 + 1/4 * 40
  EXPECT_EQ(rtt.srtt(), Ms(107.5));
  EXPECT_EQ(rtt.rto(), Ms(335));
}

TEST(RttEstimator, Rule2_3_TheClockGranularityIsTheLeastThatIsAdded) {
  Parameters p = Rfc();
  p.clock_granularity_ms = 10;
  RttEstimator rtt(p);
  for (int i = 0; i < 200; ++i) rtt.OnSample(Ms(500));
  EXPECT_NEAR(rtt.rto().ms(), 510, 1e-9);
}

TEST(RttEstimator, Rule2_4_TheMinimumBoundsTheRto) {
  RttEstimator rtt(Rfc(1000));
  rtt.OnSample(Ms(100));
  EXPECT_EQ(rtt.rto(), Ms(1000));
  rtt.OnSample(Ms(2000));
  EXPECT_GT(rtt.rto(), Ms(1000));
}

TEST(RttEstimator, LinuxKeepsThePartAboveSrttAtTheMinimum) {
  RttEstimator rtt{Parameters{}};
  for (int i = 0; i < 200; ++i) rtt.OnSample(Ms(100));
  EXPECT_NEAR(rtt.rto().ms(), 300, 1e-6);
  RttEstimator wide{Parameters{}};
  wide.OnSample(Ms(100));
  EXPECT_EQ(wide.rto(), Ms(300));
  wide.OnSample(Ms(300));  // RTTVAR 87.5, SRTT 125
  EXPECT_EQ(wide.rto(), Ms(475));
}

TEST(RttEstimator, Rules2_5And5_5_DoublesUpToTheMaximumAndASampleEndsIt) {
  RttEstimator rtt(Rfc());
  rtt.OnSample(Ms(100));
  double expected = 300;
  for (int i = 0; i < 12; ++i) {
    rtt.Backoff();
    expected = expected * 2 < 60000 ? expected * 2 : 60000;
    EXPECT_EQ(rtt.rto(), Ms(expected));
  }
  rtt.OnSample(Ms(100));
  EXPECT_EQ(rtt.rto(), Ms(250));  // RTTVAR 37.5
}

TEST(RttEstimator, ANewConnectionKnowsNothing) {
  RttEstimator rtt{Parameters{}};
  rtt.OnSample(Ms(5));
  EXPECT_EQ(rtt.minimum(), Ms(5));
  rtt.Reset();
  EXPECT_FALSE(rtt.has_sample());
  EXPECT_EQ(rtt.rto(), Ms(1000));
  rtt.OnSample(Ms(80));
  EXPECT_EQ(rtt.minimum(), Ms(80));
  EXPECT_EQ(rtt.srtt(), Ms(80));
}

}  // namespace
}  // namespace ccscope::tcp
