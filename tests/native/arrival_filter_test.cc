#include "cc/gcc/arrival_filter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

// Feeds one pair of groups that were sent 33 ms apart.
void Pair(ArrivalFilter& filter, double d_m_ms, double size_delta_bytes) {
  filter.Update(TimeDelta::Millis(33 + d_m_ms), TimeDelta::Millis(33), DataSize::Bytes(size_delta_bytes), Signal::kNormal);
}

// The expected values are computed in exact fractions from equations 4 to 10 of ToN ("Congestion Control for Web
// Real-Time Communication", 2017): Q = diag(1e-10, 1e-3), P(0) = diag(100, 0.1), theta(0) = [1/64, 0], sigma^2(0) = 50,
// beta = 0.95.
TEST(ArrivalFilter, FollowsTheEquationsOfThePaper) {
  ArrivalFilter filter(PresetNamed("ton-2017-literal"));
  Pair(filter, 10, 1000);
  EXPECT_DOUBLE_EQ(filter.noise_variance_ms2(), 49.08203125);
  EXPECT_NEAR(filter.inverse_capacity_ms_per_byte(), 0.010000002766544147, 1e-15);
  EXPECT_NEAR(filter.m().ms(), -5.68124720578473e-09, 1e-20);
  Pair(filter, -4, -500);
  EXPECT_NEAR(filter.noise_variance_ms2(), 46.67792982639543, 1e-6);
  EXPECT_NEAR(filter.inverse_capacity_ms_per_byte(), 0.009582734060319606, 1e-8);
  EXPECT_NEAR(filter.m().ms(), 0.0025770249746996333, 1e-8);
}

// On an empty link of 1 Mbps, each byte takes 0.008 ms: a frame that is dL bytes larger arrives 0.008 dL ms later.
TEST(ArrivalFilter, FindsTheCapacityOfALinkFromFrameSizes) {
  ArrivalFilter filter(PresetNamed("gcc"));
  for (int i = 0; i < 200; ++i) {
    const double size_delta = (i % 2 == 0 ? 1000 : -1000) + 100 * (i % 3);
    Pair(filter, 0.008 * size_delta, size_delta);
  }
  EXPECT_NEAR(filter.inverse_capacity_ms_per_byte(), 0.008, 0.008 * 0.01);
  EXPECT_NEAR(filter.m().ms(), 0, 0.05);
}

// Equations 6 to 9 for frames of one size, H = [0, 1]: a scalar filter with
//   P += q,  k = P / (P + sigma^2),  m += k (d_m - m),  P = (1 - k) P.
class ScalarFilter {
 public:
  explicit ScalarFilter(double variance) : variance_(variance) {}
  void Update(double d_m, double q) {
    p_ += q;
    const double k = p_ / (p_ + variance_);
    previous_m_ = m_;
    m_ += k * (d_m - m_);
    p_ *= 1 - k;
  }
  double m() const { return m_; }
  double previous_m() const { return previous_m_; }

 private:
  double variance_;
  double p_ = 0.1;
  double m_ = 0;
  double previous_m_ = 0;
};

TEST(ArrivalFilter, IsAScalarFilterForFramesOfOneSize) {
  Parameters parameters = PresetNamed("ton-2017-literal");
  parameters.noise_beta = 1;  // sigma^2 stays 50
  ArrivalFilter filter(parameters);
  ScalarFilter scalar(50);
  for (int i = 0; i < 500; ++i) {
    const double d_m = (i * 37) % 23 - 7;
    Pair(filter, d_m, 0);
    scalar.Update(d_m, 1e-3);
    ASSERT_NEAR(filter.m().ms(), scalar.m(), 1e-12) << i;
  }
  EXPECT_DOUBLE_EQ(filter.inverse_capacity_ms_per_byte(), 1.0 / 64);
}

// During overuse and underuse, sigma^2 does not change. If m falls during overuse or rises during underuse, the process
// noise q_22 of m is multiplied by 11.
TEST(ArrivalFilter, FollowsMFasterWhileItContradictsTheSignal) {
  for (const Signal signal : {Signal::kOveruse, Signal::kUnderuse}) {
    ArrivalFilter filter(PresetNamed("gcc"));
    ScalarFilter scalar(50);
    int boosts = 0;
    for (int i = 0; i < 300; ++i) {
      const double d_m = 10 * std::sin(i / 10.0);
      const bool contradicts = signal == Signal::kOveruse ? scalar.m() < scalar.previous_m() : scalar.m() > scalar.previous_m();
      boosts += contradicts ? 1 : 0;
      scalar.Update(d_m, contradicts ? 11e-3 : 1e-3);
      filter.Update(TimeDelta::Millis(33 + d_m), TimeDelta::Millis(33), DataSize::Zero(), signal);
      ASSERT_NEAR(filter.m().ms(), scalar.m(), 1e-12) << i;
    }
    EXPECT_GT(boosts, 100);
    EXPECT_LT(boosts, 200);
    EXPECT_DOUBLE_EQ(filter.noise_variance_ms2(), 50);
  }
}

