// Tests retransmission: which packets a receiver requests, and when; and how the packets of a call arrive despite
// losses.
#include "sim/retransmission.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/native/simulation_support.h"

namespace ccscope {
namespace {

constexpr TimeDelta kRtt = TimeDelta::Millis(50);
Timestamp AtMs(double ms) { return Timestamp::Millis(ms); }

TEST(NackList, AsksForAGapAtOnceAndAgainAfterARoundTrip) {
  NackList nacks;
  EXPECT_TRUE(nacks.OnArrival(7));
  EXPECT_FALSE(nacks.Due(kRtt, AtMs(0)));
  EXPECT_TRUE(nacks.OnArrival(10));
  const auto run = nacks.Due(kRtt, AtMs(1));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->first, 8);
  EXPECT_EQ(run->count, 2);
  EXPECT_FALSE(nacks.Due(kRtt, AtMs(50)));
  EXPECT_TRUE(nacks.OnArrival(8));
  const auto again = nacks.Due(kRtt, AtMs(51));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first, 9);
  EXPECT_EQ(again->count, 1);
}

TEST(NackList, AsksForEachRunByItself) {
  NackList nacks;
  for (const double seq : {0.0, 2.0, 5.0}) nacks.OnArrival(seq);
  EXPECT_EQ(nacks.Due(kRtt, AtMs(0))->first, 1);
  EXPECT_EQ(nacks.Due(kRtt, AtMs(0))->first, 3);
  EXPECT_FALSE(nacks.Due(kRtt, AtMs(0)));
}

TEST(NackList, KnowsWhatCameBefore) {
  NackList nacks;
  EXPECT_TRUE(nacks.OnArrival(0));
  EXPECT_FALSE(nacks.OnArrival(0));
  EXPECT_TRUE(nacks.OnArrival(2));
  EXPECT_TRUE(nacks.OnArrival(1));
  EXPECT_FALSE(nacks.OnArrival(1));
}

TEST(NackList, GivesUpAfterTenRequests) {
  NackList nacks;
  nacks.OnArrival(0);
  nacks.OnArrival(2);
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(nacks.Due(kRtt, AtMs(50.0 * i))) << i;
    EXPECT_FALSE(nacks.TakeGivenUp());
  }
  EXPECT_FALSE(nacks.Due(kRtt, AtMs(500)));
  EXPECT_TRUE(nacks.TakeGivenUp());
  EXPECT_FALSE(nacks.TakeGivenUp());
  EXPECT_FALSE(nacks.OnArrival(1)) << "too late";
}

// The round-trip time is not known yet (0). Without the minimum of 20 ms, all ten requests for a packet would be sent
// at once.
TEST(NackList, AsksAgainNoSoonerThanAfter20Ms) {
  NackList nacks;
  nacks.OnArrival(0);
  nacks.OnArrival(2);
  EXPECT_TRUE(nacks.Due(TimeDelta::Zero(), AtMs(0)));
  EXPECT_FALSE(nacks.Due(TimeDelta::Zero(), AtMs(0)));
  EXPECT_FALSE(nacks.Due(TimeDelta::Zero(), AtMs(19)));
  EXPECT_TRUE(nacks.Due(TimeDelta::Zero(), AtMs(20)));
}

TEST(NackList, AGapOfMoreThan250PacketsIsGivenUpAtOnce) {
  NackList nacks;
  nacks.OnArrival(0);
  nacks.OnArrival(1e15);
  EXPECT_TRUE(nacks.TakeGivenUp());
  EXPECT_FALSE(nacks.Due(kRtt, AtMs(0)));
  nacks.OnArrival(1e15 + 2);
  EXPECT_EQ(nacks.Due(kRtt, AtMs(0))->first, 1e15 + 1);
}

// A call at a constant 500 kbps, far below the capacity of the link, which has 5 % of random loss.
SimulationSpec ThroughLoss(bool nack) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(120);
  spec.params.seed = 5;
  spec.tables = kAllTables;
  spec.forward.link.loss_ratio = 0.05;
  spec.forward.link.bottleneck.capacity = DataRate::KilobitsPerSec(2000);
  MediaSpec media;
  media.source.noise_sd = 0;
  media.source.nack = nack ? 1 : 0;
  media.source.min_bitrate_bps = media.source.max_bitrate_bps = 500e3;
  media.controller.min_bitrate_bps = media.controller.max_bitrate_bps = media.controller.start_bitrate_bps = 500e3;
  media.controller.loss_high = 1;
  spec.media = {media};
  return spec;
}

