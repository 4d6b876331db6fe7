// Properties of any simulation: packets are conserved, counters agree with each other, neither capacity nor queue
// limits are exceeded, and times and packets are in order. The same scenario gives the same bytes.
#include "sim/simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/native/random_scenario.h"
#include "tests/native/simulation_support.h"

namespace ccscope {
namespace {

constexpr std::array<Direction, 2> kDirections = {Direction::kForward, Direction::kBackward};
constexpr DataSize kRtcpSize = DataSize::Bytes(96);
constexpr DataSize kLargestAck = DataSize::Bytes(52 + 4 + 8 * 3);
constexpr DataSize kSmallestAck = DataSize::Bytes(52);

const PathSpec& SpecOf(const SimulationSpec& spec, Direction d) {
  return d == Direction::kForward ? spec.forward : spec.backward;
}

double Total(const PathWindow& path) {
  double sum = 0;
  for (const double drops : path.drops) sum += drops;
  return sum;
}

DataSize LargestPacket(const SimulationSpec& spec) {
  DataSize largest = kRtcpSize;
  for (const MediaSpec& media : spec.media) largest = std::max(largest, media.source.payload() + media.source.header());
  for (const TcpSpec& tcp : spec.tcp) largest = std::max(largest, tcp.tcp.tcp.segment_size());
  return largest;
}

// For each flow, sent = received + lost + in flight. Media flows also have sender reports in flight, which do not count
// as sent. So `missing` may be smaller than the number of packets in flight.
void ExpectFlowsConserve(const Simulation& s) {
  for (int i = 0; i < s.flows(); ++i) {
    SCOPED_TRACE("flow " + std::to_string(i));
    const FlowMeter& meter = s.flow(i).meter();
    const double missing = meter.sent_packets() - meter.received_packets() - meter.lost_packets();
    const double under_way = s.flow(i).packets_under_way(Leg::kData);
    if (s.flow(i).kind() == FlowKind::kTcp) {
      ASSERT_EQ(missing, under_way);
    } else {
      ASSERT_GE(missing, 0);
      ASSERT_LE(missing, under_way);
    }
    const FlowWindow& run = meter.window(0);
    ASSERT_EQ(run.sent_packets, meter.sent_packets());
    ASSERT_EQ(run.received_packets, meter.received_packets());
    ASSERT_EQ(run.lost_packets, meter.lost_packets());
    ASSERT_EQ(run.queue_delay_us.count(), run.received_packets);
    ASSERT_GE((run.sent - run.received - run.lost).bytes(), missing);
    ASSERT_LE(run.goodput, run.received);
    for (int w = 1; w < s.windows(); ++w) {
      ASSERT_LE(meter.window(w).sent_packets, run.sent_packets);
      ASSERT_LE(meter.window(w).received, run.received);
    }
  }
}

// offered = delivered + lost + dropped + inside, and the metrics count the same.
void ExpectPathConserves(const Simulation& s, Direction d) {
  const PathWindow& run = s.path_window(0, d);
  ASSERT_EQ(run.queue_delay_us.count(), run.delivered_packets);
  const Link* link = s.path(d).link();
  if (link == nullptr) {
    ASSERT_EQ(Total(run), run.drops[static_cast<std::size_t>(DropReason::kRandomLoss)]);
    return;
  }
  const Link::Stats& stats = link->stats();
  ASSERT_EQ(stats.offered_packets,
            stats.delivered_packets + stats.lost_packets + stats.dropped_packets + link->packets_inside());
  ASSERT_EQ(run.delivered_packets, stats.delivered_packets);
  ASSERT_EQ(run.delivered, stats.delivered);
  ASSERT_EQ(run.drops[static_cast<std::size_t>(DropReason::kNone)], 0);
  ASSERT_EQ(run.drops[static_cast<std::size_t>(DropReason::kRandomLoss)], stats.lost_packets);
  // A drop inside the queue is reported when the path is next polled.
  ASSERT_LE(Total(run), stats.lost_packets + stats.dropped_packets);
}

// No more bytes leave than the capacity allows. A token bucket may add up to `burst` bytes that it has saved, and the
// bytes by which a packet exceeds `burst`.
void ExpectWithinCapacity(const Simulation& s, const SimulationSpec& spec, Direction d) {
  const Link* link = s.path(d).link();
  if (link == nullptr) return;
  const CapacityLink::Params& bottleneck = SpecOf(spec, d).link.bottleneck;
  DataSize most = s.OfferedCapacity(s.window(0), d);
  if (bottleneck.mode == CapacityLink::Mode::kTokenBucket) most += std::max(bottleneck.burst, LargestPacket(spec));
  ASSERT_LE(link->stats().departed.bytes(), most.bytes() * (1 + 1e-9) + 1e-3);
}

void ExpectConservation(const Simulation& s, const SimulationSpec& spec) {
  ExpectFlowsConserve(s);
  double held_by_flows = 0;
  double held_by_paths = 0;
  double delayed_flows = 0;
  for (int i = 0; i < s.flows(); ++i) {
    held_by_flows += s.flow(i).packets_under_way(Leg::kData) + s.flow(i).packets_under_way(Leg::kReturn);
    if (s.flow(i).params().extra_delay > TimeDelta::Zero()) ++delayed_flows;
  }
  for (const Direction d : kDirections) {
    SCOPED_TRACE(d == Direction::kForward ? "forward path" : "backward path");
    ExpectPathConserves(s, d);
    ExpectWithinCapacity(s, spec, d);
    held_by_paths += s.path(d).packets_inside();
    const Link* link = s.path(d).link();
    if (link != nullptr) {
      held_by_paths += link->stats().lost_packets + link->stats().dropped_packets - Total(s.path_window(0, d));
    }
  }
  ASSERT_GE(s.packets(), held_by_flows);
  // A packet that a flow counts as in flight is on a path, was dropped there without the drop having been reported yet,
  // or is in the extra delay of its flow after the path.
  if (delayed_flows == 0) {
    ASSERT_EQ(held_by_flows, held_by_paths);
  } else {
    ASSERT_GE(held_by_flows, held_by_paths);
  }
}

// What was received and lost on a path, summed over all flows that send their data over it.
struct Sum {
  double packets = 0;
  DataSize bytes;
  double lost = 0;
  bool tcp_returns = false;
  bool media_returns = false;
};
Sum OverFlows(const Simulation& s, Direction d) {
  Sum sum;
  for (int i = 0; i < s.flows(); ++i) {
    const Flow& flow = s.flow(i);
    const bool tcp = flow.kind() == FlowKind::kTcp;
    if (flow.params().direction == d) {
      sum.packets += flow.meter().received_packets();
      sum.bytes += flow.meter().window(0).received;
      sum.lost += flow.meter().lost_packets();
      if (!tcp) sum.media_returns = true;  // the path of the data also carries sender reports
    } else {
      (tcp ? sum.tcp_returns : sum.media_returns) = true;
    }
  }
  return sum;
}

// Once every packet has arrived or has been dropped, the counters agree to the byte.
void ExpectBalance(const Simulation& s) {
  for (int i = 0; i < s.flows(); ++i) {
    const FlowWindow& run = s.flow(i).meter().window(0);
    ASSERT_EQ(run.sent_packets, run.received_packets + run.lost_packets) << "flow " << i;
    ASSERT_EQ(run.sent.bytes(), (run.received + run.lost).bytes()) << "flow " << i;
  }
  for (const Direction d : kDirections) {
    SCOPED_TRACE(d == Direction::kForward ? "forward path" : "backward path");
    const PathWindow& run = s.path_window(0, d);
    const Sum flows = OverFlows(s, d);
    // All other packets are ACKs, feedback and sender reports, whose sizes are known.
    const double others = run.delivered_packets - flows.packets;
    const DataSize other_bytes = run.delivered - flows.bytes;
    ASSERT_GE(others, 0);
    ASSERT_GE(Total(run), flows.lost);
    ASSERT_LE(other_bytes, (flows.media_returns ? kRtcpSize : kLargestAck) * others);
    ASSERT_GE(other_bytes, (flows.tcp_returns ? kSmallestAck : kRtcpSize) * others);
    if (!flows.tcp_returns && !flows.media_returns) {
      ASSERT_EQ(others, 0);
      ASSERT_EQ(Total(run), flows.lost);
    }
    if (const Link* link = s.path(d).link()) {
      const Link::Stats& stats = link->stats();
      ASSERT_EQ(stats.offered.bytes(), (stats.delivered + stats.dropped).bytes());
      ASSERT_EQ(Total(run), stats.lost_packets + stats.dropped_packets);
    }
  }
}

// The largest number of packets that may wait in a FIFO. 0 if the discipline is not a FIFO, or has no such limit.
double PacketLimit(const QueueSpec& queue) {
  switch (queue.kind) {
    case QueueDiscKind::kDropTail:
      return queue.values[2];
    case QueueDiscKind::kCoDel:
      return queue.values[2];
    case QueueDiscKind::kPie:
      return queue.values[3];
    default:
      return 0;
  }
}

// In a FIFO of constant capacity, a packet waits for the packets that the limit admits and for the one that is being
// transmitted. With a token bucket, it may also wait until the debt of a larger earlier packet is repaid.
void ExpectQueueDelayWithinLimit(const Simulation& s, const SimulationSpec& spec) {
  for (const Direction d : kDirections) {
    const PathSpec& path = SpecOf(spec, d);
    if (!path.has_bottleneck || !path.steps.empty()) continue;
    if (path.queue.kind != QueueDiscKind::kDropTail && PacketLimit(path.queue) == 0) continue;
    const DataRate capacity = path.link.bottleneck.capacity;
    const DataSize largest = LargestPacket(spec);
    DataSize limit = DataSize::PlusInfinity();
    if (path.queue.kind == QueueDiscKind::kDropTail) {
      const auto& limits = path.queue.values;  // ms, bytes, packets
      if (limits[0] > 0) limit = std::min(limit, capacity * TimeDelta::Millis(limits[0]));
      if (limits[1] > 0) limit = std::min(limit, DataSize::Bytes(limits[1]));
    }
    if (const double packets = PacketLimit(path.queue); packets > 0) limit = std::min(limit, largest * packets);
    const TimeDelta most = (std::max(limit, largest) + largest * 2) / capacity;
    const Histogram& delays = s.path_window(0, d).queue_delay_us;
    if (delays.count() > 0) {
      ASSERT_LE(delays.max(), most.us() * (1 + 1e-9));
      ASSERT_GE(delays.min(), -1e-6);
    }
  }
}

template <class Row>
void ExpectTimesInOrder(Simulation& s, const char* table) {
  double last = 0;
  for (const Row& row : TraceRows<Row>(s)) {
    ASSERT_GE(row.time_us, last) << table;
    ASSERT_LE(row.time_us, s.now().us()) << table;
    last = row.time_us;
  }
}

// Packets of a flow arrive in the order in which they were sent, and no earlier than the path allows.
void ExpectOrder(Simulation& s) {
  struct Last {
    double seq = -1;
    double sent_us = 0;
    double arrival_us = 0;
  };
  std::vector<Last> last(static_cast<std::size_t>(s.flows()));
  std::vector<double> counted(last.size());
  for (const ArrivalRow& row : TraceRows<ArrivalRow>(s)) {
    const int index = static_cast<int>(row.flow);
    Last& before = last[static_cast<std::size_t>(index)];
    const FlowParams& flow = s.flow(index).params();
    ASSERT_GT(row.seq, before.seq);
    ASSERT_GE(row.send_time_us, before.sent_us);
    ASSERT_GE(row.arrival_time_us, before.arrival_us);
    const TimeDelta least = s.path(flow.direction).one_way_delay() + flow.extra_delay;
    ASSERT_GE(row.arrival_time_us, row.send_time_us + least.us() - 1e-3);
    ASSERT_GE(row.send_time_us, flow.start.us());
    before = {row.seq, row.send_time_us, row.arrival_time_us};
    ++counted[static_cast<std::size_t>(index)];
  }
  for (int i = 0; i < s.flows(); ++i) {
    if (s.flow(i).kind() != FlowKind::kMedia) continue;
    ASSERT_EQ(counted[static_cast<std::size_t>(i)], s.flow(i).meter().received_packets());
  }
  ExpectTimesInOrder<RateRow>(s, "rate");
  ExpectTimesInOrder<QueueRow>(s, "queue");
  ExpectTimesInOrder<ThroughputRow>(s, "throughput");
}

using Drops = std::array<double, kDropReasonCount>;

// Runs and checks the scenario of a seed, and adds the packets that it dropped to `drops`, by reason.
void RunAndCheck(std::uint64_t seed, Drops& drops) {
  RandomScenario draw(seed);
  const SimulationSpec spec = draw.Draw();
  auto s = Build(spec);
  double events = 0;
  for (double at = 0; at < kAllStoppedS; at += draw.Between(0.01, 2)) {
    ASSERT_EQ(s->RunUntil(AtSeconds(at)), Simulation::Status::kOk);
    ASSERT_EQ(s->now(), AtSeconds(at));
    ASSERT_GE(s->events(), events);
    events = s->events();
    ExpectConservation(*s, spec);
    if (testing::Test::HasFatalFailure()) return;
  }
  // All flows have stopped: a TCP flow sends nothing more, even if ACKs still arrive.
  std::vector<double> sent;
  for (int i = 0; i < s->flows(); ++i) sent.push_back(s->flow(i).meter().sent_packets());
  const auto under_way = [&s] {
    double sum = 0;
    for (int i = 0; i < s->flows(); ++i) {
      sum += s->flow(i).packets_under_way(Leg::kData) + s->flow(i).packets_under_way(Leg::kReturn);
    }
    return sum;
  };
  // A queue may hold 1000 packets of 9000 B. At 100 kbps they take 720 s to leave.
  double seconds = kAllStoppedS;
  do {
    ASSERT_LT(seconds, 4000) << "packets stay under way";
    ASSERT_EQ(s->RunUntil(AtSeconds(seconds)), Simulation::Status::kOk);
    seconds += 50;
  } while (under_way() > 0);
  ASSERT_EQ(s->packets(), 0);
  for (int i = 0; i < s->flows(); ++i) {
    if (s->flow(i).kind() == FlowKind::kTcp) {
      ASSERT_EQ(s->flow(i).meter().sent_packets(), sent[static_cast<std::size_t>(i)]) << i;
    }
  }
  ExpectConservation(*s, spec);
  ExpectBalance(*s);
  ExpectQueueDelayWithinLimit(*s, spec);
  ExpectOrder(*s);
  for (const Direction d : kDirections) {
    for (std::size_t i = 0; i < drops.size(); ++i) drops[i] += s->path_window(0, d).drops[i];
  }
}

TEST(Simulation, ConservesPacketsInAnyScenario) {
  Drops drops{};
  for (std::uint64_t seed = 1; seed <= 500 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RunAndCheck(seed, drops);
  }
  // The scenarios produce drops for every reason.
  for (std::size_t reason = 1; reason < drops.size(); ++reason) EXPECT_GT(drops[reason], 100) << reason;
}

struct Output {
  std::vector<double> metrics;
  std::vector<double> trace;
};

Output OutputOf(const SimulationSpec& spec, int steps) {
  auto s = Build(spec);
  for (int i = 1; i <= steps; ++i) s->RunUntil(Timestamp() + spec.params.duration * (static_cast<double>(i) / steps));
  return {Metrics(*s), Trace(*s)};
}

SimulationSpec ShortScenario(std::uint64_t seed) {
  SimulationSpec spec = RandomScenario(seed).Draw();
  spec.params.duration = TimeDelta::Seconds(6);
  return spec;
}

TEST(Simulation, TheSameSeedGivesTheSameBytesInOneGoAndInManySteps) {
  for (std::uint64_t seed = 300; seed < 320; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const SimulationSpec spec = ShortScenario(seed);
    const Output once = OutputOf(spec, 1);
    const Output again = OutputOf(spec, 1);
    const Output stepwise = OutputOf(spec, 1000);
    EXPECT_GT(once.trace.size(), 0U);
    EXPECT_TRUE(SameBytes(once.metrics, again.metrics));
    EXPECT_TRUE(SameBytes(once.trace, again.trace));
    EXPECT_TRUE(SameBytes(once.metrics, stepwise.metrics));
    EXPECT_TRUE(SameBytes(once.trace, stepwise.trace));
  }
}

TEST(Simulation, AnotherSeedGivesOtherBytes) {
  for (std::uint64_t seed = 300; seed < 310; ++seed) {
    SimulationSpec spec = ShortScenario(seed);
    const Output one = OutputOf(spec, 1);
    ++spec.params.seed;
    const Output other = OutputOf(spec, 1);
    EXPECT_FALSE(SameBytes(one.metrics, other.metrics)) << seed;
    EXPECT_FALSE(SameBytes(one.trace, other.trace)) << seed;
  }
}

// Recording a trace does not change the metrics.
TEST(Simulation, MetricsAreTheSameWithAndWithoutATrace) {
  for (std::uint64_t seed = 300; seed < 320; ++seed) {
    SimulationSpec spec = ShortScenario(seed);
    const Output traced = OutputOf(spec, 1);
    spec.tables = 0;
    const Output silent = OutputOf(spec, 1);
    EXPECT_TRUE(SameBytes(traced.metrics, silent.metrics)) << seed;
    EXPECT_TRUE(silent.trace.empty());
  }
}

// The order in which a scenario is built is part of the scenario, because it is the order in which seeds are drawn.
TEST(Simulation, TheOrderOfFlowsMattersAndWindowsDoNot) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(10);
  spec.media = {{}, {}};
  spec.media[1].flow.extra_delay = TimeDelta::Millis(30);
  auto first = Build(spec);
  first->RunUntil(AtSeconds(10));
  SimulationSpec swapped = spec;
  std::swap(swapped.media[0], swapped.media[1]);
  auto second = Build(swapped);
  second->RunUntil(AtSeconds(10));
  EXPECT_NE(first->flow(0).meter().window(0).received.bytes(), second->flow(1).meter().window(0).received.bytes());
  spec.windows = {{AtSeconds(1), AtSeconds(2)}};
  auto third = Build(spec);
  third->RunUntil(AtSeconds(10));
  EXPECT_EQ(first->flow(0).meter().window(0).received.bytes(), third->flow(0).meter().window(0).received.bytes());
}

TEST(Simulation, EndsAtItsDurationOrWithTheEventsItWasAllowed) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(10);
  spec.media = {{}};
  auto s = Build(spec);
  EXPECT_EQ(s->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kOk);
  EXPECT_EQ(s->now(), AtSeconds(10));
  const double events = s->events();
  EXPECT_EQ(s->RunUntil(AtSeconds(20)), Simulation::Status::kOk);
  EXPECT_EQ(s->now(), AtSeconds(10));
  EXPECT_EQ(s->events(), events);

