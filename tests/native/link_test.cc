#include "sim/link.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/queue_disc/drop_tail.h"

namespace ccscope {
namespace {

constexpr DataRate kMbps = DataRate::KilobitsPerSec(1000);

struct Results {
  std::vector<Link::Delivery> deliveries;
  std::vector<Link::Drop> drops;

  std::vector<double> departures_us() const {
    std::vector<double> times;
    for (const auto& d : deliveries) times.push_back(d.depart.us());
    return times;
  }
};

Link MakeLink(Link::Params params = {}, DropTail::Params queue = DropTail::Params::Packets(1000)) {
  return Link(params, std::make_unique<DropTail>(queue));
}

Link::Params At(DataRate capacity) { return {.bottleneck = {.capacity = capacity}}; }

DropReason Send(Link& link, double id, double bytes, double now_us) {
  return link.Enqueue(id, DataSize::Bytes(bytes), 0, Timestamp::Micros(now_us));
}

Results PollAt(Link& link, double now_us) {
  Results results;
  link.Poll(Timestamp::Micros(now_us), results.deliveries, results.drops);
  return results;
}

// 1250 B are 10,000 bits, which take 10 ms at 1 Mbps.
TEST(Link, ABurstLeavesOnePacketTimeApart) {
  Link link = MakeLink(At(kMbps));
  for (int i = 0; i < 5; ++i) Send(link, i, 1250, 1000);
  const Results results = PollAt(link, 1e6);
  EXPECT_EQ(results.departures_us(), (std::vector<double>{11000, 21000, 31000, 41000, 51000}));
  for (int i = 0; i < 5; ++i) {
    const auto& d = results.deliveries[static_cast<std::size_t>(i)];
    EXPECT_EQ(d.packet.id, i);
    EXPECT_EQ(d.queue_delay.us(), 10000.0 * i);
    EXPECT_EQ(d.deliver, d.depart);
  }
}

TEST(Link, AnIdleLinkDoesNotSaveUpCapacity) {
  Link link = MakeLink(At(kMbps));
  Send(link, 0, 1250, 0);
  Send(link, 1, 1250, 15000);
  EXPECT_EQ(PollAt(link, 1e6).departures_us(), (std::vector<double>{10000, 25000}));
}

TEST(Link, DelayIsAddedBehindTheBottleneckAndNothingComesBefore) {
  Link::Params params = At(kMbps);
  params.one_way_delay = TimeDelta::Millis(25);
  Link link = MakeLink(params);
  Send(link, 0, 1250, 0);
  EXPECT_EQ(link.NextEvent().us(), 35000);
  EXPECT_TRUE(PollAt(link, 34999).deliveries.empty());
  const Results results = PollAt(link, 35000);
  ASSERT_EQ(results.deliveries.size(), 1u);
  EXPECT_EQ(results.deliveries[0].deliver.us(), 35000);
  EXPECT_EQ(link.NextEvent(), Timestamp::PlusInfinity());
}

TEST(Link, ShorteningTheDelayReordersNothing) {
  Link::Params params = At(kMbps);
  params.one_way_delay = TimeDelta::Millis(100);
  Link link = MakeLink(params);
  Send(link, 0, 1250, 0);
  link.SetOneWayDelay(TimeDelta::Millis(5), Timestamp::Millis(10));
  Send(link, 1, 1250, 10000);
  const Results results = PollAt(link, 1e6);
  ASSERT_EQ(results.deliveries.size(), 2u);
  EXPECT_EQ(results.deliveries[0].deliver.us(), 110000);
  EXPECT_EQ(results.deliveries[1].deliver.us(), 110000);
  EXPECT_EQ(results.deliveries[1].depart.us(), 20000);
}

// In 4 ms at 1 Mbps, 4000 of the 10,000 bits are sent; the other 6000 take 12 ms at 500 kbps.
TEST(Link, CapacityChangesInTheMiddleOfAPacket) {
  Link link = MakeLink(At(kMbps));
  Send(link, 0, 1250, 0);
  Send(link, 1, 1250, 0);
  link.SetCapacity(DataRate::KilobitsPerSec(500), Timestamp::Millis(4));
  EXPECT_EQ(PollAt(link, 1e6).departures_us(), (std::vector<double>{16000, 36000}));
}

TEST(Link, ScheduledChangesActAtTheirTimeHoweverLateThePollIs) {
  Link link = MakeLink(At(kMbps));
  link.ScheduleCapacity(Timestamp::Millis(4), DataRate::KilobitsPerSec(500));
  link.ScheduleCapacity(Timestamp::Millis(26), kMbps);
  Send(link, 0, 1250, 0);
  Send(link, 1, 1250, 0);
  // The second packet begins at 16 ms. By 26 ms, 5000 of its bits have been sent. The rest takes 5 ms.
  EXPECT_EQ(PollAt(link, 1e6).departures_us(), (std::vector<double>{16000, 31000}));
}

TEST(Link, ChangesThatAreScheduledLateActAtOnceInTheirOrder) {
  Link link = MakeLink(At(kMbps));
  Send(link, 0, 1250, 0);
  link.AdvanceTo(Timestamp::Millis(4));
  link.ScheduleCapacity(Timestamp::Millis(1), DataRate::Zero());
  link.ScheduleCapacity(Timestamp::Millis(2), DataRate::KilobitsPerSec(500));
  // By 4 ms, 4000 of the bits have been sent. The other 6000 bits take 12 ms.
  EXPECT_EQ(PollAt(link, 1e6).departures_us(), std::vector<double>{16000});
}

TEST(Link, AnOutageHoldsThePacketAndLosesNothing) {
  Link link = MakeLink(At(kMbps));
  Send(link, 0, 1250, 0);
  link.SetCapacity(DataRate::Zero(), Timestamp::Millis(4));
  EXPECT_TRUE(PollAt(link, 500000).deliveries.empty());
  EXPECT_EQ(link.NextEvent(), Timestamp::PlusInfinity());
  link.SetCapacity(kMbps, Timestamp::Millis(500));
  EXPECT_EQ(PollAt(link, 1e6).departures_us(), std::vector<double>{506000});
}

TEST(Link, ResultsDoNotDependOnWhenItIsPolled) {
  std::vector<double> once;
  std::vector<double> often;
  for (const bool poll_often : {false, true}) {
    Link::Params params = At(kMbps);
    params.jitter = TimeDelta::Millis(5);
    params.loss_ratio = 0.05;
    params.seed = 42;
    Link link = MakeLink(params, DropTail::Params::Time(TimeDelta::Millis(50)));
    link.ScheduleCapacity(Timestamp::Millis(300), DataRate::KilobitsPerSec(400));
    Results all;
    for (int i = 0; i < 200; ++i) {
      Send(link, i, 900 + i, 5000.0 * i);
      if (!poll_often) continue;
      for (double t = 5000.0 * i; t < 5000.0 * (i + 1); t += 700)
        link.Poll(Timestamp::Micros(t), all.deliveries, all.drops);
    }
    link.Poll(Timestamp::Seconds(100), all.deliveries, all.drops);
    (poll_often ? often : once) = all.departures_us();
  }
  EXPECT_GT(once.size(), 50u);
  EXPECT_LT(once.size(), 195u);
  EXPECT_EQ(once, often);
}

// The queue holds 300 ms of data: at 1 Mbps, 37,500 B, i.e. 30 packets of 1250 B. One more packet is in transmission.
TEST(Link, QueueHoldsItsTimeOfPacketsAndDropsTheNext) {
  Link link = MakeLink(At(kMbps), DropTail::Params::Time(TimeDelta::Millis(300)));
  int accepted = 0;
  for (int i = 0; i < 40; ++i) accepted += Send(link, i, 1250, 0) == DropReason::kNone ? 1 : 0;
  EXPECT_EQ(accepted, 31);
  EXPECT_EQ(link.QueueDelay(Timestamp()).us(), 310000);
  EXPECT_EQ(link.QueueDelay(Timestamp::Millis(5)).us(), 305000);
  EXPECT_EQ(link.stats().dropped_packets, 9);
  const Results results = PollAt(link, 1e6);
  EXPECT_EQ(results.deliveries.size(), 31u);
  EXPECT_EQ(results.deliveries.back().queue_delay.us(), 300000);
  EXPECT_TRUE(results.drops.empty());  // all drops were immediate, so Enqueue() had reported them
}

TEST(Link, ASmallerQueueTakesOverWhatFitsAndTellsOfTheRest) {
  Link link = MakeLink(At(kMbps));
  for (int i = 0; i < 10; ++i) Send(link, i, 1250, 0);
  link.SetQueue(std::make_unique<DropTail>(DropTail::Params::Packets(4)), Timestamp::Millis(1));
  const Results results = PollAt(link, 1e6);
  EXPECT_EQ(results.deliveries.size(), 5u);
  ASSERT_EQ(results.drops.size(), 5u);
  EXPECT_EQ(results.drops[0].packet.id, 5);
  EXPECT_EQ(results.drops[0].reason, DropReason::kQueueFull);
  EXPECT_EQ(results.drops[0].time.us(), 1000);
}

// 300 ms at the new capacity are 60 packets of 1250 B. During an outage no packet is in transmission.
TEST(Link, AQueueThatComesDuringAnOutageHoldsItsTimeAtTheCapacityThatWasSetMeanwhile) {
  Link::Params params = At(kMbps);
  params.outages = {.mean_on = TimeDelta::Micros(1), .mean_off = TimeDelta::Seconds(1e6)};
  Link link = MakeLink(params);
  const double down_us = 1e6;
  link.SetCapacity(kMbps * 2, Timestamp::Micros(down_us));
  link.SetQueue(std::make_unique<DropTail>(DropTail::Params::Time(TimeDelta::Millis(300))), Timestamp::Micros(down_us));
  int accepted = 0;
  for (int i = 0; i < 100; ++i) accepted += Send(link, i, 1250, down_us) == DropReason::kNone ? 1 : 0;
  EXPECT_EQ(accepted, 60);
  EXPECT_TRUE(PollAt(link, 2e6).deliveries.empty());
}

Link::Params Bucket() {
  return {.bottleneck = {.mode = CapacityLink::Mode::kTokenBucket, .capacity = kMbps}};
}

// 5 kB pass at once; the fifth packet of 1250 B waits for its 10,000 bits of tokens.
TEST(TokenBucket, TheBurstPassesAtOnceThenTheRateHolds) {
  Link link = MakeLink(Bucket());
  for (int i = 0; i < 6; ++i) Send(link, i, 1250, 1000);
  const Results results = PollAt(link, 1e6);
  EXPECT_EQ(results.departures_us(), (std::vector<double>{1000, 1000, 1000, 1000, 11000, 21000}));
  EXPECT_EQ(results.deliveries[4].queue_delay.us(), 10000);
}

TEST(TokenBucket, RefillsWhileIdleUpToTheBurst) {
  Link link = MakeLink(Bucket());
  for (int i = 0; i < 4; ++i) Send(link, i, 1250, 0);
  for (int i = 4; i < 7; ++i) Send(link, i, 1250, 20000);  // tokens for two packets have been added
  for (int i = 7; i < 12; ++i) Send(link, i, 1250, 10e6);  // the bucket is full again: tokens for four packets
  const auto times = PollAt(link, 20e6).departures_us();
  EXPECT_EQ(std::vector<double>(times.begin() + 4, times.end()),
            (std::vector<double>{20000, 20000, 30000, 10e6, 10e6, 10e6, 10e6, 10.01e6}));
}

TEST(TokenBucket, APacketLargerThanTheBucketGoesIntoDebt) {
  Link link = MakeLink(Bucket());
  Send(link, 0, 15000, 0);  // leaves at once, as the bucket is full; the bucket is then 10,000 B in debt
  Send(link, 1, 5000, 0);   // needs 15,000 B of new tokens: 120 ms
  EXPECT_EQ(PollAt(link, 1e6).departures_us(), (std::vector<double>{0, 120000}));
}

TEST(TokenBucket, CapacityChangesWhileAPacketWaits) {
  Link link = MakeLink(Bucket());
  for (int i = 0; i < 5; ++i) Send(link, i, 1250, 0);
  link.SetCapacity(DataRate::KilobitsPerSec(500), Timestamp::Millis(4));
  EXPECT_EQ(PollAt(link, 1e6).departures_us().back(), 16000);
}

TEST(Link, EveryPacketIsDeliveredOrDroppedOnce) {
  for (const auto mode : {CapacityLink::Mode::kSerial, CapacityLink::Mode::kTokenBucket}) {
    Link::Params params = At(kMbps);
    params.bottleneck.mode = mode;
    params.jitter = TimeDelta::Millis(3);
    params.loss_ratio = 0.02;
    params.one_way_delay = TimeDelta::Millis(25);
    Link link = MakeLink(params, DropTail::Params::Time(TimeDelta::Millis(100)));
    Random random(11);
    Results results;
    std::vector<int> seen(3000);
    double now_us = 0;
    for (int i = 0; i < 3000; ++i) {
      now_us += random.Uniform() * 16000;
      const auto capacity = DataRate::KilobitsPerSec(300 + 1000 * random.Uniform());
      if (i % 100 == 0) link.SetCapacity(capacity, Timestamp::Micros(now_us));
      const DropReason reason = Send(link, i, 100 + 1300 * random.Uniform(), now_us);
      if (reason != DropReason::kNone) ++seen[static_cast<std::size_t>(i)];
      link.Poll(Timestamp::Micros(now_us), results.deliveries, results.drops);
      const auto& s = link.stats();
      ASSERT_EQ(s.offered_packets,
                s.lost_packets + s.dropped_packets + s.delivered_packets + link.packets_inside());
    }
    link.Poll(Timestamp::Micros(now_us + 60e6), results.deliveries, results.drops);
    for (const auto& d : results.deliveries) ++seen[static_cast<std::size_t>(d.packet.id)];
    for (const auto& d : results.drops) ++seen[static_cast<std::size_t>(d.packet.id)];
    EXPECT_EQ(seen, std::vector<int>(3000, 1));
    EXPECT_EQ(link.packets_inside(), 0);
    EXPECT_NEAR((link.stats().offered - link.stats().dropped - link.stats().delivered).bytes(), 0, 1e-3);
    EXPECT_GT(link.stats().lost_packets, 25);
    EXPECT_LT(link.stats().lost_packets, 100);
    EXPECT_GT(link.stats().dropped_packets, 10);
  }
}

// While a serial link is busy, it sends at exactly its capacity.
TEST(Link, ASaturatedLinkIsFullyUsed) {
  Link link = MakeLink(At(kMbps), DropTail::Params::Time(TimeDelta::Millis(300)));
  for (int i = 0; i < 2000; ++i) Send(link, i, 1000, 5000.0 * i);  // 1.6 Mbps for 10 s
  const Results results = PollAt(link, 10e6);
  EXPECT_NEAR(link.stats().departed.bits(), 10e6, 8000);
  EXPECT_EQ(results.deliveries.size(), 1250u);
}

// RFC 4737, 3.3: a packet is reordered if it arrives after a packet that was sent later. Here packets are sent every 10
// ms. One in a hundred is held back for 25 ms, so that two packets overtake it.
TEST(Link, ReorderingHoldsBackItsShareOfThePacketsForItsTime) {
  constexpr int kPackets = 20000;
  constexpr double kRatio = 0.01;
  Link::Params params = At(kMbps);
  params.one_way_delay = TimeDelta::Millis(10);
  params.reordering = {kRatio, TimeDelta::Millis(25)};
  Link link = MakeLink(params);
  for (int i = 0; i < kPackets; ++i) ASSERT_EQ(Send(link, i, 125, 10000.0 * i), DropReason::kNone);
  const Results results = PollAt(link, 10000.0 * kPackets + 1e6);
  ASSERT_EQ(results.deliveries.size(), static_cast<std::size_t>(kPackets));
  int held = 0;
  for (int i = 0; i < kPackets; ++i) {
    const auto& d = results.deliveries[static_cast<std::size_t>(i)];
    EXPECT_EQ(d.packet.id, i);
    EXPECT_EQ((d.deliver - d.depart).ms(), 10);
    EXPECT_TRUE(d.held == TimeDelta::Zero() || d.held == TimeDelta::Millis(25));
    if (d.held > TimeDelta::Zero()) ++held;
  }
  // Four standard deviations of the binomial distribution: sqrt(n p (1 - p)) is 14.1.
  EXPECT_NEAR(held, kPackets * kRatio, 57);
}

TEST(Link, ReorderingEndsWhenItIsTakenBackAndLeavesCrossTrafficInOrder) {
  Link::Params params = At(kMbps);
  params.reordering = {1, TimeDelta::Millis(25)};
  Link link = MakeLink(params);
  Send(link, 0, 125, 0);
  link.Enqueue(1, DataSize::Bytes(125), -1, Timestamp::Millis(10));
  link.SetReordering({}, Timestamp::Millis(20));
  Send(link, 2, 125, 20000);
  const Results results = PollAt(link, 1e6);
  ASSERT_EQ(results.deliveries.size(), 3u);
  EXPECT_EQ(results.deliveries[0].held, TimeDelta::Millis(25));
  EXPECT_EQ(results.deliveries[1].held, TimeDelta::Zero());
  EXPECT_EQ(results.deliveries[2].held, TimeDelta::Zero());
}

TEST(Link, JitterActsBeforeTheQueueAndKeepsOrder) {
  Link::Params params = At(DataRate::KilobitsPerSec(100000));
  params.jitter = TimeDelta::Millis(5);
  Link link = MakeLink(params);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(Send(link, i, 125, 1000.0 * i), DropReason::kNone);
  const Results results = PollAt(link, 10e6);
  ASSERT_EQ(results.deliveries.size(), 1000u);
  double late = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    const auto& d = results.deliveries[i];
    ASSERT_EQ(d.packet.id, static_cast<double>(i));
    const double delay_us = (d.depart - d.packet.offered).us();
    ASSERT_GE(delay_us, 10 - 1e-6);
    ASSERT_LE(delay_us, 15000 + 10 * 1000);
    if (delay_us > 1000) ++late;
  }
  EXPECT_GT(late, 500);
}

// |N(0, 5 ms)| has a mean of 3.99 ms; packets that are 50 ms apart do not delay each other.
TEST(Link, JitterBehindTheQueueLeavesDeparturesAlone) {
  Link::Params params = At(DataRate::KilobitsPerSec(1000));
  params.jitter = TimeDelta::Millis(5);
  params.jitter_behind_queue = true;
  params.one_way_delay = TimeDelta::Millis(20);
  for (const double interval_us : {50e3, 1e3}) {
    Link link = MakeLink(params);
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(Send(link, i, 125, interval_us * i), DropReason::kNone);
    const Results results = PollAt(link, 1e9);
    ASSERT_EQ(results.deliveries.size(), 2000u);
    Timestamp last = Timestamp::MinusInfinity();
    double sum_ms = 0;
    for (std::size_t i = 0; i < 2000; ++i) {
      const auto& d = results.deliveries[i];
      ASSERT_EQ(d.packet.id, static_cast<double>(i));
      ASSERT_NEAR((d.depart - d.packet.offered).ms(), 1, 1e-6);
      ASSERT_GE(d.deliver, last);
      last = d.deliver;
      const double extra_ms = (d.deliver - d.depart).ms() - 20;
      ASSERT_GE(extra_ms, -1e-9);
      ASSERT_LE(extra_ms, 15 + 1e-9);
      sum_ms += extra_ms;
    }
    if (interval_us == 50e3) {
      EXPECT_NEAR(sum_ms / 2000, 3.99, 0.3);
    }
  }
}

TEST(Link, TimeDoesNotGoBack) {
  Link link = MakeLink(At(kMbps));
  Send(link, 0, 1250, 10000);
  Send(link, 1, 1250, 5000);  // time cannot go back: treated as sent at 10 ms
  EXPECT_EQ(PollAt(link, 1e6).departures_us(), (std::vector<double>{20000, 30000}));
}

// A queue of one packet. If it is full, it drops the waiting packet and accepts the new one, as disciplines that
// distinguish flows may do.
class DropWaiting final : public QueueDisc {
 public:
  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override {
    if (waiting_) drops.OnDrop(*waiting_, DropReason::kQueueFull, now);
    waiting_ = packet;
  }
  std::optional<Packet> Dequeue(Timestamp, DropSink&) override { return std::exchange(waiting_, std::nullopt); }
  void OnCapacity(DataRate) override {}
  const QueueStats& stats() const override { return stats_; }

 private:
  std::optional<Packet> waiting_;
  QueueStats stats_;
};

TEST(Link, TellsPacketsOfTwoFlowsApartThatHaveTheSameNumber) {
  Link link(At(kMbps), std::make_unique<DropWaiting>());
  const auto send = [&link](int flow) { return link.Enqueue(7, DataSize::Bytes(1250), flow, Timestamp()); };
  EXPECT_EQ(send(1), DropReason::kNone);  // this packet is being transmitted
  EXPECT_EQ(send(2), DropReason::kNone);  // waits
  EXPECT_EQ(send(3), DropReason::kNone);  // replaces the packet of flow 2
  const Results results = PollAt(link, 1e6);
  ASSERT_EQ(results.drops.size(), 1U);
  EXPECT_EQ(results.drops[0].packet.flow, 2);
  ASSERT_EQ(results.deliveries.size(), 2U);
  EXPECT_EQ(results.deliveries[1].packet.flow, 3);
}

}  // namespace
}  // namespace ccscope