// Eq. 10 with frames of one size: z = 8 - 0, then z = 8 - m.
TEST(ArrivalFilter, TheLiteralVarianceIsEquation10) {
  ArrivalFilter filter(PresetNamed("ton-2017-literal"));
  Pair(filter, 8, 0);
  EXPECT_DOUBLE_EQ(filter.noise_variance_ms2(), 0.95 * 50 + 0.05 * 64);
  const double m = filter.m().ms();
  Pair(filter, 8, 0);
  EXPECT_DOUBLE_EQ(filter.noise_variance_ms2(), 0.95 * (0.95 * 50 + 0.05 * 64) + 0.05 * (8 - m) * (8 - m));
}

// For a frame interval of 33 ms, the weight of the past is w = (1 - 0.01)^(30 * 0.033). After one residual z, the mean
// of the residuals is (1 - w) z, so z deviates from this mean by w z.
double VarianceAfterOne(double z, double weight) { return weight * 50 + (1 - weight) * (weight * z) * (weight * z); }

TEST(ArrivalFilter, TheVarianceForgetsByTimeAndNotByFrame) {
  ArrivalFilter slow(PresetNamed("gcc"));
  Pair(slow, 6, 0);
  EXPECT_NEAR(slow.noise_variance_ms2(), VarianceAfterOne(6, std::pow(0.99, 0.99)), 1e-12);
  ArrivalFilter fast(PresetNamed("gcc"));
  fast.Update(TimeDelta::Millis(10 + 6), TimeDelta::Millis(10), DataSize::Zero(), Signal::kNormal);
  EXPECT_NEAR(fast.noise_variance_ms2(), VarianceAfterOne(6, std::pow(0.99, 0.3)), 1e-12);
}

TEST(ArrivalFilter, AResidualBeyondThreeDeviationsCountsAsThree) {
  const double weight = std::pow(0.99, 0.99);
  for (const double z : {1000.0, -1000.0}) {
    ArrivalFilter filter(PresetNamed("gcc"));
    Pair(filter, z, 0);
    EXPECT_NEAR(filter.noise_variance_ms2(), VarianceAfterOne(3 * std::sqrt(50.0), weight), 1e-9);
  }
}

TEST(ArrivalFilter, ANegativeInverseCapacityStartsAnewInLiveCalls) {
  ArrivalFilter live(PresetNamed("gcc-live"));
  Pair(live, -50, 1000);
  EXPECT_DOUBLE_EQ(live.inverse_capacity_ms_per_byte(), 1.0 / 64);
  Pair(live, 8, 1000);  // reset to P(0), so one pair (8 ms for 1000 B) suffices
  EXPECT_NEAR(live.inverse_capacity_ms_per_byte(), 0.008, 0.0001);
  ArrivalFilter paper(PresetNamed("gcc"));
  Pair(paper, -50, 1000);
  EXPECT_NEAR(paper.inverse_capacity_ms_per_byte(), -0.05, 0.0005);
}

TEST(ArrivalFilter, ARestoredQueueClearsMAndKeepsTheCapacity) {
  ArrivalFilter filter(PresetNamed("gcc-live"));
  for (int i = 0; i < 100; ++i) Pair(filter, 3 + (i % 2 == 0 ? 8 : -8), i % 2 == 0 ? 1000 : -1000);
  const double inverse_capacity = filter.inverse_capacity_ms_per_byte();
  EXPECT_GT(filter.m().ms(), 1);
  EXPECT_NEAR(inverse_capacity, 0.008, 0.0005);
  filter.OnQueueRestored();
  EXPECT_EQ(filter.m(), TimeDelta::Zero());
  EXPECT_DOUBLE_EQ(filter.inverse_capacity_ms_per_byte(), inverse_capacity);
}

// The pre-filter for bursts merges packets in the order of arrival. So the last packet of a group may have been sent
// before that of the previous group: the send delta is negative. The filter has to work after any send delta.
TEST(ArrivalFilter, SurvivesAnySendDelta) {
  for (const double send_ms : {-1e12, -80.0, 0.0, 1e12}) {
    ArrivalFilter filter(PresetNamed("gcc"));
    filter.Update(TimeDelta::Millis(send_ms + 5), TimeDelta::Millis(send_ms), DataSize::Zero(), Signal::kNormal);
    for (int i = 0; i < 600; ++i) Pair(filter, 2, 0);
    EXPECT_NEAR(filter.m().ms(), 2, 0.2) << send_ms;
    EXPECT_TRUE(std::isfinite(filter.noise_variance_ms2())) << send_ms;
  }
}

TEST(ArrivalFilter, FindsTheSlopeOfAGrowingQueue) {
  ArrivalFilter filter(PresetNamed("gcc"));
  for (int i = 0; i < 600; ++i) Pair(filter, 2, 0);
  EXPECT_GT(filter.m().ms(), 1.8);
  EXPECT_LT(filter.m().ms(), 2.0 + 1e-9);
}

TEST(ArrivalFilter, TheNoiseVarianceOfAQuietLinkEndsAtItsFloor) {
  ArrivalFilter filter(PresetNamed("gcc"));
  for (int i = 0; i < 3000; ++i) Pair(filter, 0, 0);
  EXPECT_DOUBLE_EQ(filter.noise_variance_ms2(), 1);
}

}  // namespace
}  // namespace ccscope::gcc
