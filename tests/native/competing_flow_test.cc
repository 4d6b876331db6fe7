// Tests when a standing queue is attributed to another flow (cc/live/competing_flow.h), which rate a call then gets
// (cc/gcc/live/competitive_mode.h), and how the two flows share a link.
#include "cc/live/competing_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "cc/gcc/live/competitive_mode.h"
#include "tests/native/live_support.h"

namespace ccscope {
namespace {

// A number as a function of the time in seconds.
using At = std::function<double(double)>;

Arrival FrameAt(double s, double queue_ms, double kbps) {
  Arrival frame;
  frame.send_time = Timestamp::Seconds(s);
  frame.arrival_time = frame.send_time + TimeDelta::Millis(25 + queue_ms);
  frame.size = DataSize::Bytes(kbps * 1e3 / 8 / 30);
  return frame;
}

// Feeds 30 frames a second with a total rate of `kbps`. The delay of each frame is 25 ms plus the queue.
void Feed(CompetingFlow& flow, double from_s, double to_s, const At& queue_ms, const At& kbps) {
  for (double s = from_s; s < to_s; s += 1.0 / 30) flow.OnFrame(FrameAt(s, queue_ms(s), kbps(s)));
}

double Empty(double) { return 0; }
// A queue that a loss-based flow keeps filled: a sawtooth from 190 to 300 ms with a period of 4 s.
double Sawtooth(double s) { return 190 + 110 * std::fmod(s, 4) / 4; }
double Steady(double) { return 500; }
// A call that gives way after 10 s: its rate halves each second.
double GivesWay(double s) { return std::max(60.0, 1000 * std::exp2(-std::max(0.0, s - 10))); }

TEST(CompetingFlow, IsPresentOnceTheCallHasGivenWayForSecondsInVain) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty, GivesWay);
  EXPECT_FALSE(flow.IsPresent());
  Feed(flow, 10, 12, Sawtooth, GivesWay);
  EXPECT_FALSE(flow.IsPresent());
  Feed(flow, 12, 14, Sawtooth, GivesWay);
  EXPECT_TRUE(flow.IsPresent());
  EXPECT_NEAR(flow.DeliveredBefore().kbps(), 1000, 40);
}

// The longest queue is 300 ms. The call would have drained a queue of its own within 2.5 s + 4 * 0.3 s = 3.7 s.
TEST(CompetingFlow, IsPresentOnceAQueueOfTheCallWouldHaveDrained) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty, Steady);
  Feed(flow, 10, 13, Sawtooth, Steady);
  EXPECT_FALSE(flow.IsPresent());
  Feed(flow, 13, 16, Sawtooth, Steady);
  EXPECT_TRUE(flow.IsPresent());
}

// The smallest delay, measured before the other flow began, is kept however long that flow stays.
TEST(CompetingFlow, StaysPresentForMinutesAndIsGoneSoonAfterItHasLeft) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty, Steady);
  Feed(flow, 10, 400, Sawtooth, Steady);
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 400, 401, Empty, Steady);  // one second is not enough: TCP may have backed off
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 401, 405, Sawtooth, Steady);
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 405, 409, Empty, Steady);
  EXPECT_FALSE(flow.IsPresent());
}

// A queue that the call itself causes: every 10 s it grows to 200 ms, and drains within two seconds.
TEST(CompetingFlow, IsNotSeenInAQueueThatDrains) {
  CompetingFlow flow;
  Feed(flow, 0, 60, [](double s) { return std::max(0.0, 200 - 100 * std::fmod(s, 10)); }, Steady);
  EXPECT_FALSE(flow.IsPresent());
}

// After a deep fall of the capacity, a queue of 2 s drains for eight seconds. Meanwhile, frames arrive at the capacity.
TEST(CompetingFlow, IsNotSeenInALongQueueThatDrains) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty, Steady);
  Feed(flow, 10, 18, [](double s) { return 2000 - 250 * (s - 10); }, [](double) { return 150; });
  EXPECT_FALSE(flow.IsPresent());
  Feed(flow, 18, 30, Empty, Steady);
  EXPECT_FALSE(flow.IsPresent());
}

// A longer route delays all frames by 60 ms. In addition, the delay varies slowly, by 15 ms.
TEST(CompetingFlow, IsNotSeenInALongerRoute) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty, Steady);
  Feed(flow, 10, 200, [](double s) { return 60 + 15 * std::fmod(s, 8) / 8; }, Steady);
  EXPECT_FALSE(flow.IsPresent());
}

// While TCP is present, the route becomes longer. When TCP has ended, the delay is longer than before, but constant.
TEST(CompetingFlow, IsGoneWhereALongerRouteIsLeft) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty, Steady);
  Feed(flow, 10, 30, Sawtooth, Steady);
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 30, 55, [](double) { return 60; }, Steady);
  EXPECT_FALSE(flow.IsPresent());
}

// A machine becomes busy. It then stamps frames late, by 0 to 300 ms (uniformly distributed).
TEST(CompetingFlow, IsNotSeenInLateStamps) {
  CompetingFlow flow;
  std::uint32_t random = 1;
  Feed(flow, 0, 10, Empty, Steady);
  Feed(flow, 10, 300, [&](double) {
    random = random * 1664525 + 1013904223;
    return 300.0 * (random >> 8) / (1 << 24);
  }, Steady);
  EXPECT_FALSE(flow.IsPresent());
}

// After a pause, or if the sender's clock was restarted, everything learnt about the queue is discarded.
TEST(CompetingFlow, BeginsAnewAfterAPause) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty, Steady);
  Feed(flow, 10, 20, Sawtooth, Steady);
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 30, 31, Sawtooth, Steady);
  EXPECT_FALSE(flow.IsPresent());
}

