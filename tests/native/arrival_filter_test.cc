#include "cc/gcc/arrival_filter.h"

#include <gtest/gtest.h>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

// One pair of groups sent 33 ms apart.
void Pair(ArrivalFilter& filter, double d_m_ms, double size_delta_bytes) {
  filter.Update(TimeDelta::Millis(33 + d_m_ms), TimeDelta::Millis(33), DataSize::Bytes(size_delta_bytes), Signal::kNormal);
}

// The numbers are equations 4 to 10 of ToN in exact fractions: Q = diag(1e-10, 1e-3),
// P(0) = diag(100, 0.1), theta(0) = [1/64, 0], sigma^2(0) = 50, beta = 0.95.
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

// On an empty link of 1 Mbps a frame that is larger by dL comes later by 0.008 ms/byte times dL.
TEST(ArrivalFilter, FindsTheCapacityOfALinkFromFrameSizes) {
  ArrivalFilter filter(PresetNamed("gcc"));
  for (int i = 0; i < 200; ++i) {
    const double size_delta = (i % 2 == 0 ? 1000 : -1000) + 100 * (i % 3);
    Pair(filter, 0.008 * size_delta, size_delta);
  }
  EXPECT_NEAR(filter.inverse_capacity_ms_per_byte(), 0.008, 0.008 * 0.01);
  EXPECT_NEAR(filter.m().ms(), 0, 0.05);
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
