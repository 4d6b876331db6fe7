// NewReno: the law of RFC 5681, the recovery of RFC 6582, and Mathis's law.
#include "sim/tcp/new_reno.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "units/random.h"
#include "tests/native/tcp_support.h"

namespace ccscope::tcp {
namespace {

constexpr auto kNewReno = CongestionControlKind::kNewReno;
constexpr Timestamp kNever = Timestamp::PlusInfinity();

AckEvent Acked(double segments) { return {.acked = segments, .rtt = TimeDelta::Millis(100)}; }

// RFC 5681, equation 2 with RFC 3465's limit of two.
TEST(NewReno, SlowStartAddsWhatIsAcknowledgedUpToTheLimit) {
  NewReno law{Parameters{}};
  Window window{.cwnd = 10};
  law.OnAck(Acked(1), window);
  EXPECT_EQ(window.cwnd, 11);
  law.OnAck(Acked(2), window);
  EXPECT_EQ(window.cwnd, 13);
  law.OnAck(Acked(9), window);
  EXPECT_EQ(window.cwnd, 15);
  Parameters strict;
  strict.slow_start_limit_segments = 1;
  NewReno one(strict);
  one.OnAck(Acked(2), window);
  EXPECT_EQ(window.cwnd, 16);
}

TEST(NewReno, SlowStartEndsAtSsthresh) {
  NewReno law{Parameters{}};
  Window window{.cwnd = 15.5, .ssthresh = 16};
  law.OnAck(Acked(2), window);
  EXPECT_NEAR(window.cwnd, 16 + 1 / 16.0, 1e-12);  // the rest goes to congestion avoidance
}

// RFC 5681, equation 3.
TEST(NewReno, CongestionAvoidanceAddsASegmentPerWindowOfAcks) {
  NewReno law{Parameters{}};
  Window window{.cwnd = 20, .ssthresh = 10};
  law.OnAck(Acked(1), window);
  EXPECT_DOUBLE_EQ(window.cwnd, 20.05);
  window.cwnd = 20;
  law.OnAck(Acked(2), window);  // a delayed ACK for two segments counts once
  EXPECT_DOUBLE_EQ(window.cwnd, 20.05);
  Parameters bytes;
  bytes.increase_per = 2;
  NewReno counting(bytes);
  window.cwnd = 20;
  counting.OnAck(Acked(2), window);
  EXPECT_DOUBLE_EQ(window.cwnd, 20.1);
}

// RFC 5681, equation 4.
TEST(NewReno, ALossHalvesTheFlight) {
  NewReno law{Parameters{}};
  EXPECT_EQ(law.OnCongestionEvent({}, 30, {.cwnd = 40}), 15);
  EXPECT_EQ(law.OnTimeout({}, 30, {.cwnd = 40}), 15);
  EXPECT_EQ(law.OnTimeout({}, 3, {.cwnd = 3}), 2);
}

// Sends a file of 200 segments, and drops the first transmission of each segment in `holes`. Records the
// retransmissions and their times.
struct Recovery {
  Recovery(Parameters p, const std::set<std::int64_t>& holes) : path(p, kNewReno, TimeDelta::Millis(50)) {
    path.segment_fate = [&, holes](const Segment& s) -> std::optional<TimeDelta> {
      if (holes.contains(s.seq) && !s.retransmission) return std::nullopt;
      return TimeDelta::Zero();
    };
    path.on_sent = [&](const Segment& s, Timestamp now) {
      if (s.retransmission) retransmitted.emplace_back(s.seq, now);
    };
    path.Start(200);
    path.RunUntil(kNever);
  }
  Connection path;
  std::vector<std::pair<std::int64_t, Timestamp>> retransmitted;
};

Parameters Window32(double partial_ack_timer) {
  Parameters p;
  p.initial_window_segments = 32;
  p.partial_ack_timer = partial_ack_timer;
  return p;
}

// RFC 6582, section 3.2, step 3: each partial ACK reveals one hole, so that n holes take n round trips.
TEST(NewReno, NHolesAreRecoveredInNRoundTrips) {
  for (const int n : {1, 2, 5, 9}) {
    std::set<std::int64_t> holes;
    for (int i = 0; i < n; ++i) holes.insert(3 + 2 * i);
    Recovery r(Window32(1), holes);
    EXPECT_TRUE(r.path.sender.finished());
    EXPECT_EQ(r.path.sender.stats().timeouts, 0);
    EXPECT_EQ(r.path.sender.stats().fast_recoveries, 1);
    ASSERT_EQ(r.retransmitted.size(), static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
      const auto [seq, at] = r.retransmitted[static_cast<std::size_t>(i)];
      EXPECT_EQ(seq, 3 + 2 * i);
      EXPECT_DOUBLE_EQ((at - r.retransmitted[0].second).ms(), 100.0 * i) << "hole " << i << " of " << n;
    }
  }
}

// The impatient variant: only the first partial ACK restarts the timer. RTO = 100 + 200 ms.
TEST(NewReno, TheImpatientVariantTimesOutOneRtoAfterTheFirstPartialAck) {
  std::set<std::int64_t> holes;
  for (int i = 0; i < 9; ++i) holes.insert(3 + 2 * i);
  Recovery r(Window32(0), holes);
  EXPECT_TRUE(r.path.sender.finished());
  EXPECT_EQ(r.path.sender.stats().timeouts, 1);
  // The first four holes are retransmitted at 0 to 300 ms, counted from the first retransmission. The first partial ACK
  // comes at 100 ms, so the timer expires at 400 ms.
  ASSERT_GT(r.retransmitted.size(), 5u);
  EXPECT_DOUBLE_EQ((r.retransmitted[3].second - r.retransmitted[0].second).ms(), 300);
  EXPECT_NEAR((r.retransmitted[4].second - r.retransmitted[0].second).ms(), 400, 5);
}

// RFC 6582, section 3.2: the window during recovery, with 32 outstanding segments, of which the first is lost.
TEST(NewReno, TheThirdDuplicateRetransmitsAndFurtherOnesLetNewSegmentsGo) {
  Parameters p = Window32(0);
  p.limited_transmit = 0;
  Sender sender(p, kNewReno);
  sender.Start({});
  while (sender.NextSegment({})) {
  }
  ASSERT_EQ(sender.outstanding(), 32);
  const Timestamp at = Timestamp::Millis(100);
  const auto after = [&] {
    sender.OnAck({.next_expected = 0}, at);
    std::vector<Segment> sent;
    while (const auto s = sender.NextSegment(at)) sent.push_back(*s);
    return sent;
  };
  EXPECT_TRUE(after().empty());
  EXPECT_TRUE(after().empty());
  const auto third = after();
  ASSERT_EQ(third.size(), 1u);
  EXPECT_EQ(third[0].seq, 0);
  EXPECT_TRUE(third[0].retransmission);
  EXPECT_EQ(sender.ssthresh_segments(), 16);
  EXPECT_EQ(sender.state(), Sender::State::kRecovery);
  // cwnd = ssthresh + 3 + k must exceed the 32 outstanding segments, which it does from the 14th further duplicate on.
  for (int k = 1; k <= 13; ++k) EXPECT_TRUE(after().empty()) << k;
  for (int k = 14; k <= 28; ++k) {
    const auto sent = after();
    ASSERT_EQ(sent.size(), 1u) << k;
    EXPECT_EQ(sent[0].seq, 32 + k - 14);
  }
  // The full ACK ends the recovery: min(ssthresh, FlightSize + 1) with 15 outstanding.
  sender.OnAck({.next_expected = 32, .echo = {}}, at);
  EXPECT_EQ(sender.state(), Sender::State::kOpen);
  EXPECT_EQ(sender.cwnd_segments(), 16);
}

// RFC 6582, section 3.2, step 1 and section 4: retransmissions after a timeout may cause duplicate ACKs, which do not
// indicate a loss.
TEST(NewReno, NoFastRetransmitUntilTheAckIsBeyondRecoverAfterATimeout) {
  Sender sender(Window32(0), kNewReno);
  sender.Start({});
  while (sender.NextSegment({})) {
  }
  Timestamp now = sender.next_timer();
  EXPECT_EQ(now.ms(), 1000);
  sender.OnTimer(now);
  EXPECT_EQ(sender.NextSegment(now)->seq, 0);
  sender.OnAck({.next_expected = 32, .echo = now}, now + TimeDelta::Millis(100));
  while (sender.NextSegment(now)) {
  }
  for (int i = 0; i < 5; ++i) sender.OnAck({.next_expected = 32}, now + TimeDelta::Millis(101));
  EXPECT_EQ(sender.stats().fast_recoveries, 0);
  sender.OnAck({.next_expected = 33, .echo = now}, now + TimeDelta::Millis(150));
  while (sender.NextSegment(now)) {
  }
  for (int i = 0; i < 3; ++i) sender.OnAck({.next_expected = 33}, now + TimeDelta::Millis(151));
  EXPECT_EQ(sender.stats().fast_recoveries, 1);
}

// The mean number of segments that are sent per round trip under independent losses.
double WindowUnderLoss(Parameters p, double loss, double rtt_s, std::uint64_t seed) {
  Connection path(p, kNewReno, TimeDelta::Seconds(rtt_s / 2));
  Random random(seed);
  std::int64_t sent = 0;
  path.segment_fate = [&](const Segment&) -> std::optional<TimeDelta> {
    ++sent;
    if (random.Uniform() < loss) return std::nullopt;
    return TimeDelta::Zero();
  };
  path.Start();
  const auto run = [&](double losses) {
    while (static_cast<double>(sent) < losses / loss) path.Step(kNever);
  };
  run(10);
  const double begin_s = path.now().seconds();
  const double begin = static_cast<double>(sent);
  run(510);
  return (static_cast<double>(sent) - begin) * rtt_s / (path.now().seconds() - begin_s);
}

// Mathis et al. 1997: W = sqrt(3 / (2 b p)), b segments per ACK; 12.25 and 8.66 at 1 %.
TEST(NewReno, MathisLawHoldsAtOnePercentLoss) {
  for (const double b : {1.0, 2.0}) {
    Parameters p;
    p.delayed_ack_segments = b;
    double mean = 0;
    constexpr int kSeeds = 8;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) mean += WindowUnderLoss(p, 0.01, 0.1, seed) / kSeeds;
    EXPECT_NEAR(mean / std::sqrt(3 / (2 * b * 0.01)), 1, 0.1) << "b = " << b << ", window " << mean;
  }
}

}  // namespace
}  // namespace ccscope::tcp
