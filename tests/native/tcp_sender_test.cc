#include "sim/tcp/sender.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "sim/queue_disc/drop_tail.h"
#include "tests/native/allocations.h"
#include "tests/native/tcp_support.h"
#include "units/ring_buffer.h"

namespace ccscope::tcp {
namespace {

constexpr auto kCubic = CongestionControlKind::kCubic;
constexpr auto kNewReno = CongestionControlKind::kNewReno;
constexpr Timestamp kNever = Timestamp::PlusInfinity();
constexpr Timestamp At(double ms) { return Timestamp::Millis(ms); }

std::vector<Segment> Drain(Sender& sender, Timestamp now) {
  std::vector<Segment> sent;
  while (const auto segment = sender.NextSegment(now)) sent.push_back(*segment);
  return sent;
}

Ack Sacking(std::int64_t next, std::vector<SackBlock> blocks, Timestamp echo = {}) {
  Ack ack{.next_expected = next, .echo = echo};
  for (const SackBlock& block : blocks) ack.sack[ack.sack_count++] = block;
  return ack;
}

// The initial window is that of RFC 6928, or RFC 3390's three segments.
TEST(TcpSender, BeginsWithTheInitialWindow) {
  Sender sender(Parameters{}, kCubic);
  EXPECT_TRUE(Drain(sender, {}).empty());
  sender.Start({});
  const auto sent = Drain(sender, {});
  ASSERT_EQ(sent.size(), 10u);
  EXPECT_EQ(sent[9].seq, 9);
  EXPECT_EQ(sent[9].size.bytes(), 1500);
  EXPECT_EQ(sender.cwnd().bytes(), 15000);
  Parameters p;
  p.initial_window_segments = 3;
  Sender small(p, kCubic);
  small.Start({});
  EXPECT_EQ(Drain(small, {}).size(), 3u);
}

TEST(TcpSender, SlowStartEndsAtTheInitialSsthresh) {
  Parameters p;
  p.initial_ssthresh_segments = 20;
  Connection path(p, kNewReno, TimeDelta::Millis(50));
  path.Start();
  path.RunUntil(At(1050));
  // 20 segments after one round trip; then, with delayed ACKs, half a segment more in each of nine round trips.
  EXPECT_NEAR(path.sender.cwnd_segments(), 24.5, 1);
}

// RFC 3042: one new segment for each of the first two duplicate ACKs.
TEST(TcpSender, LimitedTransmitSendsNewSegmentsOnTheFirstTwoDuplicates) {
  for (const auto kind : {kCubic, kNewReno}) {
    for (const double limited : {0.0, 1.0}) {
      Parameters p;
      p.limited_transmit = limited;
      Sender sender(p, kind);
      sender.Start({});
      Drain(sender, {});
      for (int i = 1; i <= 2; ++i) {
        sender.OnAck(Sacking(0, {{1, 1 + i}}), At(100));
        const auto sent = Drain(sender, At(100));
        ASSERT_EQ(sent.size(), limited);
        if (limited == 1) {
          EXPECT_EQ(sent[0].seq, 9 + i);
        }
      }
      EXPECT_EQ(sender.stats().fast_recoveries, 0);
      sender.OnAck(Sacking(0, {{1, 4}}), At(100));
      EXPECT_EQ(sender.stats().fast_recoveries, 1);
      EXPECT_EQ(Drain(sender, At(100))[0].seq, 0);
      // The segments sent by limited transmit are not counted as in flight. So ssthresh is half of ten segments
      // (NewReno), or 0.7 of ten (CUBIC).
      EXPECT_DOUBLE_EQ(sender.ssthresh_segments(), kind == kCubic ? 7 : 5);
    }
  }
}

// RFC 6298, section 5.
TEST(TcpSender, Rule5_1And5_2TheTimerRunsWhileSomethingIsOutstanding) {
  Sender sender(Parameters{}, kCubic);
  EXPECT_EQ(sender.next_timer(), kNever);
  sender.Start(At(0), 4);
  EXPECT_EQ(sender.next_timer(), kNever);
  Drain(sender, At(0));
  EXPECT_EQ(sender.next_timer(), At(1000));
  sender.OnAck({.next_expected = 4, .echo = At(0)}, At(100));
  EXPECT_EQ(sender.next_timer(), kNever);
  EXPECT_TRUE(sender.finished());
}

TEST(TcpSender, Rule5_3AnAckOfNewDataStartsItAgain) {
  Sender sender(Parameters{}, kCubic);
  sender.Start(At(0));
  Drain(sender, At(0));
  sender.OnAck({.next_expected = 2, .echo = At(0)}, At(100));
  EXPECT_EQ(sender.next_timer(), At(100 + 300));  // SRTT + 200
  Drain(sender, At(100));
  EXPECT_EQ(sender.next_timer(), At(400));
  sender.OnAck({.next_expected = 2}, At(150));  // no new data
  EXPECT_EQ(sender.next_timer(), At(400));
}

TEST(TcpSender, Rules5_4To5_6AnExpiryRetransmitsTheEarliestAndDoubles) {
  Parameters p;
  p.rto_max_ms = 6000;
  Sender sender(p, kCubic);
  sender.Start(At(0));
  Drain(sender, At(0));
  double now = 0;
  for (const double rto : {1000, 2000, 4000, 6000, 6000}) {
    now += rto;
    sender.OnTimer(At(now - 0.001));
    EXPECT_TRUE(Drain(sender, At(now - 0.001)).empty());
    EXPECT_EQ(sender.next_timer(), At(now));
    sender.OnTimer(At(now));
    const auto sent = Drain(sender, At(now));
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0].seq, 0);
    EXPECT_TRUE(sent[0].retransmission);
    EXPECT_EQ(sender.cwnd_segments(), 1);  // the loss window
    // RFC 5681, equation 4: a second timeout of the same segment does not lower ssthresh again.
    EXPECT_DOUBLE_EQ(sender.ssthresh_segments(), 7);
  }
  EXPECT_EQ(sender.stats().timeouts, 5);
}

