// Compares the probability density fitter with the paper's equations 3, 4, 6 and 7, which are integrated numerically.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cc/lcc/density_fitter.h"
#include "tests/native/allocations.h"
#include "units/random.h"

namespace ccscope::lcc {
namespace {

struct Pair {
  double rate_bps;
  double delay_ms;
};

// Pairs of a rate and a delay, such as LCC observes: the larger the rate, the larger the delay, both with noise.
std::vector<Pair> Pairs(int count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Pair> pairs;
  for (int i = 0; i < count; ++i) {
    const double rate = 900e3 + 60e3 * random.Gaussian();
    pairs.push_back({rate, 50 + std::fmax(0, (rate - 850e3) / 3e3) + 4 * random.Gaussian()});
  }
  return pairs;
}

DensityFitter Fitted(const Parameters& parameters, const std::vector<Pair>& pairs) {
  DensityFitter fitter(parameters);
  for (const Pair& pair : pairs) fitter.Add(DataRate::BitsPerSec(pair.rate_bps), TimeDelta::Millis(pair.delay_ms));
  fitter.Refit();
  return fitter;
}

// Eq. 3 and 4 as printed in the paper, with a product of two normal kernels, one for each axis; in kbps and ms.
class Paper {
 public:
  Paper(const Parameters& parameters, const std::vector<Pair>& all)
      : h_s_(parameters.bandwidth_rate_bps / 1e3), h_d_(parameters.bandwidth_delay_ms) {
    const auto n = static_cast<std::size_t>(parameters.window_pairs);
    const std::size_t first = all.size() > n ? all.size() - n : 0;
    pairs_.assign(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
  }

  double Density(double s_kbps, double d_ms) const {
    const double n = static_cast<double>(pairs_.size());
    double sum = 0;
    double total = 0;
    for (std::size_t i = 1; i <= pairs_.size(); ++i) {
      const double w = std::exp(static_cast<double>(i) / n - 1);  // eq. 3
      const Pair& pair = pairs_[i - 1];
      sum += w * Kernel((s_kbps - pair.rate_bps / 1e3) / h_s_) / h_s_ * Kernel((d_ms - pair.delay_ms) / h_d_) / h_d_;
      total += w;
    }
    return sum / total;  // eq. 4
  }

  // Eq. 6 and 7, by the trapezoid rule. The function is smooth and vanishes at both ends, so the error falls faster
  // than any power of the step.
  double ConditionalMeanKbps(double d_ms) const {
    double weighted = 0;
    double marginal = 0;
    const double step = h_s_ / 8;
    for (double s = -4000; s <= 6000; s += step) {
      const double p = Density(s, d_ms);
      weighted += s * p * step;
      marginal += p * step;
    }
    return weighted / marginal;
  }

 private:
  static double Kernel(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * M_PI); }
  double h_s_;
  double h_d_;
  std::vector<Pair> pairs_;
};

TEST(LccDensityFitterTest, ConditionalMeanIsTheIntegralOfThePaperWhateverTheBandwidthOfTheRate) {
  const auto pairs = Pairs(50, 1);
  Parameters parameters;
  for (const double bandwidth_rate_bps : {10e3, 25e3, 120e3}) {
    parameters.bandwidth_rate_bps = bandwidth_rate_bps;
    const DensityFitter fitter = Fitted(parameters, pairs);
    const Paper paper(parameters, pairs);
    for (const double delay_ms : {45.0, 55.0, 66.0, 75.0, 90.0}) {
      const double expected = paper.ConditionalMeanKbps(delay_ms);
      EXPECT_NEAR(fitter.ConditionalMean(TimeDelta::Millis(delay_ms)).kbps() / expected, 1, 1e-6) << delay_ms;
    }
  }
}

TEST(LccDensityFitterTest, DensityIsThatOfEquation4) {
  const auto pairs = Pairs(50, 2);
  const Parameters parameters;
  const DensityFitter fitter = Fitted(parameters, pairs);
  const Paper paper(parameters, pairs);
  for (const double s_kbps : {700.0, 850.0, 930.0, 1100.0}) {
    for (const double d_ms : {40.0, 60.0, 80.0}) {
      // Converts a density per bps and us into one per kbps and ms, as in the paper.
      const double density = fitter.Density(DataRate::KilobitsPerSec(s_kbps), TimeDelta::Millis(d_ms)) * 1e6;
      const double expected = paper.Density(s_kbps, d_ms);
      EXPECT_NEAR(density, expected, 1e-9 * expected + 1e-25);
    }
  }
}

TEST(LccDensityFitterTest, TheOldestPairsLeaveAFullWindow) {
  const auto pairs = Pairs(130, 3);
  Parameters parameters;
  parameters.window_pairs = 50;
  const DensityFitter fitter = Fitted(parameters, pairs);
  EXPECT_EQ(fitter.pairs(), 50);
  const Paper paper(parameters, pairs);
  const Paper of_all([&] { auto p = parameters; p.window_pairs = 300; return p; }(), pairs);
  const double mean = fitter.ConditionalMean(TimeDelta::Millis(60)).kbps();
  EXPECT_NEAR(mean / paper.ConditionalMeanKbps(60), 1, 1e-6);
  EXPECT_GT(std::fabs(mean / of_all.ConditionalMeanKbps(60) - 1), 1e-4);
}

TEST(LccDensityFitterTest, TheFullLengthOfTheRingKeepsItsOrder) {
  const auto pairs = Pairs(777, 4);
  Parameters parameters;
  parameters.window_pairs = DensityFitter::kMaxPairs;
  const DensityFitter fitter = Fitted(parameters, pairs);
  EXPECT_NEAR(fitter.ConditionalMean(TimeDelta::Millis(70)).kbps() / Paper(parameters, pairs).ConditionalMeanKbps(70), 1, 1e-6);
}

// The conditional mean of two pairs with the same delay; their weights are w_1 = e^(1/2 - 1) and w_2 = e^0.
TEST(LccDensityFitterTest, TheNewerPairWeighsMore) {
  Parameters parameters;
  parameters.window_pairs = 2;
  const DensityFitter fitter = Fitted(parameters, {{100e3, 50}, {200e3, 50}});
  const double w = std::exp(-0.5);
  EXPECT_NEAR(fitter.ConditionalMean(TimeDelta::Millis(50)).bps(), (100e3 * w + 200e3) / (w + 1), 1e-3);
}

// The latest pair always has i = N in the weight e^(i / N - 1). So two pairs in a window of four have the weights of
// the two newest pairs of a full window.
TEST(LccDensityFitterTest, AWindowThatIsNotFullHasTheWeightsOfItsLatestPart) {
  Parameters parameters;
  parameters.window_pairs = 4;
  const DensityFitter fitter = Fitted(parameters, {{100e3, 50}, {200e3, 50}});
  const double w = std::exp(3.0 / 4 - 1);
  EXPECT_NEAR(fitter.ConditionalMean(TimeDelta::Millis(50)).bps(), (100e3 * w + 200e3) / (w + 1), 1e-3);
}

TEST(LccDensityFitterTest, PairsCountFromTheNextUpdateOn) {
  const Parameters parameters;
  DensityFitter fitter = Fitted(parameters, {{100e3, 50}});
  fitter.Add(DataRate::KilobitsPerSec(900), TimeDelta::Millis(50));
  EXPECT_EQ(fitter.ConditionalMean(TimeDelta::Millis(50)).kbps(), 100);
  EXPECT_EQ(fitter.pairs(), 2);
  fitter.Refit();
  EXPECT_GT(fitter.ConditionalMean(TimeDelta::Millis(50)).kbps(), 400);
}

// Far from all pairs the sums of eq. 6 underflow, but their quotient has a limit.
TEST(LccDensityFitterTest, FarFromAllPairsTheNearestOneDecides) {
  const DensityFitter fitter = Fitted({}, {{100e3, 50}, {200e3, 60}, {300e3, 70}});
  EXPECT_NEAR(fitter.ConditionalMean(TimeDelta::Seconds(1000)).kbps(), 300, 1e-6);
  EXPECT_NEAR(fitter.ConditionalMean(TimeDelta::Seconds(-1000)).kbps(), 100, 1e-6);
}

TEST(LccDensityFitterTest, TheGridIsTheDensityAndIntegratesToOne) {
  const auto pairs = Pairs(300, 5);
  Parameters parameters;
  parameters.window_pairs = 300;
  const DensityFitter fitter = Fitted(parameters, pairs);
  DensityAxes axes{{NAN, NAN, 200}, {NAN, NAN, 150}};
  fitter.FitAxes(axes);
  std::vector<double> values(200 * 150);
  fitter.Grid(axes, values.data());
  double sum = 0;
  for (const double value : values) {
    EXPECT_GE(value, 0);
    sum += value;
  }
  const double cell = (axes.rate_bps.to - axes.rate_bps.from) / 199 * (axes.delay_us.to - axes.delay_us.from) / 149;
  EXPECT_NEAR(sum * cell, 1, 1e-3);  // the axes end 4 bandwidths beyond the outermost pairs
  for (const int r : {0, 77, 199}) {
    for (const int d : {0, 60, 149}) {
      const double point =
          fitter.Density(DataRate::BitsPerSec(axes.rate_bps.at(r)), TimeDelta::Micros(axes.delay_us.at(d)));
      EXPECT_NEAR(values[static_cast<std::size_t>(d * 200 + r)], point, 1e-12 * point + 1e-30);
    }
  }
}

TEST(LccDensityFitterTest, GivenEndsOfAnAxisStay) {
  const DensityFitter fitter = Fitted({}, {{500e3, 50}});
  DensityAxes axes{{0, 1e6, 11}, {NAN, 80e3, 5}};
  fitter.FitAxes(axes);
  EXPECT_EQ(axes.rate_bps.from, 0);
  EXPECT_EQ(axes.rate_bps.to, 1e6);
  EXPECT_EQ(axes.rate_bps.at(5), 5e5);
  EXPECT_EQ(axes.delay_us.from, 30e3);  // four bandwidths of 5 ms below 50 ms
  EXPECT_EQ(axes.delay_us.to, 80e3);
}

TEST(LccDensityFitterTest, NothingIsAllocated) {
  Parameters parameters;
  parameters.window_pairs = 300;
  DensityFitter fitter(parameters);
  const long before = Allocations();
  for (int i = 0; i < 1000; ++i) {
    fitter.Add(DataRate::KilobitsPerSec(i), TimeDelta::Millis(i % 50));
    fitter.Refit();
    EXPECT_GT(fitter.ConditionalMean(TimeDelta::Millis(25)).bps(), -1);
  }
  EXPECT_EQ(Allocations(), before);
}

}  // namespace
}  // namespace ccscope::lcc
