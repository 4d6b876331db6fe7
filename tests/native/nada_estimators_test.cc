// Tests the estimates of NADA's receiver half: queuing delay and losses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cc/nada/delay_filter.h"
#include "cc/nada/loss_estimator.h"
#include "tests/native/nada_support.h"
#include "units/random.h"

namespace ccscope::nada {
namespace {

// Feeds arrivals, one every 10 ms, with the given one-way delays; the clocks are 1 s apart.
class Delays {
 public:
  explicit Delays(const Parameters& p) : filter_(p) {}
  TimeDelta Add(double delay_ms) {
    const Timestamp send = AtMs(now_ms_ += 10);
    return filter_.OnArrival(send, send + Ms(1000 + delay_ms), send);
  }
  void Wait(double ms) { now_ms_ += ms; }
  double QueuingMs() const { return filter_.queuing_delay().ms(); }
  DelayFilter& filter() { return filter_; }

 private:
  DelayFilter filter_;
  double now_ms_ = 0;
};

// RFC 8698 5.1.1: the minimum of 15 samples above the baseline.
TEST(NadaDelayFilter, TakesTheMinimumOfFifteen) {
  Delays delays(nada_rfc8698());
  EXPECT_EQ(delays.Add(25).ms(), 0);
  EXPECT_EQ(delays.Add(65).ms(), 40);
  EXPECT_EQ(delays.QueuingMs(), 0);
  for (int i = 0; i < 13; ++i) delays.Add(65 + i);
  EXPECT_EQ(delays.QueuingMs(), 0);  // the 15th sample: the minimum is still the first one
  delays.Add(80);
  EXPECT_EQ(delays.QueuingMs(), 40);
  delays.Add(30);
  EXPECT_EQ(delays.QueuingMs(), 5);
}

TEST(NadaDelayFilter, ABaselineExpires) {
  Parameters p = nada_rfc8698();
  p.filter_samples = 1;
  p.base_delay_window_s = 10;
  Delays delays(p);
  delays.Add(20);
  for (int i = 0; i < 890; ++i) delays.Add(50);
  EXPECT_EQ(delays.QueuingMs(), 30);  // 8.9 s later
  for (int i = 0; i < 120; ++i) delays.Add(50);
  EXPECT_EQ(delays.QueuingMs(), 0);
  delays.Wait(3600e3);
  EXPECT_EQ(delays.Add(90).ms(), 0);
  p.base_delay_window_s = 0;
  delays.filter().Configure(p);  // keeps the baseline; a window of 0 s is the whole session
  delays.Wait(1e9);
  EXPECT_EQ(delays.Add(100).ms(), 10);
}

// CMP ("Congestion Control for RTC: a Comparison NADA/GCC", 2016) II-A: the median of 5 samples is averaged, with a
// weight of 0.9 for the old value.
TEST(NadaDelayFilter, SmoothsTheMedianOfFiveIn2015) {
  Delays delays(nada_2015());
  delays.Add(20);                                 // median of 0: 0
  delays.Add(120);                                // median of 0 100: 50
  EXPECT_NEAR(delays.QueuingMs(), 5, 1e-9);       // 0.1 * 50
  delays.Add(20);                                 // median of 0 0 100: 0
  EXPECT_NEAR(delays.QueuingMs(), 4.5, 1e-9);
  delays.Add(60);                                 // median of 0 0 40 100: 20
  EXPECT_NEAR(delays.QueuingMs(), 6.05, 1e-9);    // 4.05 + 2
  delays.Add(70);                                 // median of 0 0 40 50 100: 40
  EXPECT_NEAR(delays.QueuingMs(), 9.445, 1e-9);   // 5.445 + 4
  delays.Add(80);                                 // median of 0 40 50 60 100: 50
  EXPECT_NEAR(delays.QueuingMs(), 13.5005, 1e-9); // 8.5005 + 5
}

// A sample is the time for which the next frame would have to wait: the delay of the latest frame, less the frame
// interval and the baseline.
TEST(NadaDelayFilter, TheWaitLeavesOutAFramesOwnSerialisation) {
  Parameters p = nada_rfc8698();
  p.filter_samples = 1;
  p.delay_sample = 1;
  Delays delays(p);
  EXPECT_EQ(delays.Add(20).ms(), 0);
  EXPECT_EQ(delays.Add(29).ms(), 0);     // its transmission ends before the next frame arrives, 10 ms later
  EXPECT_EQ(delays.Add(140).ms(), 110);  // 140 - 10 - 20
  EXPECT_EQ(delays.Add(135).ms(), 105);
  delays.Wait(20);
  EXPECT_EQ(delays.Add(135).ms(), 85);   // frames now come every 30 ms
  delays.Wait(2000);
  EXPECT_EQ(delays.Add(135).ms(), 15);   // after a pause: an interval of 100 ms
}

// Lindley's recursion for frames of random sizes on a serial link. The sample is the wait of the next frame, minus the
// smallest serialisation time. That time is part of the baseline, since the first frame has the smallest size and does
// not wait.
TEST(NadaDelayFilter, TheWaitIsThatOfTheQueue) {
  Parameters p = nada_rfc8698();
  p.filter_samples = 1;
  p.delay_sample = 1;
  DelayFilter filter(p);
  Random random(3);
  double send_ms = 1000;
  double free_ms = 0;
  double longest_ms = 0;
  for (int i = 0; i < 3000; ++i) {
    const double service_ms = i == 0 ? 5 : 5 + 50 * random.Uniform();
    free_ms = std::max(free_ms, send_ms + 25) + service_ms;
    filter.OnArrival(AtMs(send_ms), AtMs(free_ms), AtMs(free_ms));
    send_ms += 33;
    const double next_waits_ms = std::max(0.0, free_ms - (send_ms + 25));
    ASSERT_NEAR(filter.queuing_delay().ms(), std::max(0.0, next_waits_ms - 5), 1e-6);
    longest_ms = std::max(longest_ms, next_waits_ms);
  }
  EXPECT_GT(longest_ms, 100);
}

// RFC 8698 5.1.2: the fraction of packets lost within LOGWIN, and p_loss = 0.1 p_inst + 0.9 p_loss.
TEST(NadaLossEstimator, AveragesTheRatioOfTheWindow) {
  LossEstimator losses(nada_rfc8698());
  for (int ms = 0; ms < 400; ms += 10) losses.OnPackets(1, 0, Ms(50), AtMs(ms));
  losses.Update(AtMs(390));
  EXPECT_EQ(losses.p_loss(), 0);
  EXPECT_FALSE(losses.RecentLoss(AtMs(390)));
  losses.OnPackets(1, 9, Ms(50), AtMs(400));  // 9 of 50
  losses.Update(AtMs(400));
  EXPECT_NEAR(losses.p_loss(), 0.018, 1e-12);
  EXPECT_TRUE(losses.RecentLoss(AtMs(899)));
  EXPECT_FALSE(losses.RecentLoss(AtMs(900)));
  for (int ms = 410; ms < 895; ms += 10) losses.OnPackets(1, 0, Ms(50), AtMs(ms));
  losses.Update(AtMs(890));  // 9 of 59
  EXPECT_NEAR(losses.p_loss(), 0.9 * 0.018 + 0.1 * 9 / 59, 1e-12);
  losses.Update(AtMs(2000));
  EXPECT_NEAR(losses.p_loss(), 0.9 * (0.9 * 0.018 + 0.1 * 9 / 59), 1e-12);
}

// RFC 5348 5.4: weights 1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2, the latest interval first; 5.2: one event per RTT.
TEST(NadaLossEstimator, MeanLossInterval) {
  LossEstimator losses(nada_rfc8698());
  double now_ms = 0;
  const auto interval = [&](int packets) {
    for (int i = 0; i < packets - 1; ++i) losses.OnPackets(1, 0, Ms(50), AtMs(now_ms += 10));
    losses.OnPackets(0, 1, Ms(50), AtMs(now_ms += 10));
  };
  EXPECT_EQ(losses.LossInterval(), 0);
  losses.OnPackets(1, 0, Ms(50), AtMs(now_ms));
  interval(100);
  EXPECT_EQ(losses.LossInterval(), 100);
  interval(200);
  EXPECT_EQ(losses.LossInterval(), 150);
  interval(4);  // 40 ms after the last loss: the same loss event
  EXPECT_EQ(losses.LossInterval(), 150);
  for (int i = 0; i < 8; ++i) interval(50 + 10 * i);  // the first interval includes the 4 packets above: 54
  // 1 (120 + 110 + 100 + 90) + 0.8 * 80 + 0.6 * 70 + 0.4 * 60 + 0.2 * 54, over 6
  EXPECT_NEAR(losses.LossInterval(), (420 + 64 + 42 + 24 + 10.8) / 6, 1e-9);
}

// RFC 8698 4.2: full warping within 7 loss intervals after the last loss, none from the eighth on.
TEST(NadaLossEstimator, LossesAreRecentForSevenIntervals) {
  LossEstimator losses(nada_rfc8698());
  EXPECT_EQ(losses.WarpingShare(), 0);
  losses.OnPackets(100, 0, Ms(50), AtMs(0));
  losses.OnPackets(0, 1, Ms(50), AtMs(10));
  EXPECT_EQ(losses.LossInterval(), 100);
  losses.OnPackets(700, 0, Ms(50), AtMs(20));
  EXPECT_EQ(losses.WarpingShare(), 1);
  losses.OnPackets(25, 0, Ms(50), AtMs(30));
  EXPECT_NEAR(losses.WarpingShare(), 0.75, 1e-12);
  losses.OnPackets(75, 0, Ms(50), AtMs(40));
  EXPECT_EQ(losses.WarpingShare(), 0);
}

}  // namespace
}  // namespace ccscope::nada