TEST(TcpSender, AfterATimeoutSlowStartSendsAgainWhatWasNotReceived) {
  Sender sender(Parameters{}, kCubic);
  sender.Start(At(0));
  Drain(sender, At(0));
  sender.OnAck(Sacking(0, {{4, 6}}), At(100));
  Drain(sender, At(100));  // segments 10 and 11, by limited transmit
  sender.OnTimer(At(1000));
  std::vector<std::int64_t> again;
  for (const auto& s : Drain(sender, At(1000))) again.push_back(s.seq);
  for (const std::int64_t next : {1, 2, 3, 6, 7, 8}) {
    sender.OnAck(Sacking(next, {}, At(1000)), At(1100));
    for (const auto& s : Drain(sender, At(1100))) again.push_back(s.seq);
  }
  EXPECT_EQ(std::vector(again.begin(), again.begin() + 10), (std::vector<std::int64_t>{0, 1, 2, 3, 6, 7, 8, 9, 10, 11}));
  EXPECT_NEAR(sender.cwnd_segments(), 7, 0.1);  // slow start ended at ssthresh
}

// RFC 6675: the scoreboard shows all holes at once.
TEST(TcpSender, SackRecoversManyHolesInAboutOneRoundTrip) {
  for (const double prr : {1.0, 2.0}) {
    for (const int n : {1, 3, 8}) {
      Parameters p;
      p.initial_window_segments = 40;
      p.prr = prr;
      Connection path(p, kCubic, TimeDelta::Millis(50));
      path.segment_fate = [&](const Segment& s) -> std::optional<TimeDelta> {
        if (!s.retransmission && s.seq >= 3 && s.seq < 3 + 2 * n && s.seq % 2 == 1) return std::nullopt;
        return TimeDelta::Zero();
      };
      Timestamp first = kNever;
      Timestamp recovered;
      int retransmissions = 0;
      path.on_sent = [&](const Segment& s, Timestamp now) {
        if (!s.retransmission) return;
        first = std::min(first, now);
        ++retransmissions;
      };
      path.on_ack = [&](const Ack& ack, Timestamp now) {
        if (ack.next_expected >= 40 && recovered == Timestamp()) recovered = now;
      };
      path.Start(300);
      path.RunUntil(kNever);
      EXPECT_EQ(retransmissions, n);
      EXPECT_EQ(path.sender.stats().timeouts, 0);
      EXPECT_EQ(path.sender.stats().fast_recoveries, 1);
      EXPECT_GE((recovered - first).ms(), 100);
      EXPECT_LE((recovered - first).ms(), 102) << n << " holes";
    }
  }
}

// RFC 6937, section 3: during recovery, ssthresh/RecoverFS segments are sent per delivered segment, until the pipe has
// shrunk to ssthresh. Without PRR, nothing is sent until the pipe has shrunk.
TEST(TcpSender, ProportionalRateReductionSpreadsTheDecrease) {
  for (const bool prr : {false, true}) {
    Parameters p;
    p.initial_window_segments = 100;
    p.prr = prr ? 2 : 1;
    p.limited_transmit = 0;
    Sender sender(p, kCubic);
    sender.Start({});
    Drain(sender, {});
    std::vector<int> sent_after;
    int sent = 0;
    for (std::int64_t end = 2; end <= 100; ++end) {
      sender.OnAck(Sacking(0, {{1, end}}), At(100));
      sent += static_cast<int>(Drain(sender, At(100)).size());
      sent_after.push_back(sent);
    }
    EXPECT_DOUBLE_EQ(sender.ssthresh_segments(), 70);
    if (prr) {
      for (std::size_t delivered = 10; delivered < 99; delivered += 10)
        EXPECT_NEAR(sent_after[delivered - 1], 0.7 * static_cast<double>(delivered), 3) << delivered;
      EXPECT_NEAR(static_cast<double>(sender.pipe()), 70, 1);
    } else {
      EXPECT_EQ(sent_after[25], 1);  // the fast retransmission
      EXPECT_EQ(sender.pipe(), 70);
    }
    sender.OnAck({.next_expected = 100, .echo = {}}, At(200));
    EXPECT_EQ(sender.state(), Sender::State::kOpen);
    EXPECT_DOUBLE_EQ(sender.cwnd_segments(), 70);
  }
}

