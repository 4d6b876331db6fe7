// The metrics of simulations in which every packet can be computed by hand. The video source has no noise, and its
// controller cannot change the rate, so all frames are the same.
//
// The frame of most tests: 25 frames/s at 495,990 bps are 2479.95 B on the wire every 40 ms. Such a frame needs two
// packets of at most 1240 B. Its payload is 2399 B (the fraction of a byte is not sent), so the packets are 1240 and
// 1239 B long.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "tests/native/simulation_support.h"

namespace ccscope {
namespace {

constexpr double kFrameBytes = 2479;
constexpr TimeDelta kFrameInterval = TimeDelta::Millis(40);
// The propagation delay of one direction.
constexpr TimeDelta kDelay = TimeDelta::Millis(25);

// A source that always sends the same frame, all at once (paced at ten times its rate). The first sender report comes
// at a random time within the first 100 s, and later ones every 50 to 150 s.
MediaSpec Constant(double bps) {
  MediaSpec media;
  media.source.frame_rate = 25;
  media.source.noise_sd = 0;
  media.source.encoder_lag_ms = 0;
  media.source.min_bitrate_bps = media.source.max_bitrate_bps = bps;
  media.source.rtcp_interval_ms = 1e5;
  media.controller.min_bitrate_bps = media.controller.max_bitrate_bps = media.controller.start_bitrate_bps = bps;
  media.controller.pacing_factor = 10;
  return media;
}

constexpr double kRate = 495990;

SimulationSpec OneFlow(double seconds) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(seconds);
  spec.tables = kAllTables;
  spec.media = {Constant(kRate)};
  return spec;
}

std::unique_ptr<Simulation> RunAll(const SimulationSpec& spec) {
  auto simulation = Build(spec);
  EXPECT_EQ(simulation->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kOk);
  return simulation;
}

const FlowWindow& FlowOf(const Simulation& s, int flow, int window) { return s.flow(flow).meter().window(window); }
const PathWindow& ForwardOf(const Simulation& s, int window) { return s.path_window(window, Direction::kForward); }

// Between 2 s and 7 s there are 125 frames, whatever the phase of the source.
TEST(Metrics, CountBytesRatesAndUtilisationOfAConstantFlow) {
  SimulationSpec spec = OneFlow(10);
  spec.windows = {{AtSeconds(2), AtSeconds(7)}};
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 1);
  EXPECT_EQ(flow.sent_packets, 250);
  EXPECT_EQ(flow.received_packets, 250);
  EXPECT_EQ(flow.lost_packets, 0);
  EXPECT_EQ(flow.sent.bytes(), 125 * kFrameBytes);
  EXPECT_EQ(flow.received.bytes(), 125 * kFrameBytes);
  EXPECT_EQ(flow.goodput.bytes(), 125 * 2399);
  // 125 * 2479 B in 5 s are 495,800 bps, i.e. 49.58 % of 1 Mbps.
  EXPECT_EQ(s->Elapsed(1).seconds(), 5);
  EXPECT_DOUBLE_EQ((flow.received / s->Elapsed(1)).bps(), 495800);
  EXPECT_EQ(s->OfferedCapacity(s->window(1), Direction::kForward).bytes(), 625000);
  EXPECT_DOUBLE_EQ(ForwardOf(*s, 1).delivered / s->OfferedCapacity(s->window(1), Direction::kForward), 0.4958);
  EXPECT_EQ(flow.target_bps.mean(), kRate);
  // An interval of 500 ms has 12.5 frames on average, so 12 and 13 frames alternate. If a frame is split between two
  // intervals, each of the two intervals has 25 packets.
  EXPECT_EQ(flow.received_bps.count(), 10);
  EXPECT_NEAR(flow.received_bps.mean(), 495800, 13 * kFrameBytes * 8 / 5);
  EXPECT_GT(flow.received_bps.sd(), 0);
  EXPECT_LE(flow.received_bps.sd(), kFrameBytes * 8 / 0.5 / 2 * 1.0001);
}

