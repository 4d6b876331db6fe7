// When a standing queue counts as another flow's (cc/live/competing_flow.h), and how the call shares the link with it.
#include "cc/live/competing_flow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "tests/native/live_support.h"

namespace ccscope {
namespace {

// The queue in ms at a time in seconds.
using QueueMs = std::function<double(double)>;

// Feeds 30 frames a second, each delayed by 25 ms and the queue.
void Feed(CompetingFlow& flow, double from_s, double to_s, const QueueMs& queue_ms) {
  for (double s = from_s; s < to_s; s += 1.0 / 30) {
    Arrival frame;
    frame.send_time = Timestamp::Seconds(s);
    frame.arrival_time = frame.send_time + TimeDelta::Millis(25 + queue_ms(s));
    flow.OnFrame(frame);
  }
}

double Empty(double) { return 0; }
// The sawtooth of a loss-based flow: from 190 to 300 ms in 4 s, without ever being empty.
double Sawtooth(double s) { return 190 + 110 * std::fmod(s, 4) / 4; }

TEST(CompetingFlow, IsPresentOnceTheQueueHasBeenFilledForSeconds) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty);
  EXPECT_FALSE(flow.IsPresent());
  Feed(flow, 10, 12.5, Sawtooth);
  EXPECT_TRUE(flow.IsQueueFilled());
  EXPECT_FALSE(flow.IsPresent());
  Feed(flow, 12.5, 14, Sawtooth);
  EXPECT_TRUE(flow.IsPresent());
}

// The minimum of the delay from before the flow came is kept, however long the flow stays.
TEST(CompetingFlow, StaysPresentForMinutesAndIsGoneSoonAfterItHasLeft) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty);
  Feed(flow, 10, 400, Sawtooth);
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 400, 401, Empty);  // for a moment only: TCP backed off
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 401, 405, Sawtooth);
  EXPECT_TRUE(flow.IsPresent());
  Feed(flow, 405, 407, Empty);
  EXPECT_FALSE(flow.IsPresent());
}

// A queue of the call's own making: 200 ms after a fall of the capacity, drained within two seconds.
TEST(CompetingFlow, IsNotSeenInAQueueThatDrains) {
  CompetingFlow flow;
  Feed(flow, 0, 60, [](double s) { return std::max(0.0, 200 - 100 * std::fmod(s, 10)); });
  EXPECT_FALSE(flow.IsPresent());
}

// A route that is 60 ms longer delays all frames alike.
TEST(CompetingFlow, IsNotSeenInALongerRoute) {
  CompetingFlow flow;
  Feed(flow, 0, 10, Empty);
  Feed(flow, 10, 200, [](double s) { return 60 + 5 * std::fmod(s * 7, 1); });
  EXPECT_FALSE(flow.IsPresent());
}

// Frames that a busy machine stamps late, by up to 150 ms, nine of ten of them.
TEST(CompetingFlow, IsNotSeenInLateStamps) {
  CompetingFlow flow;
  int frame = 0;
  Feed(flow, 0, 60, [&](double) { return ++frame % 10 == 0 ? 2 : 150 * std::fmod(frame * 0.37, 1); });
  EXPECT_FALSE(flow.IsPresent());
}

// Delays that differ by up to 150 ms from frame to frame. Single frames are 75 ms faster than most.
TEST(CompetingFlow, IsNotSeenInJitter) {
  CompetingFlow flow;
  std::uint32_t random = 1;
  Feed(flow, 0, 300, [&](double) {
    random = random * 1664525 + 1013904223;
    return 150.0 * (random >> 8) / (1 << 24);
  });
  EXPECT_FALSE(flow.IsPresent());
}

LiveResult Beside(int tcp_flows, double capacity_bps, double rtt_ms, double duration_s) {
  const LiveLink link{.name = "", .capacity_bps = capacity_bps, .rtt_ms = rtt_ms, .tcp_flows = tcp_flows};
  return MedianOf(link, "idle", 3, duration_s);
}

// RFC 8836, section 2, asks that TCP does not starve the call, nor the call TCP. Here each has to get at least half of a
// fair share. Without the competitive mode the call got 0.03 to 0.15 of these links.
TEST(CompetingFlow, DoesNotStarveACall) {
  struct Case {
    int tcp_flows;
    double capacity_bps;
    double rtt_ms;
  };
  for (const auto& [tcp_flows, capacity_bps, rtt_ms] : {Case{1, 2e6, 50}, Case{1, 1e6, 50}, Case{1, 2e6, 100}, Case{3, 2e6, 50}}) {
    const double fair = 1.0 / (tcp_flows + 1);
    const LiveResult r = Beside(tcp_flows, capacity_bps, rtt_ms, 120);
    EXPECT_GT(r.utilisation, fair / 2) << tcp_flows << " TCP flows, " << capacity_bps << " bps, RTT " << rtt_ms;
    EXPECT_LT(r.utilisation, fair * 1.5) << tcp_flows << " TCP flows, " << capacity_bps << " bps, RTT " << rtt_ms;
  }
}

}  // namespace
}  // namespace ccscope