TEST(TcpSender, TheReceiverWindowBoundsWhatIsOutstanding) {
  Parameters p;
  p.max_window_segments = 25;
  Connection path(p, kCubic, TimeDelta::Millis(50));
  std::int64_t most = 0;
  path.on_sent = [&](const Segment&, Timestamp) { most = std::max(most, path.sender.outstanding()); };
  path.Start();
  path.RunUntil(Timestamp::Seconds(5));
  EXPECT_EQ(most, 25);
  EXPECT_EQ(path.sender.cwnd_segments(), 25);
}

// Sends a file, pauses, and sends another file on the same connection or on a new one.
TEST(TcpSender, FilesBeginWithTheRestartWindowOrANewConnection) {
  for (const bool reset : {false, true}) {
    Connection path(Parameters{}, kCubic, TimeDelta::Millis(50));
    path.Start(500);
    path.RunUntil(Timestamp::Seconds(60));
    ASSERT_TRUE(path.sender.finished());
    EXPECT_EQ(path.receiver.next_expected(), 500);
    EXPECT_GT(path.sender.cwnd_segments(), 100);
    if (reset) path.sender.Reset();
    const double before = path.sender.stats().segments_sent;
    path.Start(30);
    EXPECT_EQ(path.sender.stats().segments_sent - before, 10);  // RFC 5681, section 4.1
    EXPECT_EQ(path.sender.rtt().has_sample(), !reset);
    path.RunUntil(Timestamp::Seconds(120));
    EXPECT_TRUE(path.sender.finished());
    EXPECT_EQ(path.receiver.next_expected(), 530);
  }
}

TEST(TcpSender, WithoutAPauseTheWindowStays) {
  Connection path(Parameters{}, kCubic, TimeDelta::Millis(50));
  path.Start(500);
  while (!path.sender.finished()) path.Step(kNever);
  const double before = path.sender.stats().segments_sent;
  path.Start(90);
  EXPECT_EQ(path.sender.stats().segments_sent - before, 90);
}

TEST(TcpSender, StopForgetsAndStartGoesOnWhereTheReceiverIs) {
  Parameters p;
  p.max_window_segments = 200;
  Connection path(p, kCubic, TimeDelta::Millis(50));
  path.Start();
  path.RunUntil(At(520));
  path.sender.Stop(path.now());
  const double sent = path.sender.stats().segments_sent;
  EXPECT_EQ(path.sender.outstanding(), 0);
  EXPECT_EQ(path.sender.next_timer(), kNever);
  path.RunUntil(At(530));
  path.Start();  // while earlier segments are still in flight
  path.RunUntil(Timestamp::Seconds(3));
  EXPECT_GT(path.receiver.next_expected(), static_cast<std::int64_t>(sent));
  path.sender.Stop(path.now());
  path.RunUntil(Timestamp::Seconds(10));
  EXPECT_LT(path.sender.stats().timeouts, 2);
  const std::int64_t expected = path.receiver.next_expected();
  path.Start(40);
  path.RunUntil(Timestamp::Seconds(30));
  EXPECT_TRUE(path.sender.finished());
  EXPECT_EQ(path.receiver.next_expected(), expected + 40);
}

std::unique_ptr<Link> DropTailLink(DataRate capacity, TimeDelta limit) {
  return std::make_unique<Link>(Link::Params{.bottleneck = {.capacity = capacity}},
                                std::make_unique<DropTail>(DropTail::Params{.limit_ms = limit.ms()}));
}