// The capacity b doubles in the middle, so the mean of R / b is (0.4958 + 0.2479) / 2. The ratio of the integrals of R
// and b is a different number: 0.4958 / 1.5.
TEST(Metrics, AverageWhatArrivedOverTheCapacityOfThatTime) {
  SimulationSpec spec = OneFlow(22);
  spec.windows = {{AtSeconds(2), AtSeconds(22)}};
  spec.forward.steps = {{AtSeconds(12), DataRate::KilobitsPerSec(2000)}};
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 1);
  EXPECT_EQ(flow.capacity_share.count(), 40);
  EXPECT_NEAR(flow.capacity_share.mean(), 0.4958 * 0.75, 0.003);
  EXPECT_NEAR(flow.received / s->OfferedCapacity(s->window(1), Direction::kForward), 0.4958 / 1.5, 0.003);
}

// Half of all packets are lost, far more than 10 %: A_s falls below A_r with the first report and stays there.
TEST(Metrics, TellForHowLongLossesBoundTheRate) {
  SimulationSpec spec = OneFlow(20);
  spec.media[0].controller.min_bitrate_bps = 50e3;
  spec.windows = {{AtSeconds(5), AtSeconds(20)}};
  EXPECT_EQ(FlowOf(*RunAll(spec), 0, 1).loss_bound.mean(), 0);
  spec.forward.link.loss_ratio = 0.5;
  EXPECT_EQ(FlowOf(*RunAll(spec), 0, 1).loss_bound.mean(), 1);
}

// Serial, 1 Mbps: the first packet of a frame finds the link idle. The second packet waits while the 1240 B of the
// first are sent, 9.92 ms.
TEST(Metrics, MeasureTheOneWayQueueDelayOfEachPacket) {
  const auto s = RunAll(OneFlow(10));
  const Histogram& delays = FlowOf(*s, 0, 0).queue_delay_us;
  ASSERT_EQ(ForwardOf(*s, 0).queue_delay_us.count(), delays.count()) << "a sender report disturbs; take another seed";
  EXPECT_EQ(delays.count(), FlowOf(*s, 0, 0).received_packets);
  EXPECT_EQ(delays.min(), 0);
  EXPECT_NEAR(delays.max(), 9920, 1e-6);
  EXPECT_NEAR(delays.mean(), 4960, 4960 / delays.count());
  EXPECT_NEAR(delays.sd(), 4960, 4960 / delays.count());
  EXPECT_EQ(delays.Percentile(5), 0);
  EXPECT_EQ(delays.Percentile(25), 0);
  // The resolution of the histogram is 1/256.
  EXPECT_NEAR(delays.Percentile(75), 9920, 9920 * 0.002);
  EXPECT_NEAR(delays.Percentile(95), 9920, 9920 * 0.002);
  // At the receiver, each frame arrives 40 ms after the previous one. Its second packet, which is one byte smaller,
  // arrives 9.912 ms after the first.
  const auto arrivals = TraceRows<ArrivalRow>(*s);
  ASSERT_EQ(arrivals.size(), delays.count());
  const double phase = arrivals[0].send_time_us;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const double frame = phase + static_cast<double>(i / 2) * kFrameInterval.us();
    EXPECT_NEAR(arrivals[i].send_time_us, frame, 1e-3);
    EXPECT_NEAR(arrivals[i].arrival_time_us, frame + kDelay.us() + (i % 2 == 0 ? 9920 : 9920 + 9912), 1e-3);
    EXPECT_EQ(arrivals[i].size_bytes, i % 2 == 0 ? 1240 : 1239);
    EXPECT_EQ(arrivals[i].seq, static_cast<double>(i));
  }
}

// On the same link, the delay beyond the propagation is 9.92 ms for the first packet of a frame: its own transmission.
// The second packet also waits for the first, and its transmission takes 9.912 ms. The extra propagation delay of the
// flow does not count.
TEST(Metrics, MeasureTheOneWayDelayBeyondThePropagation) {
  SimulationSpec spec = OneFlow(10);
  spec.media[0].flow.extra_delay = TimeDelta::Millis(40);
  const auto s = RunAll(spec);
  const Histogram& delays = FlowOf(*s, 0, 0).owd_queue_delay_us;
  EXPECT_EQ(delays.count(), FlowOf(*s, 0, 0).received_packets);
  EXPECT_NEAR(delays.min(), 9920, 1e-3);
  EXPECT_NEAR(delays.max(), 19832, 1e-3);
  EXPECT_NEAR(delays.mean(), 14876, 4956 / delays.count() + 1e-3);
}