// Returns a mode that is on: TCP began after 10 s, when 1 Mbps was delivered.
gcc::CompetitiveMode ModeThatIsOn(const gcc::Parameters& parameters) {
  gcc::CompetitiveMode mode(parameters);
  for (double s = 0; s < 15; s += 1.0 / 30) {
    mode.OnCounters(0, Timestamp::Seconds(s + 0.3));
    mode.OnFrame(FrameAt(s, s < 10 ? 0 : Sawtooth(s), GivesWay(s)));
  }
  return mode;
}

constexpr TimeDelta kRtt = TimeDelta::Millis(300);
constexpr TimeDelta kStep = TimeDelta::Millis(100);
DataRate Kbps(double kbps) { return DataRate::KilobitsPerSec(kbps); }

// The parameters of `gcc`: alpha 0.85, 0.5 packets per RTT, and a growth of 2 per second.
TEST(CompetitiveMode, GrowsFastToHalfOfWhatWasDeliveredThenByPackets) {
  gcc::CompetitiveMode mode = ModeThatIsOn(gcc::Parameters());
  ASSERT_TRUE(mode.IsOn());
  const Timestamp now = Timestamp::Seconds(15.5);
  const DataRate fast = mode.Next(Kbps(200), Kbps(200), kRtt, kStep, now);
  EXPECT_NEAR(fast.kbps(), 200 * std::exp2(0.1), 0.1);
  // Half a packet of 1200 B per RTT of 300 ms is 16 kbps. The rate grows by this much in each RTT, so by a third of it
  // in 100 ms.
  const DataRate slow = mode.Next(Kbps(600), Kbps(600), kRtt, kStep, now);
  EXPECT_NEAR(slow.kbps(), 605.33, 0.1);
}

// Losses that were counted before the mode began do not lower the rate in this mode.
TEST(CompetitiveMode, DoesNotAnswerLossesFromBeforeIt) {
  gcc::CompetitiveMode mode{gcc::Parameters()};
  double s = 0;
  for (; !mode.IsOn() && s < 30; s += 1.0 / 30) {
    mode.OnCounters(0.01, Timestamp::Seconds(s + 0.3));
    mode.OnFrame(FrameAt(s, s < 10 ? 0 : Sawtooth(s), GivesWay(s)));
  }
  ASSERT_TRUE(mode.IsOn());
  const DataRate next = mode.Next(Kbps(200), Kbps(200), kRtt, kStep, Timestamp::Seconds(s + 0.5));
  EXPECT_NEAR(next.kbps(), 200 * std::exp2(0.1), 0.1);
}

TEST(CompetitiveMode, FallsOncePerRoundTrip) {
  gcc::CompetitiveMode mode = ModeThatIsOn(gcc::Parameters());
  Timestamp now = Timestamp::Seconds(15.5);
  mode.OnCounters(0.01, now);
  mode.OnCounters(0, now);  // a later reading without a loss does not hide the loss
  const DataRate cut = mode.Next(Kbps(600), Kbps(600), kRtt, kStep, now);
  EXPECT_NEAR(cut.kbps(), 510, 0.1);
  now += kStep;
  mode.OnCounters(0.01, now);
  EXPECT_GT(mode.Next(cut, Kbps(600), kRtt, kStep, now), cut);
  now += TimeDelta::Millis(400);
  mode.OnCounters(0.01, now);
  EXPECT_NEAR(mode.Next(cut, Kbps(600), kRtt, kStep, now).kbps(), 433.5, 0.1);
}

TEST(CompetitiveMode, StaysWithinReachOfWhatIsDelivered) {
  gcc::CompetitiveMode mode = ModeThatIsOn(gcc::Parameters());
  const DataRate next = mode.Next(Kbps(600), Kbps(200), kRtt, kStep, Timestamp::Seconds(15.5));
  EXPECT_NEAR(next.kbps(), 310, 0.1);
}

TEST(CompetitiveMode, NeedsReadingsOfLosses) {
  gcc::CompetitiveMode mode = ModeThatIsOn(gcc::Parameters());
  mode.OnFrame(FrameAt(18, Sawtooth(18), 60));
  EXPECT_FALSE(mode.IsOn());
}

// RFC 8836, section 2, requires that TCP does not starve the call, and that the call does not starve TCP. With each
// seed, the call must get more than 0.5 and less than 1.5 of its fair share; TCP gets the rest. Without the competitive
// mode, the call used 0.03 to 0.15 of these links.
TEST(CompetitiveMode, SharesALinkWithTcp) {
  struct Case {
    int tcp_flows;
    double capacity_bps;
    double rtt_ms;
  };
  for (const auto& [tcp_flows, capacity_bps, rtt_ms] : {Case{1, 2e6, 50}, Case{1, 1e6, 50}, Case{1, 2e6, 100}, Case{3, 2e6, 50}}) {
    const double fair = 1.0 / (tcp_flows + 1);
    const LiveLink link{.name = "", .capacity_bps = capacity_bps, .rtt_ms = rtt_ms, .tcp_flows = tcp_flows};
    for (const std::uint64_t seed : {1, 2, 3}) {
      const LiveResult r = RunLive(link, CameraSource(SourceRateOf(link)), Machine("idle"), kGcc, ValuesFor(link), seed, 120);
      EXPECT_GT(r.utilisation, fair / 2) << tcp_flows << " TCP, " << capacity_bps << " bps, RTT " << rtt_ms << ", seed " << seed;
      EXPECT_LT(r.utilisation, fair * 1.5) << tcp_flows << " TCP, " << capacity_bps << " bps, RTT " << rtt_ms << ", seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ccscope
