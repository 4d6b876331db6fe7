#include "units/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sim/impairments.h"

namespace ccscope {
namespace {

TEST(Random, SplitMix64OfSeedZeroFillsTheState) {
  // The published first outputs of SplitMix64 for seed 0 are e220a8397b1dcdaf and 6e789e6aa1b965f4;
  // the first xoshiro256** output is rotl(s1 * 5, 7) * 9.
  const std::uint64_t s1 = 0x6e789e6aa1b965f4ULL;
  Random random(0);
  EXPECT_EQ(random.Next(), std::rotl(s1 * 5, 7) * 9);
}

TEST(Random, SameSeedSameNumbersOtherSeedOthers) {
  Random a(7);
  Random b(7);
  Random c(8);
  int different = 0;
  for (int i = 0; i < 1000; ++i) {
    const double value = a.Gaussian();
    ASSERT_EQ(value, b.Gaussian());
    if (value != c.Gaussian()) ++different;
  }
  EXPECT_EQ(different, 1000);
}

TEST(Random, UniformHasTheMomentsOfTheUniformDistribution) {
  Random random(1);
  constexpr int kN = 200000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kN; ++i) {
    const double u = random.Uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  // The standard error of the mean is 0.289 / sqrt(kN) = 0.00065; the tolerance is five standard errors on either side.
  EXPECT_NEAR(sum / kN, 0.5, 0.0033);
  EXPECT_NEAR(squares / kN, 1.0 / 3, 0.0034);
}

TEST(Random, GaussianHasTheMomentsAndTailsOfTheNormalDistribution) {
  Random random(3);
  constexpr int kN = 200000;
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  int beyond_two = 0;
  for (int i = 0; i < kN; ++i) {
    const double x = random.Gaussian();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    if (std::fabs(x) > 2) ++beyond_two;
  }
  EXPECT_NEAR(sum / kN, 0, 0.0112);
  EXPECT_NEAR(squares / kN, 1, 0.0158);
  EXPECT_NEAR(fourth / kN, 3, 0.11);
  EXPECT_NEAR(static_cast<double>(beyond_two) / kN, 0.0455, 0.0024);
}

TEST(Impairments, RandomLossHasItsRatioAndIsIndependent) {
  Random random(5);
  RandomLoss loss(0.1);
  constexpr int kN = 100000;
  int lost = 0;
  int lost_twice = 0;
  bool before = false;
  for (int i = 0; i < kN; ++i) {
    const bool now = loss.Lose(random);
    lost += now ? 1 : 0;
    lost_twice += now && before ? 1 : 0;
    before = now;
  }
  EXPECT_NEAR(lost, 0.1 * kN, 480);        // five standard deviations of the binomial
  EXPECT_NEAR(lost_twice, 0.01 * kN, 170);  // independent: p^2
}

TEST(Impairments, LossOfZeroAndOneAreCertain) {
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(RandomLoss(0).Lose(random));
    EXPECT_TRUE(RandomLoss(1).Lose(random));
  }
}

TEST(Impairments, JitterOfSparsePacketsIsHalfNormalAndCapped) {
  Random random(9);
  Jitter jitter(TimeDelta::Millis(5));
  constexpr int kN = 50000;
  double sum_ms = 0;
  double max_ms = 0;
  for (int i = 0; i < kN; ++i) {
    const Timestamp now = Timestamp::Millis(100.0 * i);  // too far apart to delay each other
    const double ms = (jitter.Release(now, random) - now).ms();
    ASSERT_GE(ms, 0);
    sum_ms += ms;
    max_ms = std::max(max_ms, ms);
  }
  // The mean of |N(0, 5)| is 5 sqrt(2 / pi) = 3.989 ms; the cap lowers this by less than 0.01 ms.
  EXPECT_NEAR(sum_ms / kN, 3.989, 0.07);
  EXPECT_DOUBLE_EQ(max_ms, 15);
}

TEST(Impairments, JitterNeverReorders) {
  Random random(9);
  Jitter jitter(TimeDelta::Millis(5));
  Timestamp last = Timestamp::MinusInfinity();
  int held = 0;
  for (int i = 0; i < 5000; ++i) {
    const Timestamp release = jitter.Release(Timestamp::Millis(i), random);
    ASSERT_GE(release, last);
    held += release == last ? 1 : 0;
    last = release;
  }
  EXPECT_GT(held, 100);  // some packets had to wait for their predecessor
}

}  // namespace
}  // namespace ccscope
