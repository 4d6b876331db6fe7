#include "sim/outages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "sim/link.h"
#include "sim/path.h"
#include "sim/queue_disc/drop_tail.h"
#include "tests/native/simulation_support.h"

namespace ccscope {
namespace {

constexpr Outages::Params kWifi{TimeDelta::Millis(100), TimeDelta::Millis(20), 1};

struct Periods {
  std::vector<double> on_ms;
  std::vector<double> off_ms;
};

// Observes the channel every 10 us, as packets sent at these times would.
Periods Observe(const Outages::Params& params, double seconds) {
  Outages outages(params, 7);
  Periods periods;
  double up_since = 0;
  for (double us = 0; us < seconds * 1e6; us += 10) {
    const double released = outages.Release(Timestamp::Micros(us)).us();
    if (released == us) continue;
    periods.on_ms.push_back((us - up_since) / 1e3);
    periods.off_ms.push_back((released - us) / 1e3);
    up_since = released;
    us = std::floor(released / 10) * 10;
  }
  return periods;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Largest distance between the empirical distribution and an exponential one (Kolmogorov, Smirnov).
double DistanceFromExponential(std::vector<double> values, double mean) {
  std::sort(values.begin(), values.end());
  const double n = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = 1 - std::exp(-values[i] / mean);
    distance = std::max({distance, std::fabs(expected - static_cast<double>(i) / n),
                         std::fabs(expected - static_cast<double>(i + 1) / n)});
  }
  return distance;
}

// 1000 s contain about 8333 periods of 120 ms. The mean of n exponential times has a standard error of mean / sqrt(n),
// here 1.1 %; the tolerance is four standard errors. The Kolmogorov-Smirnov distance at the 0.1 % level is 1.95 /
// sqrt(n). Observing every 10 us misses shorter outages, which are 0.05 % of all.
TEST(Outages, AreExponentiallyDistributedAsAreTheTimesBetween) {
  const Periods periods = Observe(kWifi, 1000);
  const double n = static_cast<double>(periods.off_ms.size());
  EXPECT_NEAR(n, 8333, 4 * std::sqrt(8333.0));
  EXPECT_NEAR(Mean(periods.on_ms), 100, 100 * 4 / std::sqrt(n));
  EXPECT_NEAR(Mean(periods.off_ms), 20, 20 * 4 / std::sqrt(n));
  EXPECT_LT(DistanceFromExponential(periods.on_ms, 100), 1.95 / std::sqrt(n));
  EXPECT_LT(DistanceFromExponential(periods.off_ms, 20), 1.95 / std::sqrt(n));
  // The test would detect a mean of 30 ms: exponential distributions with means of 20 and 30 ms differ by up to (2/3)^2
  // - (2/3)^3.
  EXPECT_NEAR(DistanceFromExponential(periods.off_ms, 30), 4.0 / 27, 0.02);
}

// The sum of k exponential times of mean M / k has mean M and standard deviation M / sqrt(k).
TEST(Outages, OfSeveralPhasesVaryLess) {
  const auto off = Observe({TimeDelta::Millis(100), TimeDelta::Millis(20), 16}, 600).off_ms;
  const double mean = Mean(off);
  double squares = 0;
  for (const double ms : off) squares += (ms - mean) * (ms - mean);
  const double n = static_cast<double>(off.size());
  EXPECT_NEAR(mean, 20, 4 * 5 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares / n), 5, 0.3);
}

Link WifiLink(std::uint64_t seed) {
  const Link::Params params{.bottleneck = {.capacity = DataRate::KilobitsPerSec(5000)},
                            .one_way_delay = TimeDelta::Millis(10),
                            .outages = kWifi,
                            .seed = seed};
  return Link(params, std::make_unique<DropTail>(DropTail::Params::Packets(50)));
}

// Sends 4 Mbps through a link of 5 Mbps and, once a second, a burst that does not fit into the queue.
std::vector<Link::Delivery> Deliver(Link& link, double* dropped, double poll_us) {
  std::vector<Link::Delivery> deliveries;
  std::vector<Link::Drop> drops;
  double id = 0;
  for (double us = 0; us < 20e6; us += 2000) {
    const int burst = std::fmod(us, 1e6) == 0 ? 80 : 1;
    for (int i = 0; i < burst; ++i) {
      if (link.Enqueue(id++, DataSize::Bytes(1000), 0, Timestamp::Micros(us)) != DropReason::kNone) ++*dropped;
    }
    if (std::fmod(us, poll_us) == 0) link.Poll(Timestamp::Micros(us), deliveries, drops);
  }
  link.Poll(Timestamp::Seconds(60), deliveries, drops);
  *dropped += static_cast<double>(drops.size());
  return deliveries;
}

// The channel carries 625 B per ms. A packet never departs during an outage, and right after an outage the waiting
// packets depart one packet time, 1.6 ms, apart.
TEST(OutagesOfALink, DeliverNothingWithinAnOutageAndABurstAtItsEnd) {
  Link link = WifiLink(3);
  double dropped = 0;
  const auto deliveries = Deliver(link, &dropped, 10e3);
  Outages outages(kWifi, 3);  // with the same seed, so the same outages
  double spared = 0;
  int bursts = 0;
  Timestamp up_since;
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const Link::Delivery& d = deliveries[i];
    while (outages.next() < d.depart) {
      if (outages.down()) up_since = outages.next();
      outages.Toggle();
    }
    ASSERT_FALSE(outages.down()) << i;
    ASSERT_EQ(d.deliver, d.depart + TimeDelta::Millis(10));
    if (i == 0) continue;
    const TimeDelta apart = d.depart - deliveries[i - 1].depart;
    ASSERT_GE(apart.us(), 1600 - 1e-6);
    if (deliveries[i - 1].depart < up_since) spared += apart.ms();
    if (deliveries[i - 1].depart >= up_since && apart.us() < 1600 + 1e-3) ++bursts;
  }
  // `spared` is the sum of those gaps between departures that contain an outage. Each such gap is the outage plus the
  // usual distance between packets. Outages take a sixth of 20 s.
  EXPECT_GT(spared, 20e3 / 6 * 0.7);
  EXPECT_LT(spared, 20e3 / 6 * 1.5);
  // At 4 Mbps an outage of 20 ms leaves 10 or more packets waiting, which depart back to back.
  EXPECT_GT(bursts, 2000);
}