// The queue holds 300 ms, and the round trip takes 50 ms without it. A full window is 350 ms of data. After a loss, 0.7
// (CUBIC) or half (NewReno) of it remains. Both are more than 50 ms, so the queue never runs empty.
TEST(TcpSender, OneFlowFillsTwoMbpsBehindADropTailQueueOf300Ms) {
  for (const int preset : {0, 1}) {
    for (const auto kind : {kCubic, kNewReno}) {
      Connection path(WithPreset(preset), kind, TimeDelta::Millis(25));
      path.UseLink(DropTailLink(DataRate::KilobitsPerSec(2000), TimeDelta::Millis(300)));
      path.Start();
      path.RunUntil(Timestamp::Seconds(30));
      const DataSize before = path.link().stats().delivered;
      const std::int64_t goodput_before = path.receiver.next_expected();
      path.RunUntil(Timestamp::Seconds(330));
      const double used = (path.link().stats().delivered - before).bits() / (2e6 * 300);
      const double good = static_cast<double>(path.receiver.next_expected() - goodput_before) * 1500 * 8 / (2e6 * 300);
      EXPECT_GE(used, 0.99) << "preset " << preset;
      EXPECT_LE(used, 1.0001);
      EXPECT_NEAR(good, used, 0.01);
      // Slow start overshoots, and loses about as many segments as the queue holds. In preset 0, NewReno has no SACK:
      // it needs so many round trips that its timer expires. CUBIC has no FACK: it needs the timer for a retransmission
      // that is lost again.
      EXPECT_LE(path.sender.stats().timeouts, preset == 0 ? 2 : 0);
      EXPECT_GT(path.sender.stats().fast_recoveries, 5);
    }
  }
}

// A sender and a receiver are connected by a delay with losses, which itself allocates nothing.
TEST(TcpSender, AllocatesNothingInTheSteadyState) {
  for (const int preset : {0, 1}) {
    Parameters p = WithPreset(preset);
    Sender sender(p, kCubic);
    Receiver receiver(p);
    struct UnderWay {
      Timestamp arrival;
      Segment segment;
    };
    RingBuffer<UnderWay> segments;
    RingBuffer<Ack> acks;
    Timestamp now;
    std::int64_t sent = 0;
    const auto run = [&](std::int64_t until) {
      while (sent < until) {
        if (!acks.empty()) sender.OnAck(acks.PopFront(), now);
        while (const auto segment = sender.NextSegment(now))
          if (++sent % 1000 != 0) segments.PushBack({now + TimeDelta::Millis(20), *segment});
        const Timestamp data = segments.empty() ? kNever : segments.front().arrival;
        now = std::min({data, sender.next_timer(), receiver.next_timer()});
        if (data == now) {
          if (const auto ack = receiver.OnSegment(segments.PopFront().segment, now)) acks.PushBack(*ack);
        } else if (const auto ack = receiver.OnTimer(now)) {
          acks.PushBack(*ack);
        } else {
          sender.OnTimer(now);
        }
      }
    };
    sender.Start(now);
    run(100000);
    const long before = Allocations();
    run(400000);
    EXPECT_EQ(Allocations() - before, 0);
    EXPECT_GT(sender.stats().fast_recoveries, 300);
  }
}

// RFC 9438, section 5.1, with the complete sender and receiver: one segment in 1/p is lost, and the window is averaged
// over time. (tcp_cubic_test.cc compares the law alone with the whole table.) In the cubic region, the model approaches
// its equilibrium slowly, as 1/sqrt(epochs) and from above. One more segment is lost when slow start reaches half of
// the table's window, so the model begins close to the equilibrium.
TEST(TcpSender, CubicsAverageWindowIsThatOfTheRfc) {
  struct Cell {
    double rtt_s;
    std::int64_t period;
    double window;
  };
  for (const Cell& cell : {Cell{0.1, 100, 12}, Cell{0.1, 1000, 38}, Cell{0.1, 10000, 187}, Cell{0.01, 100, 12},
                           Cell{0.01, 1000, 38}, Cell{0.01, 10000, 120}}) {
    Parameters p;
    p.cubic_fast_convergence = 0;
    Connection path(p, kCubic, TimeDelta::Seconds(cell.rtt_s / 2));
    std::int64_t sent = 0;
    bool first = true;
    path.segment_fate = [&](const Segment&) -> std::optional<TimeDelta> {
      if (first && path.sender.cwnd_segments() >= cell.window / 2) {
        first = false;
        sent = 0;
        return std::nullopt;
      }
      if (++sent % cell.period == 0) return std::nullopt;
      return TimeDelta::Zero();
    };
    path.Start();
    while (first || sent < 20 * cell.period) path.Step(kNever);
    double area = 0;
    const Timestamp begin = path.now();
    for (Timestamp last = begin; sent < 60 * cell.period; last = path.now()) {
      const double window = path.sender.cwnd_segments();
      path.Step(kNever);
      area += window * (path.now() - last).us();
    }
    EXPECT_NEAR(area / (path.now() - begin).us() / cell.window, 1, 0.1)
        << "RTT " << cell.rtt_s << " s, one in " << cell.period;
  }
}

}  // namespace
}  // namespace ccscope::tcp
