#include "sim/live/lateness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ccscope::live {
namespace {

constexpr int kItems = 200000;

// Returns the delay of each item between its arrival and its handling, in ms. An item arrives every millisecond.
std::vector<double> Delays(const Lateness::Params& params, std::uint64_t seed) {
  Lateness lateness(params, seed);
  std::vector<double> delays;
  Timestamp last = Timestamp::MinusInfinity();
  for (int i = 0; i < kItems; ++i) {
    const Timestamp at = Timestamp::Millis(i);
    const Timestamp handled = lateness.Handled(at);
    EXPECT_GE(handled, last);
    last = handled;
    delays.push_back((handled - at).ms());
  }
  return delays;
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

TEST(Lateness, AMachineThatDoesNothingElseIsPunctual) {
  for (const double delay : Delays({TimeDelta::Zero(), 0, TimeDelta::Millis(10), 1}, 1)) ASSERT_EQ(delay, 0);
}

// Now and then the process waits for the processor. Between waits, the next wait begins at rate r. The lengths of waits
// are exponentially distributed with mean s. So the process waits for the fraction r s / (1 + r s) of the time. An item
// that arrives during a wait is handled s later on average (PASTA; exponential waits are memoryless). The mean delay is
// therefore 0.1 / 1.1 times 10 ms. 200 s contain 1818 waits, so the standard error is 3 % for the fraction and 5.5 %
// for the mean delay.
TEST(Lateness, ItemsWaitAsLongAsTheRenewalTheoremSays) {
  const auto delays = Delays({TimeDelta::Zero(), 10, TimeDelta::Millis(10), 1}, 7);
  double late = 0;
  for (const double delay : delays) late += delay > 0 ? 1 : 0;
  EXPECT_NEAR(late / kItems, 0.1 / 1.1, 0.1 / 1.1 * 0.1);
  EXPECT_NEAR(MeanOf(delays), 10 * 0.1 / 1.1, 10 * 0.1 / 1.1 * 0.15);
}

// Here a wait is the scale times X, the square of an exponential variate. E[X] is 2, and E[X^2] is 24. An item that
// arrives during a wait is handled E[X^2] / (2 E[X]) = 6 times the scale later on average.
TEST(Lateness, APowerHasLongerWaits) {
  const auto delays = Delays({TimeDelta::Zero(), 5, TimeDelta::Millis(5), 2}, 3);
  const double share = 5 * 0.010 / (1 + 5 * 0.010);
  EXPECT_NEAR(MeanOf(delays), share * 30, share * 30 * 0.35);
  double late = 0;
  for (const double delay : delays) late += delay > 0 ? 1 : 0;
  EXPECT_NEAR(late / kItems, share, share * 0.15);
}

TEST(Lateness, WhatComesInAWaitIsHandledAtItsEnd) {
  const auto delays = Delays({TimeDelta::Zero(), 10, TimeDelta::Millis(10), 1}, 7);
  int bunched = 0;
  for (std::size_t i = 1; i < delays.size(); ++i) {
    if (delays[i] > 0 && delays[i - 1] > 0 && std::fabs(delays[i - 1] - delays[i] - 1) < 1e-6) ++bunched;
  }
  EXPECT_GT(bunched, kItems / 30);
}

TEST(Lateness, TheUsualDelayIsExponential) {
  Lateness lateness({TimeDelta::Millis(2), 0, TimeDelta::Zero(), 1}, 5);
  double sum = 0;
  // The items are far apart, so that none has to wait for the previous one.
  for (int i = 0; i < 20000; ++i) sum += (lateness.Handled(Timestamp::Seconds(i)) - Timestamp::Seconds(i)).ms();
  EXPECT_NEAR(sum / 20000, 2, 2 * 0.03);
}

}  // namespace
}  // namespace ccscope::live