// Nothing leaves a token bucket during an outage, although the bucket is full.
TEST(OutagesOfALink, EmptyNoTokenBucket) {
  const Link::Params params{.bottleneck = {.mode = CapacityLink::Mode::kTokenBucket, .capacity = DataRate::KilobitsPerSec(5000)},
                            .outages = kWifi,
                            .seed = 8};
  Link link(params, std::make_unique<DropTail>(DropTail::Params::Packets(50)));
  double dropped = 0;
  const auto deliveries = Deliver(link, &dropped, 10e3);
  ASSERT_GT(deliveries.size(), 5000u);
  Outages outages(kWifi, 8);
  for (const Link::Delivery& d : deliveries) {
    while (outages.next() <= d.depart) outages.Toggle();  // right after an outage, packets may depart
    ASSERT_FALSE(outages.down());
  }
}

// Without a bottleneck there is no buffer in front of the channel. All packets that are sent during an outage arrive at
// the end of the outage, all at once.
TEST(OutagesOfAPath, WithoutABottleneckHoldPacketsBack) {
  Path path(Link::Params{.one_way_delay = TimeDelta::Millis(10), .outages = kWifi, .seed = 9});
  Outages outages(kWifi, 9);
  int late = 0;
  for (double us = 0; us < 10e6; us += 1000) {
    const Timestamp now = Timestamp::Micros(us);
    ASSERT_EQ(path.Send(us, DataSize::Bytes(100), 0, now), DropReason::kNone);
    const Timestamp expected = outages.Release(now) + TimeDelta::Millis(10);
    path.AdvanceTo(expected);
    const Link::Delivery* last = nullptr;
    while (const Link::Delivery* next = path.NextDelivery()) {
      last = next;
      ASSERT_EQ(next->packet.id, us);
      ASSERT_EQ(next->deliver, expected);
      path.PopDelivery();
    }
    ASSERT_NE(last, nullptr);
    late += expected > now + TimeDelta::Millis(10);
  }
  EXPECT_GT(late, 10000 / 6 * 0.6);  // on average a sixth of the time; about 83 outages
  EXPECT_LT(late, 10000 / 6 * 1.4);
}

TEST(OutagesOfALink, NeitherLoseNorReorderPackets) {
  Link link = WifiLink(4);
  double dropped = 0;
  const auto deliveries = Deliver(link, &dropped, 10e3);
  EXPECT_GT(dropped, 0);
  EXPECT_EQ(link.stats().offered_packets, static_cast<double>(deliveries.size()) + dropped);
  EXPECT_EQ(link.packets_inside(), 0);
  for (std::size_t i = 1; i < deliveries.size(); ++i) {
    ASSERT_GT(deliveries[i].packet.id, deliveries[i - 1].packet.id);
    ASSERT_GE(deliveries[i].deliver, deliveries[i - 1].deliver);
  }
}

TEST(OutagesOfALink, DoNotDependOnHowOftenItIsPolled) {
  Link often = WifiLink(5);
  Link seldom = WifiLink(5);
  Link other = WifiLink(6);
  double dropped[3] = {};
  const auto a = Deliver(often, &dropped[0], 2e3);
  const auto b = Deliver(seldom, &dropped[1], 1e6);
  const auto c = Deliver(other, &dropped[2], 2e3);
  ASSERT_EQ(a.size(), b.size());
  bool differs = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].deliver, b[i].deliver);
    differs |= i < c.size() && a[i].deliver != c[i].deliver;
  }
  EXPECT_TRUE(differs);  // a different seed gives different outages
}

// Outages are on the forward path, which has a bottleneck, and on the backward path, which has none. Every data packet
// that a flow sends is received, lost or in flight.
TEST(OutagesOfASimulation, ConserveTheDataPacketsOfEveryFlow) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(60);
  spec.params.seed = 11;
  spec.forward.link.outages = kWifi;
  spec.backward.link.outages = kWifi;
  spec.backward.link.one_way_delay = TimeDelta::Millis(25);
  spec.media.resize(2);
  for (MediaSpec& media : spec.media) media.controller = gcc::WithPreset(0);
  spec.tcp.resize(1);
  const auto simulation = Build(spec);
  ASSERT_EQ(simulation->RunUntil(AtSeconds(60)), Simulation::Status::kOk);
  for (int i = 0; i < simulation->flows(); ++i) {
    const FlowMeter& meter = simulation->flow(i).meter();
    EXPECT_GT(meter.received_packets(), 1000);
    EXPECT_GE(meter.sent_packets(), meter.received_packets() + meter.lost_packets());
    EXPECT_LE(meter.sent_packets(), meter.received_packets() + meter.lost_packets() +
                                        simulation->flow(i).packets_under_way(Leg::kData));
  }
}

}  // namespace
}  // namespace ccscope