  spec.params.max_events = std::floor(events / 2);
  s = Build(spec);
  EXPECT_EQ(s->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kTooManyEvents);
  EXPECT_GT(s->now(), AtSeconds(3));
  EXPECT_LT(s->now(), AtSeconds(7));
  // Calling RunUntil() again has no effect.
  EXPECT_EQ(s->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kTooManyEvents);
  ExpectConservation(*s, spec);
}

// The source sends 10 Mbps, i.e. 1008 packets of 1240 B a second, but its controller requests a hundredth of that. The
// pacer drains its queue within 2 s: while w packets wait, it sends w / 2 packets a second. So after t seconds, w is
// 2016 (1 - e^(-t / 2)). After 1.31 s, 970 packets wait in the pacer; the other 30 fill the bottleneck's queue of 300
// ms at 1 Mbps.
TEST(Simulation, EndsWhenTooManyPacketsWait) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(1000);
  spec.params.max_packets = 1000;
  spec.media = {{}};
  spec.media[0].source.min_bitrate_bps = spec.media[0].source.max_bitrate_bps = 10e6;
  spec.media[0].controller.max_bitrate_bps = 100e3;
  auto s = Build(spec);
  EXPECT_EQ(s->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kTooManyPackets);
  EXPECT_NEAR(s->now().seconds(), 1.31, 0.1);
  ExpectConservation(*s, spec);
}

TEST(Simulation, EndsWhenTooManyRowsWaitAndGoesOnOnceTheyAreTaken) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(60);
  spec.params.max_rows = 2000;
  spec.media = {{}};
  spec.tables = kAllTables;
  auto s = Build(spec);
  EXPECT_EQ(s->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kTooManyRows);
  EXPECT_GT(s->recorder().kept_rows(), 2000);
  EXPECT_LT(s->recorder().kept_rows(), 2100);
  double rows = 0;
  while (s->now() < AtSeconds(60)) {
    rows += s->recorder().kept_rows();
    s->recorder().Clear();
    s->RunUntil(Timestamp::PlusInfinity());
  }
  rows += s->recorder().kept_rows();
  // The number of rows is the same as with a single call of RunUntil().
  spec.params.max_rows = 1'000'000;
  s = Build(spec);
  EXPECT_EQ(s->RunUntil(Timestamp::PlusInfinity()), Simulation::Status::kOk);
  EXPECT_EQ(s->recorder().kept_rows(), rows);
}

}  // namespace
}  // namespace ccscope
