// Tests CUBIC's law against RFC 9438's equations and tables, without a network.
#include "sim/tcp/cubic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "sim/tcp/new_reno.h"

namespace ccscope::tcp {
namespace {

Parameters CubicOnly() {
  Parameters p;
  p.cubic_reno_friendly = 0;
  return p;
}

AckEvent AckAt(double seconds, double acked, double rtt_s) {
  return {.now = Timestamp::Seconds(seconds),
          .acked = acked,
          .rtt = TimeDelta::Seconds(rtt_s),
          .srtt = TimeDelta::Seconds(rtt_s)};
}

// The law after a loss at time 0, when the window was `cwnd`.
struct AfterLoss {
  AfterLoss(const Parameters& p, double cwnd) : law(p), window{.cwnd = cwnd, .ssthresh = cwnd} {
    window.ssthresh = law.OnCongestionEvent({}, cwnd, window);
    window.cwnd = window.ssthresh;
  }
  Cubic law;
  Window window;
};

TEST(Cubic, KIsEquation2) {
  EXPECT_NEAR(Cubic::K(100, 70, 0.4), 4.217163326508746, 1e-12);  // cube root of 75
  EXPECT_NEAR(Cubic::K(10, 7, 0.4), 1.957433820584429, 1e-12);    // cube root of 7.5
  EXPECT_NEAR(Cubic::K(1000, 700, 0.4), 9.085602964160698, 1e-12);
  EXPECT_NEAR(Cubic::K(100, 70, 4), 1.957433820584429, 1e-12);
  EXPECT_EQ(Cubic::K(50, 50, 0.4), 0);
}

// The values are 100 + 0.4 (t - 4.217163)^3, by hand. With one ACK per round trip, the window is W_cubic(t + RTT).
TEST(Cubic, TheWindowFollowsEquation1) {
  AfterLoss s(CubicOnly(), 100);
  EXPECT_DOUBLE_EQ(s.window.cwnd, 70);
  const double rtt = 0.01;
  const std::vector<std::tuple<double, double>> expected = {
      {0.01, 70.21296}, {1, 86.68082}, {2, 95.64028}, {4.22, 100}, {6, 102.26673}, {8, 121.65276}};
  std::size_t next = 0;
  for (int i = 0; next < expected.size(); ++i) {
    const double t = i * rtt;
    s.law.OnAck(AckAt(t, s.window.cwnd, rtt), s.window);
    const auto [at, cwnd] = expected[next];
    if (t + rtt < at - 1e-9) continue;
    EXPECT_NEAR(s.window.cwnd, cwnd, 1e-3) << "t = " << at;
    ++next;
  }
  EXPECT_NEAR(s.law.WCubic(0), 70, 1e-9);
  EXPECT_NEAR(s.law.WCubic(s.law.state().k), 100, 1e-9);
  EXPECT_NEAR(s.law.WCubic(2 * s.law.state().k), 130, 1e-9);
}

TEST(Cubic, TheTargetIsAtMostOneAndAHalfWindows) {
  AfterLoss s(CubicOnly(), 20);
  s.law.OnAck(AckAt(0, 1, 0.1), s.window);
  const double before = s.window.cwnd;
  s.law.OnAck(AckAt(60, 1, 0.1), s.window);  // W_cubic is in the tens of thousands
  EXPECT_DOUBLE_EQ(s.window.cwnd, before + 0.5);
}

TEST(Cubic, TheDecreaseIsByBetaAndLeavesTwoSegmentsAtLeast) {
  Cubic law{Parameters{}};
  EXPECT_DOUBLE_EQ(law.OnCongestionEvent({}, 100, {.cwnd = 100}), 70);
  EXPECT_DOUBLE_EQ(law.OnCongestionEvent({}, 2, {.cwnd = 2}), 2);
}

// RFC 9438, section 4.7.
TEST(Cubic, FastConvergenceLowersWMaxWhenTheWindowFellShortOfIt) {
  Cubic law{Parameters{}};
  law.OnCongestionEvent({}, 100, {.cwnd = 100});
  EXPECT_DOUBLE_EQ(law.state().w_max, 100);
  law.OnCongestionEvent({}, 80, {.cwnd = 80});
  EXPECT_DOUBLE_EQ(law.state().w_max, 68);  // 80 * 1.7 / 2
  law.OnCongestionEvent({}, 75, {.cwnd = 75});
  EXPECT_DOUBLE_EQ(law.state().w_max, 75);

  Parameters off;
  off.cubic_fast_convergence = 0;
  Cubic slow(off);
  slow.OnCongestionEvent({}, 100, {.cwnd = 100});
  slow.OnCongestionEvent({}, 80, {.cwnd = 80});
  EXPECT_DOUBLE_EQ(slow.state().w_max, 80);
}

// Section 4.3: alpha = 3 * 0.3 / 1.7 segments per round trip, and 1 once the window has regained its size before the
// decrease.
TEST(Cubic, TheRenoFriendlyWindowGrowsByAlphaThenByOne) {
  EXPECT_NEAR(Cubic::AlphaCubic(0.7), 0.5294117647, 1e-10);
  EXPECT_DOUBLE_EQ(Cubic::AlphaCubic(0.5), 1);
  Parameters p;
  p.cubic_c = 1e-4;  // so small that only Reno's region applies
  AfterLoss s(p, 20);
  double cwnd = 14;
  for (int round = 0; round < 30; ++round) {
    s.law.OnAck(AckAt(0.001 * round, s.window.cwnd, 0.001), s.window);
    cwnd += cwnd >= 20 ? 1 : 0.5294117647;
    ASSERT_NEAR(s.window.cwnd, cwnd, 1e-6) << round;
  }
  EXPECT_GT(cwnd, 35);
}

TEST(Cubic, CountingAcksHalvesTheRenoFriendlyWindowUnderDelayedAcks) {
  Parameters p;
  p.cubic_c = 1e-4;
  p.increase_per = 1;
  p.cubic_alpha_one = 0;
  AfterLoss s(p, 20);
  for (int i = 0; i < 7 * 100; ++i) s.law.OnAck(AckAt(1e-4 * i, 2, 0.001), s.window);
  Parameters q = p;
  q.increase_per = 2;
  AfterLoss t(q, 20);
  for (int i = 0; i < 7 * 100; ++i) t.law.OnAck(AckAt(1e-4 * i, 2, 0.001), t.window);
  // Each of the n = 700 ACKs raises cwnd by 0.529 k / cwnd: k is 1 if ACKs are counted, 2 if segments are. So cwnd^2
  // grows by 2 * 0.529 k n.
  EXPECT_NEAR(s.window.cwnd * s.window.cwnd - 196, 741, 10);
  EXPECT_NEAR(t.window.cwnd * t.window.cwnd - 196, 1482, 20);
}

// Section 4.8.
TEST(Cubic, AfterATimeoutTheStageBeginsAtItsOwnMaximum) {
  AfterLoss s(Parameters{}, 100);
  s.law.OnAck(AckAt(0, 2, 0.1), s.window);
  const double before = s.window.cwnd;
  EXPECT_NEAR(s.law.OnTimeout(Timestamp::Seconds(1), before, s.window), 0.7 * before, 1e-9);
  s.window = {.cwnd = 40, .ssthresh = 40};
  s.law.OnAck(AckAt(3, 2, 0.1), s.window);
  EXPECT_EQ(s.law.state().k, 0);
  EXPECT_EQ(s.law.state().origin, 40);
  EXPECT_NEAR(s.law.WCubic(10), 440, 1e-9);  // 0.4 * 10^3 + 40
}

// Section 4.2: t excludes time in which the application limited the window.
TEST(Cubic, TimeLimitedByTheApplicationDoesNotCount) {
  AfterLoss s(CubicOnly(), 100);
  AfterLoss idle(CubicOnly(), 100);
  for (int i = 0; i <= 100; ++i) {
    s.law.OnAck(AckAt(0.01 * i, 2, 0.01), s.window);
    idle.law.OnAck(AckAt(0.01 * i, 2, 0.01), idle.window);
  }
  AckEvent held = AckAt(61, 2, 0.01);
  held.window_limited = false;
  idle.law.OnAck(held, idle.window);
  for (int i = 1; i <= 100; ++i) {
    s.law.OnAck(AckAt(1 + 0.01 * i, 2, 0.01), s.window);
    idle.law.OnAck(AckAt(61 + 0.01 * i, 2, 0.01), idle.window);
  }
  EXPECT_GT(s.window.cwnd, 90);
  EXPECT_NEAR(idle.window.cwnd, s.window.cwnd, 1e-6);
}

// The average window, in segments per round trip. Only the law runs, with one loss per 1/p segments, as in the RFC's
// model. There is an ACK every 4 ms or, if segments are further apart, one for each segment.
template <class Law>
double AverageWindow(const Parameters& p, double rtt_s, double loss, double start, int epochs, int measured) {
  Law law(p);
  Window window{.cwnd = start, .ssthresh = start};
  double now = 0;
  double begin = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    if (epoch == epochs - measured) begin = now;
    for (double sent = 0; sent < 1 / loss;) {
      const double acked = std::max(1.0, std::floor(window.cwnd * 0.004 / rtt_s));
      now += rtt_s * acked / window.cwnd;
      sent += acked;
      law.OnAck(AckAt(now, acked, rtt_s), window);
    }
    window.ssthresh = law.OnCongestionEvent(Timestamp::Seconds(now), window.cwnd, window);
    window.cwnd = window.ssthresh;
  }
  return measured / loss * rtt_s / (now - begin);
}

struct Cell {
  double rtt_s;
  double loss;
  double window;
};

// RFC 9438, section 5.1: the average windows for C = 0.4. Fast convergence is off, as the RFC recommends for a single
// flow. Around W_max the law is flat, so the model approaches its equilibrium slowly, as 1/sqrt(epochs) and from above.
// After 250 epochs it is within 6.5 %, wherever it began.
TEST(Cubic, ResponseFunctionIsThatOfTheRfc) {
  Parameters p;
  p.cubic_fast_convergence = 0;
  const Cell cells[] = {{0.1, 1e-2, 12},    {0.1, 1e-3, 38},     {0.1, 1e-4, 187},   {0.1, 1e-5, 1054},
                        {0.1, 1e-6, 5926},  {0.1, 1e-7, 33325},  {0.1, 1e-8, 187400}, {0.01, 1e-2, 12},
                        {0.01, 1e-3, 38},   {0.01, 1e-4, 120},   {0.01, 1e-5, 379},  {0.01, 1e-6, 1200},
                        {0.01, 1e-7, 5926}, {0.01, 1e-8, 33325}};
  for (const Cell& cell : cells) {
    for (const double start : {0.5, 2.0}) {
      const double window = AverageWindow<Cubic>(p, cell.rtt_s, cell.loss, start * cell.window, 250, 25);
      EXPECT_NEAR(window / cell.window, 1, 0.1)
          << "RTT " << cell.rtt_s << " s, p = " << cell.loss << ", from " << start << " times the table's window";
    }
  }
}

// The purpose of section 4.3: AIMD(alpha_cubic, 0.7) has Reno's average window, sqrt(3/(2 p)).
TEST(Cubic, WEstHasRenosAverageWindow) {
  Parameters p;
  p.cubic_c = 1e-4;
  p.increase_per = 2;
  for (const double loss : {1e-2, 1e-3, 1e-4}) {
    const double reno = AverageWindow<NewReno>(p, 0.01, loss, 1.2 / std::sqrt(loss), 60, 40);
    const double w_est = AverageWindow<Cubic>(p, 0.01, loss, 1.2 / std::sqrt(loss), 60, 40);
    EXPECT_NEAR(reno / std::sqrt(1.5 / loss), 1, 0.05) << loss;
    EXPECT_NEAR(w_est / reno, 1, 0.05) << loss;
  }
}

Parameters WithHyStart(double mode) {
  Parameters p;
  p.hystart = mode;
  p.slow_start_limit_segments = 1000;
  return p;
}

// Runs rounds of slow start, 50 ms each, in which the ACKs are `spacing_ms` apart. Returns ssthresh.
double SlowStartRounds(Cubic& law, int rounds, double rtt_ms, double spacing_ms, double first_rtt_ms = 50) {
  Window window{.cwnd = 16};
  std::int64_t una = 0;
  for (int round = 0; round < rounds; ++round) {
    const int acks = 20;
    const std::int64_t next = una + 2 * acks;
    for (int i = 0; i < acks && window.InSlowStart(); ++i) {
      una += 2;
      law.OnAck({.now = Timestamp::Millis(1000 + 50 * round + spacing_ms * i),
                 .acked = 2,
                 .una = una,
                 .next = next,
                 .rtt = TimeDelta::Millis(round == 0 ? first_rtt_ms : rtt_ms),
                 .srtt = TimeDelta::Millis(50)},
                window);
    }
  }
  return window.ssthresh;
}

// Linux 3.16: slow start ends if the RTT has risen by an eighth of its minimum, but at least by 4 ms and at most by 16
// ms. An eighth of 50 ms is 6.25 ms.
TEST(HyStart, ARiseOfTheRttByAnEighthEndsSlowStart) {
  const auto ends = [](double first_ms, double then_ms) {
    Cubic law(WithHyStart(2));
    return SlowStartRounds(law, 3, then_ms, 2.4, first_ms) < kInfinity;
  };
  EXPECT_FALSE(ends(50, 56));
  EXPECT_TRUE(ends(50, 56.5));
  EXPECT_FALSE(ends(20, 23.9));  // at least 4 ms
  EXPECT_TRUE(ends(20, 24.1));
  EXPECT_FALSE(ends(400, 415.9));  // at most 16 ms
  EXPECT_TRUE(ends(400, 416.1));
}

TEST(HyStart, ATrainOfAcksOfHalfTheMinimumRttEndsSlowStart) {
  Cubic dense(WithHyStart(1));  // a round's ACKs span 19 ms; those of `train` span 26.6 ms, more than half of 50 ms
  EXPECT_EQ(SlowStartRounds(dense, 3, 50, 1), kInfinity);
  Cubic train(WithHyStart(1));
  EXPECT_LT(SlowStartRounds(train, 3, 50, 1.4), kInfinity);
  Cubic sparse(WithHyStart(1));  // more than 2 ms apart: no train
  EXPECT_EQ(SlowStartRounds(sparse, 3, 50, 2.4), kInfinity);
  Cubic off(WithHyStart(0));
  EXPECT_EQ(SlowStartRounds(off, 3, 80, 1.4), kInfinity);
}

}  // namespace
}  // namespace ccscope::tcp