// The frame is paced at its own rate, 310 B per interval of 5 ms, and the link adds 0.01 ms. The first packet of a
// frame uses the budget of four intervals, so the second leaves 20 ms later. Only the delay that is measured from the
// encoder includes these 20 ms.
TEST(Metrics, CountTheWaitInThePacerSinceTheEncoder) {
  SimulationSpec spec = OneFlow(10);
  spec.media[0].controller.pacing_factor = 1;
  spec.forward.link.bottleneck.capacity = DataRate::BitsPerSec(1e9);
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 0);
  EXPECT_NEAR(flow.owd_queue_delay_us.max(), 9.92, 1e-3);
  EXPECT_EQ(flow.e2e_queue_delay_us.count(), flow.received_packets);
  EXPECT_NEAR(flow.e2e_queue_delay_us.min(), 9.92, 1e-3);
  EXPECT_NEAR(flow.e2e_queue_delay_us.max(), 20009.912, 1e-3);
}

// The link is so fast that waiting and transmission (0.01 ms) do not matter, so the delay is the jitter. This is the
// absolute value of N(0, 5 ms): its mean is 5 sqrt(2 / pi) = 3.99 ms, its standard deviation 5 sqrt(1 - 2 / pi) = 3.01
// ms. The second packet of a frame is delayed a little more, since it must not overtake the first.
TEST(Metrics, CountTheJitterAsDelayBeyondThePropagation) {
  SimulationSpec spec = OneFlow(400);
  spec.forward.link.bottleneck.capacity = DataRate::BitsPerSec(1e9);
  spec.forward.link.jitter = TimeDelta::Millis(5);
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 0);
  ASSERT_GT(flow.owd_queue_delay_us.count(), 19000);
  // The second packet has the larger of two such delays, with a mean of 5 * 2 / sqrt(pi) = 5.64 ms. The mean over both
  // packets is 4.82 ms.
  EXPECT_NEAR(flow.owd_queue_delay_us.mean(), 4815 + 10, 4 * 3300 / std::sqrt(flow.owd_queue_delay_us.count() / 2));
  EXPECT_NEAR(flow.queue_delay_us.mean(), 5, 5.1);
}

// The bucket holds 2000 B. After the first packet it holds 760 B, so the second lacks 479 B, which take 3.832 ms. The
// bucket is full again long before the next frame.
TEST(Metrics, MeasureTheQueueDelayBehindATokenBucket) {
  SimulationSpec spec = OneFlow(10);
  spec.forward.link.bottleneck.mode = CapacityLink::Mode::kTokenBucket;
  spec.forward.link.bottleneck.burst = DataSize::Bytes(2000);
  const auto s = RunAll(spec);
  const Histogram& delays = FlowOf(*s, 0, 0).queue_delay_us;
  EXPECT_EQ(delays.min(), 0);
  EXPECT_NEAR(delays.max(), 3832, 1e-6);
  EXPECT_NEAR(delays.mean(), 1916, 1916 / delays.count());
}

// There are only sender reports of 96 B: 0.768 ms at 1 Mbps, and 2 * (25 + 10) ms of propagation. In section V of ToN
// ("Congestion Control for Web Real-Time Communication", 2017), RTT_min is the propagation alone, so RTT - RTT_min
// includes the transmission at the bottleneck.
TEST(Metrics, MeasureTheRttOfProbesAndWhatExceedsItsMinimum) {
  SimulationSpec spec = OneFlow(50);
  spec.media[0].flow.extra_delay = TimeDelta::Millis(10);
  spec.media[0].source.rtcp_interval_ms = 500;
  spec.media[0].pauses = {{AtSeconds(0), AtSeconds(50)}};
  spec.backward.link.one_way_delay = kDelay;
  spec.windows = {{AtSeconds(10), AtSeconds(50)}};
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 1);
  EXPECT_EQ(flow.sent_packets, 0);
  EXPECT_EQ(flow.received_packets, 0);
  // The intervals are uniform in [250, 750] ms, with variance 500^2 / 12. So there are 80 +- 4 * sqrt(80) * 144 / 500
  // reports in 40 s.
  EXPECT_NEAR(flow.rtt_us.count(), 80, 10.3);
  EXPECT_NEAR(flow.rtt_us.mean(), 70768, 1e-3);
  EXPECT_NEAR(flow.rtt_us.sd(), 0, 1e-3);
  EXPECT_NEAR(flow.probe_queue_delay_us.mean(), 768, 1e-3);
  EXPECT_EQ(flow.probe_queue_delay_us.count(), flow.rtt_us.count());
}

