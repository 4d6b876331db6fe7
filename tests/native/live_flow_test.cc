// The simulator's model of the live path, called the twin: properties that every call must have, a comparison with
// measured calls, and the performance of the controllers for live calls (wasm/sim/live/live.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/native/live_support.h"

namespace ccscope {
namespace {

TEST(LiveFlow, TheSameSeedGivesTheSameCall) {
  const LiveLink link{.name = "", .loss_ratio = 0.01, .jitter_ms = 3};
  const LiveResult first = RunLive(link, CameraSource(2.5e6), Machine("loaded"), kGcc, GccLive(), 5, 10);
  const LiveResult again = RunLive(link, CameraSource(2.5e6), Machine("loaded"), kGcc, GccLive(), 5, 10);
  const LiveResult other = RunLive(link, CameraSource(2.5e6), Machine("loaded"), kGcc, GccLive(), 6, 10);
  EXPECT_EQ(first.utilisation, again.utilisation);
  EXPECT_EQ(first.queue_p95_ms, again.queue_p95_ms);
  EXPECT_EQ(first.fps, again.fps);
  EXPECT_NE(first.utilisation, other.utilisation);
}

// Nothing of a call that has ended loads the path: no video, no audio, no reports, and no answers to them.
TEST(LiveFlow, EndsWithAllThatBelongsToIt) {
  auto machine = Machine("idle");
  machine.audio_bps = 40e3;
  SimulationSpec spec;
  spec.params = {.duration = TimeDelta::Seconds(40), .seed = 1};
  spec.forward.link = {.bottleneck = {.capacity = DataRate::KilobitsPerSec(1000)}, .one_way_delay = TimeDelta::Millis(25)};
  spec.backward.link.one_way_delay = TimeDelta::Millis(25);
  spec.windows = {{AtSeconds(5), AtSeconds(10)}, {AtSeconds(20), AtSeconds(40)}};
  auto simulation = Build(spec);
  const ControllerSpec* law = FindController(kGcc);
  const auto values = GccLive();
  MediaFlow::Controller halves{law->make_receiver(values.data(), 0, simulation->recorder()),
                               law->make_sender(values.data(), 0, simulation->ControllerSeed(0), simulation->recorder())};
  FlowParams flow;
  flow.stop = AtSeconds(10);
  simulation->AddLiveFlow(flow, CameraSource(500e3), machine, std::move(halves));
  simulation->RunUntil(AtSeconds(40));
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    EXPECT_GT(simulation->path_window(1, direction).delivered_packets, 50);
    EXPECT_EQ(simulation->path_window(2, direction).delivered_packets, 0);
  }
}

// At a third of the capacity, all frames arrive on time, 30 a second.
TEST(LiveFlow, ShowsEachFrameOfAnEasyCall) {
  auto values = GccLive();
  SetGcc(values, "max_bitrate_bps", 500e3);
  const LiveResult r = RunLive({.name = "", .capacity_bps = 1.5e6}, CameraSource(500e3), Machine("idle"), kGcc, values, 1, 30);
  EXPECT_NEAR(r.fps, 30, 0.2);
  EXPECT_EQ(r.freezes, 0);
  EXPECT_EQ(r.drops, 0);
  EXPECT_NEAR(r.utilisation, 1.0 / 3, 0.03);  // including headers of 63 B per packet
}

// The capacity falls to 0 after 10 s. The picture that stays is one freeze, in each window in which it stays: in the one
// in which it began, and in one that begins and ends during the freeze.
TEST(LiveFlow, APictureThatNeverMovesAgainIsFrozen) {
  SimulationSpec spec;
  spec.params = {.duration = TimeDelta::Seconds(30), .seed = 1};
  spec.forward.link = {.bottleneck = {.capacity = DataRate::KilobitsPerSec(1000)}, .one_way_delay = TimeDelta::Millis(25)};
  spec.forward.steps = {{AtSeconds(10), DataRate::Zero()}};
  spec.backward.link.one_way_delay = TimeDelta::Millis(25);
  spec.windows = {{AtSeconds(3), AtSeconds(9)}, {AtSeconds(9), AtSeconds(16)}, {AtSeconds(20), AtSeconds(25)}};
  auto simulation = Build(spec);
  const ControllerSpec* law = FindController(kGcc);
  const auto values = GccLive();
  MediaFlow::Controller halves{law->make_receiver(values.data(), 0, simulation->recorder()),
                               law->make_sender(values.data(), 0, simulation->ControllerSeed(0), simulation->recorder())};
  simulation->AddLiveFlow({}, CameraSource(500e3), Machine("idle"), std::move(halves));
  simulation->RunUntil(AtSeconds(30));
  const FlowMeter& meter = simulation->flow(0).meter();
  EXPECT_EQ(meter.window(1).freezes, 0);
  EXPECT_EQ(meter.window(2).freezes, 1);
  EXPECT_NEAR(meter.window(2).longest_freeze.seconds(), 6, 0.3);
  EXPECT_EQ(meter.window(3).freezes, 1);
  EXPECT_NEAR(meter.window(3).longest_freeze.seconds(), 15, 0.3);
  EXPECT_EQ(meter.window(0).freezes, 1);
  EXPECT_NEAR(meter.window(0).longest_freeze.seconds(), 20, 0.3);
}

// Lost packets are retransmitted, so the picture continues. Without NACK, the picture stops again and again.
TEST(LiveFlow, LossesAreSentAgain) {
  auto values = GccLive();
  SetGcc(values, "max_bitrate_bps", 500e3);
  const LiveLink link{.name = "", .capacity_bps = 3e6, .loss_ratio = 0.03};
  const LiveResult r = RunLive(link, CameraSource(500e3), Machine("idle"), kGcc, values, 1, 30);
  EXPECT_NEAR(r.fps, 30, 0.7);
  auto without = Machine("idle");
  without.nack = 0;
  const LiveResult lost = RunLive(link, CameraSource(500e3), without, kGcc, values, 1, 30);
  EXPECT_LT(lost.fps, 20);
}

// In one recording, four other busy processes ran during the call: frames were late by 10.5 ms in the median, and by 53
// ms at the 95th percentile (live.md). The preset `loaded` has to be within a factor of two of both.
TEST(LiveFlow, ALoadedMachineIsAsLateAsOneThatWasRecorded) {
  auto values = GccLive();
  SetGcc(values, "max_bitrate_bps", 400e3);
  const std::vector<double> late = LatenessOfFrames(Machine("loaded"), values, 60);
  const auto quantile = [&](double q) { return late[static_cast<std::size_t>(q * static_cast<double>(late.size() - 1))]; };
  EXPECT_GT(quantile(0.5), 10.5 / 2);
  EXPECT_LT(quantile(0.5), 10.5 * 2);
  EXPECT_GT(quantile(0.95), 53.0 / 2);
  EXPECT_LT(quantile(0.95), 53.0 * 2);
}

// The results of `gcc-live` in real calls on these links (live.md; November 2026, 36 s each). The simulated utilisation
// may differ by 0.04, and the 95th percentile of the queue by 20 ms.
struct Measured {
  LiveLink link;
  double utilisation;
  double queue_p95_ms;
  int runs = 3;  // in the twin
};

// With outages, single runs scatter: in calls, the utilisation is 0.50 to 0.68, and the queue 73 to 171 ms. So medians
// of fifteen calls are compared with medians of fifteen runs of the twin, each with an outage process of its own.
TEST(LiveFlow, ComesNearRealCalls) {
  const std::vector<Measured> measured = {
      {{.name = "1 Mbps"}, 0.950, 30},
      {{.name = "2 Mbps", .capacity_bps = 2e6}, 0.959, 31},
      {{.name = "500 kbps", .capacity_bps = 500e3}, 0.949, 19},
      {{.name = "queue of 100 ms", .queue = DropTailOf(100, 0, 0)}, 0.960, 28},
      {{.name = "CoDel", .queue = AllQueues()[1]}, 0.957, 28},
      {{.name = "jitter", .jitter_ms = 10}, 0.942, 33},
      {{.name = "2 % loss", .loss_ratio = 0.02}, 0.907, 28},
      {{.name = "3 Mbps, 150 ms", .capacity_bps = 3e6, .rtt_ms = 150}, 0.957, 30},
      {{.name = "outages", .outage_on_ms = 100, .outage_off_ms = 20}, 0.575, 104, 15},
  };
  for (const Measured& each : measured) {
    const LiveResult r = MedianOf(each.link, "idle", each.runs, 36);
    EXPECT_NEAR(r.utilisation, each.utilisation, 0.04) << each.link.name;
    EXPECT_NEAR(r.queue_p95_ms, each.queue_p95_ms, 20) << each.link.name;
  }
}

// A hundred random links, on which no parameters were tuned.
class HundredLinks : public ::testing::TestWithParam<const char*> {};

TEST_P(HundredLinks, AreUsedAndNeverMistaken) {
  const bool idle = std::string(GetParam()) == "idle";
  std::vector<double> utilisations;
  std::vector<double> queues;
  int low = 0;
  for (const LiveLink& link : RandomLinks(77, 100)) {
    const LiveResult r = RunLive(link, CameraSource(SourceRateOf(link)), Machine(GetParam()), kGcc, ValuesFor(link), 1);
    utilisations.push_back(r.utilisation);
    queues.push_back(r.queue_p95_ms);
    // The target should never be below half of the capacity for more than a second, apart from the exceptions of
    // LiveResult::low_s. A few links do not meet this yet: paths with an RTT above 150 ms, after a fall of the
    // capacity.
    if (link.loss_ratio == 0 && r.low_s > 1) ++low;
    // The highest target is checked only on links without losses and without falls of the capacity: after a fall, the
    // target keeps its old value for a while.
    if (link.steps.empty() && link.loss_ratio == 0) {
      EXPECT_LT(r.high, 2) << link.name;
    }
  }
  std::sort(utilisations.begin(), utilisations.end());
  std::sort(queues.begin(), queues.end());
  RecordProperty("median_utilisation", std::to_string(utilisations[50]));
  RecordProperty("tenth_utilisation", std::to_string(utilisations[10]));
  RecordProperty("median_queue_p95_ms", std::to_string(queues[50]));
  EXPECT_GT(utilisations[50], idle ? 0.9 : 0.74);
  EXPECT_GT(utilisations[10], idle ? 0.75 : 0.6);
  EXPECT_LT(utilisations[50], 0.97);
  EXPECT_LT(queues[50], idle ? 60 : 100);
  EXPECT_LE(low, idle ? 1 : 3);
}

// NADA and LCC with their presets for calls, on forty other links.
struct OtherController {
  const char* name;
  int controller;
  ControllerValues (*values)();
};
class FortyLinks : public ::testing::TestWithParam<OtherController> {};

TEST_P(FortyLinks, AreUsedAndDropLittle) {
  std::vector<double> utilisations;
  std::vector<double> queues;
  for (LiveLink& link : RandomLinks(78, 40)) {
    const MediaSource::Params source = CameraSource(SourceRateOf(link));
    const LiveResult r = RunLive(link, source, Machine("idle"), GetParam().controller, GetParam().values(), 1);
    // Skips links with a capacity near or above the presets' maximum bitrate, which limits the source.
    if (link.capacity_bps > 2.2e6) continue;
    utilisations.push_back(r.utilisation);
    queues.push_back(r.queue_p95_ms);
  }
  std::sort(utilisations.begin(), utilisations.end());
  std::sort(queues.begin(), queues.end());
  const std::size_t count = utilisations.size();
  ASSERT_GT(count, 20u);
  EXPECT_GT(utilisations[count / 2], 0.88);
  EXPECT_LT(utilisations[count / 2], 0.99);
  EXPECT_GT(utilisations[count / 10], 0.7);
  EXPECT_LT(queues[count / 2], 80);
}

INSTANTIATE_TEST_SUITE_P(Live, FortyLinks,
                         ::testing::Values(OtherController{"Nada", kNada, NadaLive}, OtherController{"Lcc", kLcc, LccLive}),
                         [](const auto& info) { return info.param.name; });

// Without the capacity bound (cc/live/capacity_bound.h), NADA loses 505 packets in this fall, and LCC 858.
TEST(LiveFlow, AFallOfTheCapacityDropsLittleWhoeverDecides) {
  const LiveLink fall{.name = "fall", .capacity_bps = 1.5e6, .steps = {{AtSeconds(14), DataRate::BitsPerSec(0.6e6)}}};
  for (const auto& [controller, values] : {std::pair{kGcc, GccLive()}, {kNada, NadaLive()}, {kLcc, LccLive()}}) {
    const LiveResult r = RunLive(fall, CameraSource(2.5e6), Machine("idle"), controller, values, 1, 24);
    EXPECT_LT(r.drops, 60) << controller;
    EXPECT_LE(r.freezes, 2) << controller;
    EXPECT_GT(r.utilisation, 0.7) << controller;
  }
}

// In six real calls of gcc-live, 3 to 9 packets were dropped in this fall. A single slow frame lowers the rate
// (FrameCapacity::Suspected()). Without this reaction, 13 packets were dropped in real calls, and 7 in the twin.
TEST(LiveFlow, GccDropsAtMostTenPacketsInAFallOfTheCapacity) {
  const LiveLink fall{.name = "fall", .capacity_bps = 1.5e6, .steps = {{AtSeconds(14), DataRate::BitsPerSec(0.6e6)}}};
  double sum = 0;
  for (int seed = 1; seed <= 10; ++seed) {
    const LiveResult r = RunLive(fall, CameraSource(2.5e6), Machine("idle"), kGcc, GccLive(), seed, 24);
    EXPECT_LE(r.drops, 10) << seed;
    sum += r.drops;
  }
  EXPECT_LE(sum / 10, 3);
}

INSTANTIATE_TEST_SUITE_P(GccLive, HundredLinks, ::testing::Values("idle", "loaded"));

}  // namespace
}  // namespace ccscope
