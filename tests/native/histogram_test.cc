#include "sim/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "units/random.h"

namespace ccscope {
namespace {

TEST(Histogram, HasNothingToSayWithoutSamples) {
  const Histogram h;
  EXPECT_EQ(h.count(), 0);
  EXPECT_TRUE(std::isnan(h.mean()));
  EXPECT_TRUE(std::isnan(h.sd()));
  EXPECT_TRUE(std::isnan(h.Percentile(50)));
}

// Nearest rank: the textbook case 15, 20, 35, 40, 50 (its 30th, 40th, 50th and 100th percentiles are
// 20, 20, 35 and 50).
TEST(Histogram, TakesPercentilesByTheNearestRank) {
  Histogram h;
  for (const double x : {50.0, 15.0, 40.0, 20.0, 35.0}) h.Add(x);
  EXPECT_EQ(h.Percentile(30), 20);
  EXPECT_EQ(h.Percentile(40), 20);
  EXPECT_EQ(h.Percentile(50), 35);
  EXPECT_EQ(h.Percentile(100), 50);
  EXPECT_EQ(h.Percentile(0), 15);
  EXPECT_DOUBLE_EQ(h.mean(), 32);
  // (17^2 + 12^2 + 3^2 + 8^2 + 18^2) / 5 = 166
  EXPECT_NEAR(h.sd(), std::sqrt(166.0), 1e-12);
}

TEST(Histogram, IsWithinAFifthOfAPercentOfTheSortedSamples) {
  Random random(3);
  Histogram h;
  std::vector<double> samples;
  for (int i = 0; i < 50000; ++i) {
    const double x = std::exp(random.Uniform() * 25);  // 1 us to 20 hours
    samples.push_back(x);
    h.Add(x);
  }
  std::sort(samples.begin(), samples.end());
  for (const double percent : {1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 99.9}) {
    const auto rank = static_cast<std::size_t>(std::ceil(percent / 100 * 50000)) - 1;
    const double exact = samples[rank];
    EXPECT_NEAR(h.Percentile(percent), exact, std::max(1.0, exact * 0.002)) << percent;
  }
  EXPECT_EQ(h.min(), samples.front());
  EXPECT_EQ(h.max(), samples.back());
}

TEST(Histogram, CountsNegativeAndHugeSamplesAtTheEnds) {
  Histogram h;
  h.Add(-5);
  h.Add(1e300);
  EXPECT_EQ(h.min(), -5);
  EXPECT_EQ(h.max(), 1e300);
  EXPECT_NEAR(h.Percentile(50), 0, 0);
}

}  // namespace
}  // namespace ccscope