// A report waits until the frame before it has been sent. The 2479 B of a frame occupy the link for 19.832 of every 40
// ms. So 19.832 ms is the longest wait, and the waits are uniform below it.
TEST(Metrics, ProbesWaitBehindMedia) {
  SimulationSpec spec = OneFlow(400);
  spec.media[0].source.rtcp_interval_ms = 200;
  spec.backward.link.one_way_delay = kDelay;
  const auto s = RunAll(spec);
  const Histogram& delays = FlowOf(*s, 0, 0).probe_queue_delay_us;
  ASSERT_GT(delays.count(), 1900);
  EXPECT_NEAR(delays.min(), 768, 1e-3);
  EXPECT_LE(delays.max(), 768 + 19832 + 1e-3);
  // The mean wait is 19.832^2 / 2 / 40 = 4.9163 ms. The standard deviation is sqrt(19.832^3 / 3 / 40 - 4.9163^2) =
  // 6.39 ms for one report, and 6.39 ms / sqrt(n) for the mean of n reports.
  EXPECT_NEAR(delays.mean(), 768 + 4916.3, 4 * 6390 / std::sqrt(delays.count()));
}

// 2 Mbps are sent into a link of 1 Mbps, so the link is never idle. Between 2 and 7 s it can carry 625,000 B. The error
// at each end is less than one packet, or two with a token bucket.
TEST(Metrics, AnOverloadedBottleneckIsFullyUsed) {
  for (const auto mode : {CapacityLink::Mode::kSerial, CapacityLink::Mode::kTokenBucket}) {
    SimulationSpec spec = OneFlow(10);
    spec.media = {Constant(2e6)};
    spec.forward.link.bottleneck.mode = mode;
    spec.windows = {{AtSeconds(2), AtSeconds(7)}};
    const auto s = RunAll(spec);
    EXPECT_NEAR(ForwardOf(*s, 1).delivered.bytes(), 625000, 1240 * (mode == CapacityLink::Mode::kSerial ? 1 : 2));
    // When the last packets of a frame arrive, the free space in the queue of 300 ms is less than one packet.
    EXPECT_NEAR(ForwardOf(*s, 1).queue_delay_us.max(), 300e3, 2 * 9920);
    EXPECT_NEAR(FlowOf(*s, 0, 1).lost / FlowOf(*s, 0, 1).sent, 0.5, 0.01);
  }
}

// The queue holds one packet. Of three packets that are sent at once, one is transmitted, one waits, and one is
// dropped. 695,990 bps are 3479.95 B every 40 ms: packets of 1240, 1240 and 999 B.
TEST(Metrics, CountLossesByReasonAndBytes) {
  SimulationSpec spec = OneFlow(10);
  spec.media = {Constant(695990)};
  spec.forward.queue = DropTailOf(0, 0, 1);
  spec.windows = {{AtSeconds(2), AtSeconds(7)}};
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 1);
  EXPECT_EQ(flow.sent_packets, 375);
  EXPECT_EQ(flow.sent.bytes(), 125 * 3479);
  EXPECT_EQ(flow.lost_packets, 125);
  EXPECT_EQ(flow.lost.bytes(), 125 * 999);
  EXPECT_EQ(flow.received.bytes(), 125 * 2480);
  EXPECT_DOUBLE_EQ(flow.lost / flow.sent, 999.0 / 3479);
  EXPECT_EQ(ForwardOf(*s, 1).drops[static_cast<std::size_t>(DropReason::kQueueFull)], 125);
  EXPECT_EQ(ForwardOf(*s, 1).drops[static_cast<std::size_t>(DropReason::kRandomLoss)], 0);
}

