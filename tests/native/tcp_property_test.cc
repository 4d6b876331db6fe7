// Whatever a path does to segments and ACKs, a transfer completes, and it stays within its window.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "units/random.h"
#include "tests/native/tcp_support.h"

namespace ccscope::tcp {
namespace {

struct Case {
  CongestionControlKind kind;
  int preset;
};

class AnyPath : public testing::TestWithParam<Case> {};

// One transfer over a path that loses, delays and reorders at random.
void Transfer(const Case& c, std::uint64_t seed) {
  Random random(seed);
  Parameters parameters = WithPreset(c.preset);
  parameters.max_window_segments = std::floor(1 + 200 * random.Uniform());
  parameters.sack = std::floor(3 * random.Uniform());
  parameters.prr = std::floor(3 * random.Uniform());
  parameters.loss_detection = std::floor(2 * random.Uniform());
  parameters.limited_transmit = std::floor(2 * random.Uniform());
  parameters.partial_ack_timer = std::floor(2 * random.Uniform());
  parameters.rto_max_ms = 4000;
  const double loss = random.Uniform() < 0.2 ? 0 : 0.4 * random.Uniform() * random.Uniform();
  const double ack_loss = random.Uniform() < 0.5 ? 0 : 0.5 * random.Uniform();
  const double reordering = random.Uniform() < 0.5 ? 0 : random.Uniform();
  const double jitter_ms = random.Uniform() < 0.5 ? 1 : 300 * random.Uniform();
  Connection path(parameters, c.kind, TimeDelta::Millis(100 * random.Uniform()));
  const auto fate = [&](double lost) -> std::optional<TimeDelta> {
    if (random.Uniform() < lost) return std::nullopt;
    return TimeDelta::Millis(random.Uniform() < reordering ? jitter_ms * random.Uniform() : 0);
  };
  path.segment_fate = [&](const Segment&) { return fate(loss); };
  path.ack_fate = [&](const Ack&) { return fate(ack_loss); };

  std::int64_t total = 0;
  std::int64_t expected = 0;
  path.on_sent = [&](const Segment& s, Timestamp) {
    ASSERT_GE(s.seq, 0);
    ASSERT_LT(s.seq, total);
    ASSERT_LE(path.sender.outstanding(), static_cast<std::int64_t>(parameters.max_window_segments));
    // Only a fast retransmission may be sent beyond the window.
    if (!s.retransmission) {
      ASSERT_LE(static_cast<double>(path.sender.pipe()), path.sender.cwnd_segments());
    }
  };
  path.on_ack = [&](const Ack&, Timestamp) {
    ASSERT_GE(path.sender.pipe(), 0);
    ASSERT_GE(path.receiver.next_expected(), expected);
    ASSERT_GE(path.sender.cwnd_segments(), 0);
    expected = path.receiver.next_expected();
  };

  for (int file = 0; file < 3; ++file) {
    const auto segments = static_cast<std::int64_t>(1 + 400 * random.Uniform());
    total += segments;
    path.Start(segments);
    long steps = 0;
    while (!path.sender.finished()) {
      ASSERT_TRUE(path.Step(Timestamp::PlusInfinity())) << "it stalls at " << path.receiver.next_expected();
      ASSERT_LT(++steps, 200000) << "it does not end";
    }
    ASSERT_EQ(path.receiver.next_expected(), total);
    ASSERT_EQ(path.sender.outstanding(), 0);
    ASSERT_EQ(path.sender.pipe(), 0);
    if (random.Uniform() < 0.5) path.sender.Reset();
  }
  // The timer is off once everything is acknowledged. The packets that are still on the path have no effect.
  path.RunUntil(Timestamp::PlusInfinity());
  EXPECT_EQ(path.sender.next_timer(), Timestamp::PlusInfinity());
  EXPECT_EQ(path.sender.stats().acked, static_cast<double>(total));
  EXPECT_EQ(path.sender.stats().segments_sent - path.sender.stats().retransmissions, static_cast<double>(total));
}

TEST_P(AnyPath, DeliversEverythingInOrderWithinTheWindowAndEnds) {
  for (std::uint64_t seed = 1; seed <= 150 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Transfer(GetParam(), seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Tcp, AnyPath,
                         testing::Values(Case{CongestionControlKind::kCubic, 0}, Case{CongestionControlKind::kCubic, 1},
                                         Case{CongestionControlKind::kNewReno, 0},
                                         Case{CongestionControlKind::kNewReno, 1},
                                         Case{CongestionControlKind::kNewReno, 2}));

}  // namespace
}  // namespace ccscope::tcp
