#include "sim/loaded_link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/native/allocations.h"
#include "tests/native/loaded_link_support.h"

namespace ccscope {
namespace {

constexpr DataRate kCapacity = DataRate::KilobitsPerSec(5000);
// The RTT is 50 ms, so that a queue of 50 ms holds the bandwidth-delay product.
constexpr TimeDelta kDelay = TimeDelta::Millis(25);

Link::Params Params(DataRate capacity = kCapacity) {
  return {.bottleneck = {.capacity = capacity}, .one_way_delay = kDelay};
}

std::unique_ptr<QueueDisc> Queue(double ms = 50) { return Make(DropTailOf(ms, 0, 0)); }

void Advance(LoadedLink& link, double s) {
  std::vector<Link::Delivery> deliveries;
  std::vector<Link::Drop> drops;
  link.Poll(AtSeconds(s), deliveries, drops);
  EXPECT_TRUE(deliveries.empty() && drops.empty());  // cross traffic is not reported
}

double CrossBits(LoadedLink& link) { return link.link().cross_stats().departed.bits(); }

class OneConnection : public testing::TestWithParam<LoadedLink::CrossTraffic> {};

// RFC 9438, section 5.1, and RFC 5681: a loss multiplies the window by beta. The pipe stays full if the buffer holds (1
// - beta) / beta of the bandwidth-delay product: 0.43 of it for CUBIC, all of it for NewReno.
TEST_P(OneConnection, FillsALinkWhoseQueueHoldsTheBandwidthDelayProduct) {
  LoadedLink link(Params(), Queue());
  link.SetCrossTraffic(GetParam(), Timestamp());
  Advance(link, 20);
  const double before = CrossBits(link);
  Advance(link, 120);
  const double utilisation = (CrossBits(link) - before) / (kCapacity.bps() * 100);
  EXPECT_GE(utilisation, 0.95);
  EXPECT_LE(utilisation, 1 + 1e-4);
  EXPECT_GT(link.link().cross_stats().dropped_packets, 5);
  EXPECT_EQ(link.link().stats().offered_packets, 0);
}

// Runs the same connection over the same path in the simulator. Each of the two connections begins at a random time
// within the first 100 ms.
TEST_P(OneConnection, SendsWhatItSendsInTheSimulator) {
  constexpr double kSeconds = 60;
  LoadedLink link(Params(), Queue());
  link.SetCrossTraffic(GetParam(), Timestamp());
  Advance(link, kSeconds);

  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(kSeconds);
  spec.forward.link = Params();
  spec.forward.queue = DropTailOf(50, 0, 0);
  spec.backward.link.one_way_delay = kDelay;
  spec.tcp.resize(1);
  spec.tcp[0].tcp.congestion_control = static_cast<tcp::CongestionControlKind>(GetParam().new_reno);
  const auto simulation = Build(spec);
  simulation->RunUntil(AtSeconds(kSeconds));
  const Link::Stats& simulated = simulation->path(Direction::kForward).link()->stats();
  const Link::Stats& cross = link.link().cross_stats();
  EXPECT_NEAR(cross.departed.bits(), simulated.departed.bits(), 0.1 * kCapacity.bps() + 12000);
  EXPECT_NEAR(cross.dropped_packets, simulated.dropped_packets, 0.05 * simulated.dropped_packets + 2);
}

INSTANTIATE_TEST_SUITE_P(LoadedLink, OneConnection,
                         testing::Values(LoadedLink::CrossTraffic{1, 0}, LoadedLink::CrossTraffic{0, 1}));

TEST(LoadedLink, TwoConnectionsShareAFifoAndAFairQueueEvenly) {
  for (const QueueSpec& spec : {DropTailOf(50, 0, 0), AllQueues()[4]}) {
    CountingQueue::Bytes bytes;
    LoadedLink link(Params(), std::make_unique<CountingQueue>(Make(spec), bytes));
    link.SetCrossTraffic({2, 0}, Timestamp());
    Advance(link, 300);
    ASSERT_EQ(bytes.size(), 2u);
    const double a = bytes.begin()->second;
    const double b = bytes.rbegin()->second;
    EXPECT_LT(bytes.rbegin()->first, 0);
    // Jain's index of two flows; rates in a ratio of about 1 to 1.6 have an index of 0.95.
    EXPECT_GE((a + b) * (a + b) / (2 * (a * a + b * b)), spec.kind == QueueDiscKind::kFqCoDel ? 0.999 : 0.95);
  }
}

// The caller's flow needs less than a third of the capacity, so FQ-CoDel serves all of it; the connections share the
// rest.
TEST(LoadedLink, AFairQueueKeepsTheCallersFlowApart) {
  LoadedLink link(Params(), Make(AllQueues()[4]));
  link.SetCrossTraffic({1, 1}, Timestamp());
  std::vector<Link::Delivery> deliveries;
  std::vector<Link::Drop> drops;
  for (int i = 0; i < 10'000; ++i) {  // 1 Mbps
    ASSERT_EQ(link.Enqueue(i, DataSize::Bytes(1250), 0, Timestamp::Millis(10 * i)), DropReason::kNone);
  }
  link.Poll(AtSeconds(101), deliveries, drops);
  EXPECT_EQ(deliveries.size(), 10'000u);
  EXPECT_TRUE(drops.empty());
  std::vector<double> waits;
  for (const auto& delivery : deliveries) waits.push_back(delivery.queue_delay.ms());
  std::sort(waits.begin(), waits.end());
  // At most three packets of 2.4 ms each go first: one of each TCP connection, and the one in transmission.
  EXPECT_LE(waits[9500], 3 * 2.4 + 0.1);
  EXPECT_NEAR(CrossBits(link) / 101, 4e6, 0.2e6);
}

// A connection over a link without delay gets an explicit RTT. It behaves like a connection over a link whose delay is
// half of that RTT.
TEST(LoadedLink, AConnectionHasTheRttThatItIsGiven) {
  LoadedLink given({.bottleneck = {.capacity = kCapacity}}, Queue());
  given.SetCrossRtt(kDelay * 2, Timestamp::MinusInfinity());
  LoadedLink usual(Params(), Queue());
  LoadedLink longer(Params(), Queue());
  longer.SetCrossRtt(kDelay * 20, Timestamp());
  double departed[3];
  int i = 0;
  for (LoadedLink* link : {&given, &usual, &longer}) {
    link->SetCrossTraffic({1, 0}, Timestamp());
    Advance(*link, 30);
    departed[i++] = link->link().cross_stats().departed_packets;
  }
  EXPECT_NEAR(departed[0], departed[1], 1);
  EXPECT_LT(departed[2], 0.9 * departed[1]);
  usual.SetCrossRtt(kDelay * 20, AtSeconds(30));
  const double before = CrossBits(usual);
  Advance(usual, 31);
  EXPECT_LT(CrossBits(usual) - before, 0.9 * kCapacity.bps());
}

TEST(LoadedLink, BeginsWithTheFirstTimeThatItIsGiven) {
  std::vector<double> bits;
  for (const double start : {0.0, 1e6}) {
    LoadedLink link(Params(), Queue());
    link.SetCrossTraffic({1, 0}, Timestamp::MinusInfinity());
    EXPECT_EQ(link.link().cross_stats().offered_packets, 0);
    Advance(link, start);
    EXPECT_EQ(link.link().cross_stats().offered_packets, 0);
    Advance(link, start + 10);
    bits.push_back(CrossBits(link));
  }
  EXPECT_GT(bits[0], 0.8 * kCapacity.bps() * 10);
  EXPECT_NEAR(bits[0], bits[1], 12000);
}

TEST(LoadedLink, ConnectionsEndAndBeginAnew) {
  CountingQueue::Bytes bytes;
  LoadedLink link(Params(), std::make_unique<CountingQueue>(Queue(), bytes));
  link.SetCrossTraffic({2, 1}, Timestamp());
  Advance(link, 20);
  EXPECT_EQ(bytes.size(), 3u);
  link.SetCrossTraffic({1, 1}, AtSeconds(20));
  const double offered = link.link().cross_stats().offered_packets;
  link.SetCrossTraffic({0, 0}, AtSeconds(20));
  Advance(link, 30);
  // The packets that waited leave, and no further packets are sent.
  EXPECT_EQ(link.link().cross_stats().offered_packets, offered);
  EXPECT_EQ(link.link().cross_stats().packets_inside(), 0);
  EXPECT_EQ(link.NextEvent(), Timestamp::PlusInfinity());
  link.SetCrossTraffic({1, 0}, AtSeconds(30));
  Advance(link, 40);
  EXPECT_EQ(bytes.size(), 4u);
  const auto [number, sent] = *bytes.begin();
  EXPECT_GT(sent, 0.8 * (kCapacity * TimeDelta::Seconds(10)).bytes());
  // Connections that stay are not disturbed.
  link.SetCrossTraffic({1, 3}, AtSeconds(40));
  Advance(link, 50);
  EXPECT_EQ(bytes.size(), 7u);
  EXPECT_GT(bytes[number], sent + 1e5);
  // The connections of one kind end while those of the other kind stay.
  link.SetCrossTraffic({0, 3}, AtSeconds(50));
  Advance(link, 51);
  const double all = bytes[number];
  Advance(link, 60);
  EXPECT_EQ(bytes[number], all);
  EXPECT_EQ(bytes.size(), 7u);
}

TEST(LoadedLink, OutagesStopCrossTrafficAndCaller) {
  Link::Params params = Params(DataRate::KilobitsPerSec(500));
  params.outages = {TimeDelta::Millis(100), TimeDelta::Millis(20), 1};
  LoadedLink link(params, Queue(400));
  link.SetCrossTraffic({2, 0}, Timestamp::MinusInfinity());
  // Cross traffic that was set at minus infinity begins at the first finite time that the link is given, however large.
  // Outages take 20 of 120 ms on average. In the other 100 ms the channel always carries data, since the queue never
  // runs empty. Over 2500 periods, the standard error is below 1 %.
  Advance(link, 1e5);
  Advance(link, 1e5 + 5);
  double before = CrossBits(link);
  Advance(link, 1e5 + 305);
  EXPECT_NEAR((CrossBits(link) - before) / (500e3 * 300), 100.0 / 120, 0.03);
  link.SetOutages({}, AtSeconds(1e5 + 305));
  Advance(link, 1e5 + 310);
  before = CrossBits(link);
  Advance(link, 1e5 + 410);
  EXPECT_NEAR((CrossBits(link) - before) / (500e3 * 100), 1, 0.02);
  link.SetOutages({TimeDelta::Millis(50), TimeDelta::Millis(50), 4}, AtSeconds(1e5 + 410));
  before = CrossBits(link);
  Advance(link, 1e5 + 610);
  EXPECT_NEAR((CrossBits(link) - before) / (500e3 * 200), 0.5, 0.05);
}

TEST(LoadedLink, AnOutageEndsWhenThereAreToBeNone) {
  Link::Params params = Params();
  params.outages = {TimeDelta::Millis(1), TimeDelta::Seconds(60), 1};
  LoadedLink link(params, Queue());
  Advance(link, 0);
  Advance(link, 1);  // by now an outage has begun, with a probability of 1 - e^-1000
  link.Enqueue(0, DataSize::Bytes(1250), 0, AtSeconds(1));
  Advance(link, 2);
  link.SetOutages({}, AtSeconds(2));
  std::vector<Link::Delivery> deliveries;
  std::vector<Link::Drop> drops;
  link.Poll(AtSeconds(3), deliveries, drops);
  ASSERT_EQ(deliveries.size(), 1u);
  // The transmission of the packet had not started, so its 10,000 bits are sent from now on, at 5 Mbps.
  EXPECT_EQ(deliveries[0].depart.us(), 2e6 + 2000);
}

TEST(LoadedLink, WithoutCrossTrafficIsALink) {
  for (const QueueSpec& spec : AllQueues()) {
    Link::Params params = Params(DataRate::KilobitsPerSec(1000));
    params.loss_ratio = 0.02;
    params.jitter = TimeDelta::Millis(4);
    Link plain(params, Make(spec));
    LoadedLink loaded(params, Make(spec));
    Outcome a;
    Outcome b;
    std::vector<Link::Delivery> deliveries[2];
    std::vector<Link::Drop> drops[2];
    Random random(8);
    double now_us = 0;
    for (int id = 0; id < 5000; ++id) {
      now_us += 11'000 * random.Uniform();
      const DataSize size = DataSize::Bytes(100 + 1300 * random.Uniform());
      const int flow = static_cast<int>(4 * random.Uniform());
      const Timestamp now = Timestamp::Micros(now_us);
      a.Add(id, now, plain.Enqueue(id, size, flow, now));
      b.Add(id, now, loaded.Enqueue(id, size, flow, now));
      if (id % 100 == 0) plain.SetCapacity(DataRate::KilobitsPerSec(id % 200 + 800), now);
      if (id % 100 == 0) loaded.At(now).SetCapacity(DataRate::KilobitsPerSec(id % 200 + 800), now);
      if (id % 3 != 0) continue;
      plain.Poll(now, deliveries[0], drops[0]);
      loaded.Poll(now, deliveries[1], drops[1]);
      ASSERT_EQ(plain.NextEvent(), loaded.NextEvent());
    }
    plain.Poll(AtSeconds(1000), deliveries[0], drops[0]);
    loaded.Poll(AtSeconds(1000), deliveries[1], drops[1]);
    for (int i : {0, 1}) {
      for (const auto& delivery : deliveries[i]) (i == 0 ? a : b).Add(delivery);
      for (const auto& drop : drops[i]) (i == 0 ? a : b).Add(drop.packet.id, drop.time, drop.reason);
    }
    EXPECT_EQ(a.deliveries, b.deliveries);
    EXPECT_EQ(a.drops, b.drops);
  }
}

// TCP reuses its records once they exist. A queue or a ring buffer may still grow to a new maximum.
TEST(LoadedLink, AllocatesNothingInTheSteadyState) {
  LoadedLink link(Params(), Queue());
  link.SetCrossTraffic({2, 1}, Timestamp());
  std::vector<Link::Delivery> deliveries;
  std::vector<Link::Drop> drops;
  deliveries.reserve(1000);
  drops.reserve(1000);
  long before = 0;
  for (int i = 0; i < 12'000; ++i) {
    if (i == 6000) before = Allocations();
    const Timestamp now = Timestamp::Millis(5 * i);
    link.Enqueue(i, DataSize::Bytes(1200), 1, now);
    deliveries.clear();
    drops.clear();
    link.Poll(now, deliveries, drops);
  }
  EXPECT_LE(Allocations() - before, 3);
  EXPECT_GT(before, 0);
  EXPECT_GT(link.link().cross_stats().departed_packets, 10'000);
}

}  // namespace
}  // namespace ccscope