TEST(Metrics, CountRandomLossAsSuch) {
  SimulationSpec spec = OneFlow(10);
  spec.forward.link.loss_ratio = 1;
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 0);
  EXPECT_GE(flow.sent_packets, 498);
  EXPECT_EQ(flow.lost_packets, flow.sent_packets);
  EXPECT_EQ(flow.lost.bytes(), flow.sent.bytes());
  EXPECT_EQ(flow.received_packets, 0);
  EXPECT_EQ(ForwardOf(*s, 0).drops[static_cast<std::size_t>(DropReason::kRandomLoss)], flow.lost_packets);
  EXPECT_EQ(ForwardOf(*s, 0).delivered_packets, 0);
}

// The capacity is 1 Mbps for 2 s, 2 Mbps for 2 s, 0 for 1 s (an outage), then 1 Mbps for 5 s. From 1 to 6 s this is 1 +
// 4 + 0 + 1 Mbit.
TEST(Metrics, IntegrateTheCapacityOverSteps) {
  SimulationSpec spec = OneFlow(10);
  spec.forward.steps = {{AtSeconds(2), DataRate::KilobitsPerSec(2000)},
                        {AtSeconds(4), DataRate::Zero()},
                        {AtSeconds(5), DataRate::KilobitsPerSec(1000)}};
  spec.windows = {{AtSeconds(1), AtSeconds(6)}, {AtSeconds(2.5), AtSeconds(3)}, {AtSeconds(4.025), AtSeconds(5)},
                  {AtSeconds(9), AtSeconds(12)}, {AtSeconds(20), AtSeconds(30)}};
  const auto s = Build(spec);
  const auto megabits = [&s](int window) { return s->OfferedCapacity(s->window(window), Direction::kForward).bits() / 1e6; };
  s->RunUntil(AtSeconds(4.5));
  EXPECT_DOUBLE_EQ(megabits(0), 2 + 4);
  EXPECT_DOUBLE_EQ(megabits(1), 1 + 4);
  EXPECT_DOUBLE_EQ(s->Elapsed(1).seconds(), 3.5);
  s->RunUntil(Timestamp::PlusInfinity());
  EXPECT_DOUBLE_EQ(megabits(0), 2 + 4 + 0 + 5);
  EXPECT_DOUBLE_EQ(megabits(1), 6);
  EXPECT_DOUBLE_EQ(megabits(2), 1);
  EXPECT_EQ(megabits(3), 0);
  // Packets that left the bottleneck before the outage have arrived before this window.
  EXPECT_EQ(ForwardOf(*s, 3).delivered_packets, 0);
  // The run ends at 10 s.
  EXPECT_DOUBLE_EQ(megabits(4), 1);
  EXPECT_EQ(s->Elapsed(4).seconds(), 1);
  EXPECT_EQ(megabits(5), 0);
  EXPECT_EQ(s->Elapsed(5).seconds(), 0);
  EXPECT_EQ(FlowOf(*s, 0, 5).sent_packets, 0);
}

// A window is [begin, end), however short. A packet that arrives exactly at its beginning counts; one that arrives
// exactly at its end does not.
TEST(Metrics, CountAPacketInTheWindowInWhichItArrives) {
  SimulationSpec spec = OneFlow(3);
  const auto arrivals = TraceRows<ArrivalRow>(*RunAll(spec));
  ASSERT_GT(arrivals.size(), 60U);
  const auto at = [&arrivals](std::size_t i) { return Timestamp::Micros(arrivals[i].arrival_time_us); };
  const TimeDelta us = TimeDelta::Micros(1);
  spec.windows = {{at(20), at(50)}, {at(20) + us, at(50) + us}, {at(50) - us, at(50)}, {at(50), at(50) + us},
                  {at(50) - TimeDelta::Millis(1), at(50)}};
  const auto s = RunAll(spec);
  EXPECT_EQ(FlowOf(*s, 0, 1).received_packets, 30);
  EXPECT_EQ(FlowOf(*s, 0, 2).received_packets, 30);
  EXPECT_EQ(FlowOf(*s, 0, 3).received_packets, 0);
  EXPECT_EQ(FlowOf(*s, 0, 4).received_packets, 1);
  EXPECT_EQ(FlowOf(*s, 0, 5).received_packets, 0);
  EXPECT_EQ(ForwardOf(*s, 4).delivered_packets, 1);
  EXPECT_EQ(ForwardOf(*s, 5).delivered_packets, 0);
}