std::unique_ptr<Simulation> RunOf(const SimulationSpec& spec) {
  auto simulation = Build(spec);
  EXPECT_EQ(simulation->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kOk);
  return simulation;
}

// 5 % of the packets are lost, and each packet is sent until it arrives, on average 1 / 0.95 times. So for n packets
// n / 0.95 are sent, and all n arrive except those of the last round trips. Requests cross a path without loss.
TEST(Retransmission, BringsAllPacketsAndCostsWhatWasLost) {
  const auto without = RunOf(ThroughLoss(false));
  const auto with = RunOf(ThroughLoss(true));
  const FlowWindow& lossy = without->flow(0).meter().window(0);
  const FlowWindow& repaired = with->flow(0).meter().window(0);
  EXPECT_NEAR(lossy.goodput / (lossy.sent), 0.95 * 1200 / 1240, 0.03);
  EXPECT_NEAR(repaired.sent_packets / lossy.sent_packets, 1 / 0.95, 0.015);
  EXPECT_NEAR(repaired.goodput / lossy.goodput, 1 / 0.95, 0.015);
  EXPECT_NEAR(repaired.lost_packets / repaired.sent_packets, 0.05, 0.01);
}

// The capacity falls below the rate that is sent, and the queue grows. The receiver asks again after the RTT of before
// the fall, while the first answer still waits in the queue. WebRTC of 2016 (RTPSender::ReSendPacket) does not answer
// again within the RTT that the sender knows. Then a packet arrives twice only if the queue grew since that RTT was
// measured; without this rule, 1.9 % do.
TEST(Retransmission, APacketThatHasJustBeenRepeatedIsNotRepeatedAgain) {
  SimulationSpec spec = ThroughLoss(true);
  spec.params.duration = TimeDelta::Seconds(60);
  spec.forward.steps = {{AtSeconds(30), DataRate::KilobitsPerSec(450)}};
  spec.forward.queue = DropTailOf(0, 60000, 0);
  const auto simulation = RunOf(spec);
  const FlowWindow& flow = simulation->flow(0).meter().window(0);
  const double headers = flow.received_packets * 40;
  EXPECT_GT(flow.goodput.bytes(), (flow.received.bytes() - headers) * 0.995);
  EXPECT_GT(flow.lost_packets, 500) << "the queue overflows";
}

// A retransmission keeps the send time of the first transmission. It arrives at least 75 ms after that time: a round
// trip (50 ms) plus a one-way delay (25 ms).
TEST(Retransmission, KeepsTheTimeOfTheFirstTry) {
  const auto simulation = RunOf(ThroughLoss(true));
  const auto arrivals = TraceRows<ArrivalRow>(*simulation);
  double highest = -1;
  double late = 0;
  for (const ArrivalRow& row : arrivals) {
    const double delay_ms = (row.arrival_time_us - row.send_time_us) / 1e3;
    if (row.seq < highest) {
      ++late;
      EXPECT_GE(delay_ms, 75);
    } else {
      EXPECT_LT(delay_ms, 75);
    }
    highest = std::max(highest, row.seq);
  }
  EXPECT_NEAR(late / static_cast<double>(arrivals.size()), 0.05, 0.01);
  EXPECT_EQ(static_cast<double>(arrivals.size()), highest + 1) << "each packet once";
}

// One report is due after 360 kbit on average, which take 0.72 s at 500 kbps. The intervals are uniform between 0.5 and
// 1.5 times this mean.
TEST(ReceiverReports, ComeAtAPaceOfTheirOwn) {
  SimulationSpec spec = ThroughLoss(false);
  spec.params.duration = TimeDelta::Seconds(400);
  spec.media[0].controller.losses_from = 1;
  spec.media[0].controller.loss_report_interval_ms = 10;
  spec.media[0].controller.loss_high = 1;
  spec.media[0].controller.loss_low = 0;  // no report changes A_s; the test only looks at the reported fractions
  for (const double kbit : {0.0, 360.0}) {
    spec.media[0].source.receiver_report_kbit = kbit;
    const auto simulation = RunOf(spec);
    const auto rates = TraceRows<RateRow>(*simulation);
    double changes = 0;
    double last = 0;
    for (const RateRow& row : rates) {
      if (row.fraction_lost != last) ++changes;
      last = row.fraction_lost;
    }
    // Rows are 0.2 s apart, and reports are at least 0.36 s apart. So each report shows in a row. Two successive rows
    // may show the same report.
    const double reports = kbit > 0 ? 400 / 0.72 : 0;
    EXPECT_LE(changes, reports * 1.05);
    EXPECT_GE(changes, reports * 0.8);
  }
}

}  // namespace
}  // namespace ccscope
