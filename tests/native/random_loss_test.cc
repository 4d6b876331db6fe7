// Tests random loss against its model: a Markov chain of two states, whose moments are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/impairments.h"
#include "sim/link.h"
#include "sim/queue_disc/drop_tail.h"

namespace ccscope {
namespace {

struct Losses {
  int packets = 0;
  int lost = 0;
  std::vector<int> runs;  // the lengths of the runs of lost packets

  double ratio() const { return static_cast<double>(lost) / packets; }
  double mean_run() const { return static_cast<double>(lost) / static_cast<double>(runs.size()); }
  // The fraction of the runs that are longer than this many packets.
  double longer_than(int length) const {
    const auto longer = std::count_if(runs.begin(), runs.end(), [length](int run) { return run > length; });
    return static_cast<double>(longer) / static_cast<double>(runs.size());
  }
};

Losses Observe(RandomLoss loss, std::uint64_t seed, int packets) {
  Random random(seed);
  Losses seen;
  bool before = false;
  for (seen.packets = 0; seen.packets < packets; ++seen.packets) {
    const bool lost = loss.Lose(random);
    if (lost && !before) seen.runs.push_back(0);
    if (lost) ++seen.runs.back(), ++seen.lost;
    before = lost;
  }
  return seen;
}

struct Case {
  double ratio;
  double burst;
};

class BurstLoss : public testing::TestWithParam<Case> {};

// Hasslinger and Hohlfeld (2008), with losses in the bad state only. The chain leaves this state with probability r = 1
// / B and enters it with q = p r / (1 - p); the loss ratio is then p. Losses k packets apart correlate with c^k, c = 1
// - q - r. So the ratio of n packets has the variance p (1 - p) / n * (1 + c) / (1 - c). Run lengths are geometric,
// with variance B (B - 1). The tolerance is four standard errors: chance alone exceeds it in one of 16,000
// comparisons.
TEST_P(BurstLoss, KeepsTheRatioAndHasRunsOfTheMeanLength) {
  const auto [p, burst] = GetParam();
  constexpr int kPackets = 400'000;
  const double r = 1 / burst;
  const double q = p * r / (1 - p);
  const double c = 1 - q - r;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Losses seen = Observe(RandomLoss(p, burst), seed, kPackets);
    EXPECT_NEAR(seen.ratio(), p, 4 * std::sqrt(p * (1 - p) / kPackets * (1 + c) / (1 - c)));
    const double runs = static_cast<double>(seen.runs.size());
    EXPECT_NEAR(seen.mean_run(), burst, 4 * std::sqrt(burst * (burst - 1) / runs));
    for (const int length : {1, 3, 8}) {
      const double longer = std::pow(1 - r, length);
      EXPECT_NEAR(seen.longer_than(length), longer, 4 * std::sqrt(longer * (1 - longer) / runs));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gilbert, BurstLoss,
                         testing::Values(Case{0.01, 2}, Case{0.02, 5}, Case{0.05, 10}, Case{0.2, 3}, Case{0.5, 4},
                                         Case{0.8, 6}));

TEST(RandomLoss, WithoutBurstsComparesEachNumberWithTheRatio) {
  for (const double ratio : {0.001, 0.02, 0.1, 1.0 / 3, 0.7, 0.999}) {
    // Independent losses come in bursts of 1 / (1 - ratio) packets on average. If a shorter mean burst is requested,
    // losses are independent.
    for (const double burst : {1.0, 1 / (1 - ratio) * 0.999}) {
      RandomLoss loss(ratio, std::max(1.0, burst));
      Random random(9);
      Random same(9);
      for (int i = 0; i < 10'000; ++i) ASSERT_EQ(loss.Lose(random), same.Uniform() < ratio) << ratio << " " << burst;
    }
  }
}

TEST(RandomLoss, OfNothingDrawsNothingAndOfEverythingLosesAll) {
  for (const double burst : {1.0, 7.0}) {
    Random random(3);
    Random untouched(3);
    RandomLoss none(0, burst);
    RandomLoss all(1, burst);
    for (int i = 0; i < 100; ++i) {
      EXPECT_FALSE(none.Lose(random));
      EXPECT_TRUE(all.Lose(untouched));
    }
    EXPECT_EQ(random.Next(), Random(3).Next());
  }
}

TEST(BurstLossOfALink, ComesAndGoesWithItsSettings) {
  Link::Params params;
  params.bottleneck.capacity = DataRate::KilobitsPerSec(100'000);
  params.loss_ratio = 0.1;
  params.burst_loss_packets = 8;
  Link link(params, std::make_unique<DropTail>(DropTail::Params::Packets(1000)));
  auto mean_run = [&link, id = 0]() mutable {
    double lost = 0;
    double runs = 0;
    bool before = false;
    for (int i = 0; i < 100'000; ++i, ++id) {
      const bool is_lost = link.Enqueue(id, DataSize::Bytes(100), 0, Timestamp::Millis(id)) != DropReason::kNone;
      lost += is_lost ? 1 : 0;
      runs += is_lost && !before ? 1 : 0;
      before = is_lost;
    }
    EXPECT_NEAR(lost / 1e5, 0.1, 0.02);
    return lost / runs;
  };
  // There are about 1250, 9000 and 2500 runs; the tolerances are five standard errors.
  EXPECT_NEAR(mean_run(), 8, 1.1);
  link.SetBurstLoss(1, Timestamp::Seconds(100));
  EXPECT_NEAR(mean_run(), 1 / 0.9, 0.02);
  link.SetBurstLoss(4, Timestamp::Seconds(200));
  EXPECT_NEAR(mean_run(), 4, 0.35);
}

}  // namespace
}  // namespace ccscope