// The rates are 3 : 1, without congestion: (3 + 1)^2 / (2 (9 + 1)) = 0.8. An interval of 1 s has 25 frames of each
// flow. 1500 B every 40 ms are 300 kbps, 500 B are 100 kbps. Each source has 8 bps more, to avoid frames that are
// rounded down to one byte less.
TEST(Metrics, ComputeJainsIndexOverWindowsAndIntervals) {
  SimulationSpec spec = OneFlow(20);
  spec.params.rate_interval = TimeDelta::Seconds(1);
  spec.media = {Constant(300000 + 8), Constant(100000 + 8)};
  for (MediaSpec& media : spec.media) media.source.payload_bytes = 10000;
  spec.media[1].flow.start = AtSeconds(4.5);
  spec.windows = {{AtSeconds(6), AtSeconds(16)}, {AtSeconds(0), AtSeconds(4)}};
  const auto s = RunAll(spec);
  EXPECT_EQ(FlowOf(*s, 0, 1).received.bytes(), 250 * 1500);
  EXPECT_EQ(FlowOf(*s, 1, 1).received.bytes(), 250 * 500);
  const Simulation::Fairness both = s->fairness(1);
  EXPECT_DOUBLE_EQ(both.jain, 0.8);
  EXPECT_DOUBLE_EQ(both.jain_mean, 0.8);
  EXPECT_DOUBLE_EQ(both.jain_all, 0.8);
  EXPECT_DOUBLE_EQ(both.jain_all_mean, 0.8);
  // A single flow is fair.
  EXPECT_DOUBLE_EQ(s->fairness(2).jain, 1);
  EXPECT_DOUBLE_EQ(s->fairness(2).jain_mean, 1);
  // Both flows send during 15 of the 20 intervals, so the mean is (5 * 1 + 15 * 0.8) / 20. At the end of the first
  // interval, some bytes are still in flight, but this does not change the index of a single flow.
  EXPECT_NEAR(s->fairness(0).jain_mean, 0.85, 1e-9);
}

// The index of the media flows of both directions is (3 + 1 + 1)^2 / (3 (9 + 1 + 1)). The index of all flows of the
// forward path is 0.8.
TEST(Metrics, ComputeJainsIndexOfMediaAndOfTheForwardPath) {
  SimulationSpec spec = OneFlow(10);
  spec.params.rate_interval = TimeDelta::Seconds(1);
  spec.media = {Constant(300000 + 8), Constant(100000 + 8), Constant(100000 + 8)};
  for (MediaSpec& media : spec.media) media.source.payload_bytes = 10000;
  spec.media[2].flow.direction = Direction::kBackward;
  spec.windows = {{AtSeconds(2), AtSeconds(8)}};
  const auto s = RunAll(spec);
  const Simulation::Fairness f = s->fairness(1);
  EXPECT_DOUBLE_EQ(f.jain, 25.0 / 33);
  EXPECT_DOUBLE_EQ(f.jain_mean, 25.0 / 33);
  EXPECT_DOUBLE_EQ(f.jain_all, 0.8);
  EXPECT_DOUBLE_EQ(f.jain_all_mean, 0.8);
}

// The share of flow 0 is min(1 Mbps, 500 kbps), and from 1.2 s on it receives 495.8 kbps. The rate intervals begin at
// multiples of 500 ms: the first one after the start of the flow is [1.5, 2.0] s.
TEST(Metrics, TakeTheConvergenceTimeFromTheFlowsStart) {
  SimulationSpec spec = OneFlow(10);
  spec.media[0].source.max_bitrate_bps = 500000;
  spec.media[0].flow.start = AtSeconds(1.2);
  EXPECT_DOUBLE_EQ(RunAll(spec)->convergence(0).seconds(), 0.8);
  // The flow never gets 90 % of 600 kbps.
  spec.media[0].source.max_bitrate_bps = 600000;
  EXPECT_LT(RunAll(spec)->convergence(0), TimeDelta::Zero());
}

// While the capacity is zero, the share of a flow is zero. A flow that receives what is left in the queue has not
// reached its share.
TEST(Metrics, NoFlowConvergesInAnOutage) {
  SimulationSpec spec = OneFlow(10);
  spec.media[0].source.max_bitrate_bps = 600000;
  spec.forward.steps = {{AtSeconds(2), DataRate::Zero()}};
  EXPECT_LT(RunAll(spec)->convergence(0), TimeDelta::Zero());
}

// The capacity alternates between 4 and 0.4 Mbps every 10 ms, so it is 2.2 Mbps over each rate interval of 500 ms.
TEST(Metrics, DivideByTheMeanCapacityOfARateInterval) {
  SimulationSpec spec = OneFlow(10);
  for (int i = 0; i < 1000; ++i) {
    spec.forward.steps.push_back({AtSeconds(i * 0.01), DataRate::KilobitsPerSec(i % 2 == 0 ? 4000 : 400)});
  }
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 0);
  EXPECT_EQ(flow.capacity_share.count(), flow.received_bps.count());
  EXPECT_NEAR(flow.capacity_share.mean(), flow.received_bps.mean() / 2.2e6, 1e-9);
}

// A frame of 1000 B every 40 ms, over an RTT of 20 ms: target times RTT is half a packet. The sender repeats at least
// one packet for each request (libwebrtc-2016: RTPSender::OnReceivedNACK).
TEST(Metrics, LostPacketsAreRepeatedOverAShortRtt) {
  const auto goodput = [](double loss_ratio) {
    SimulationSpec spec = OneFlow(60);
    spec.media = {Constant(200000)};
    spec.media[0].source.nack = 1;
    spec.media[0].source.rtcp_interval_ms = 1000;
    spec.forward.link.loss_ratio = loss_ratio;
    spec.forward.link.one_way_delay = spec.backward.link.one_way_delay = TimeDelta::Millis(10);
    const auto s = RunAll(spec);
    return FlowOf(*s, 0, 0).goodput.bytes();
  };
  EXPECT_NEAR(goodput(0.03) / goodput(0), 1, 0.002);
}

// A file of ten segments leaves as one initial window (RFC 6928): at 1 Mbps segment i waits i * 12 ms.
TEST(Metrics, MeasureAShortFile) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(5);
  TcpSpec tcp;
  const DataSize file = DataSize::Bytes(10 * 1448);
  tcp.tcp.files = TcpFlow::ShortFiles{file, file, TimeDelta::Seconds(1e9)};
  spec.tcp = {tcp};
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 0);
  EXPECT_EQ(flow.sent_packets, 10);
  EXPECT_EQ(flow.sent.bytes(), 15000);
  EXPECT_EQ(flow.received.bytes(), 15000);
  EXPECT_EQ(flow.goodput.bytes(), 14480);
  EXPECT_NEAR(flow.queue_delay_us.mean(), 54000, 1e-3);
  EXPECT_NEAR(flow.queue_delay_us.max(), 108000, 1e-3);
  // The standard deviation of the whole population: 12 ms * sqrt((10^2 - 1) / 12).
  EXPECT_NEAR(flow.queue_delay_us.sd(), 12000 * std::sqrt(99.0 / 12), 1e-3);
  // By the nearest rank, the 50th percentile of ten values is the fifth value, 4 * 12 ms, and the 95th percentile is
  // the tenth.
  EXPECT_NEAR(flow.queue_delay_us.Percentile(50), 48000, 48000 * 0.002);
  EXPECT_NEAR(flow.queue_delay_us.Percentile(95), 108000, 108000 * 0.002);
}

// During an outage, the retransmission timer fires for segments that are only waiting. These segments arrive twice, but
// goodput counts them once.
TEST(Metrics, GoodputCountsWhatArrivesTwiceOnce) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(20);
  TcpSpec tcp;
  const DataSize file = DataSize::Bytes(300 * 1448);
  tcp.tcp.files = TcpFlow::ShortFiles{file, file, TimeDelta::Seconds(1e9)};
  spec.tcp = {tcp};
  spec.forward.queue = DropTailOf(0, 0, 1000);
  spec.forward.steps = {{AtSeconds(1), DataRate::Zero()}, {AtSeconds(3), DataRate::KilobitsPerSec(1000)}};
  const auto s = RunAll(spec);
  const FlowWindow& flow = FlowOf(*s, 0, 0);
  EXPECT_EQ(flow.goodput.bytes(), 300 * 1448);
  EXPECT_EQ(flow.lost_packets, 0);
  EXPECT_EQ(flow.received_packets, flow.sent_packets);
  EXPECT_GT(flow.received_packets, 300);
}

}  // namespace
}  // namespace ccscope
