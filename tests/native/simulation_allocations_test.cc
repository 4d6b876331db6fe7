// In the steady state a simulation allocates nothing. Within the first seconds, the records of packets, the queues and
// the rings reach the size that they need; then they are reused.
#include <gtest/gtest.h>

#include "tests/native/allocations.h"
#include "tests/native/simulation_support.h"

namespace ccscope {
namespace {

SimulationSpec TokenBucket(DataRate capacity) {
  SimulationSpec spec;
  spec.params.duration = TimeDelta::Seconds(60);
  spec.forward.link.bottleneck = {.mode = CapacityLink::Mode::kTokenBucket, .capacity = capacity};
  spec.backward.link.one_way_delay = TimeDelta::Millis(25);
  return spec;
}

// The number of allocations between the two times.
long AllocationsBetween(const SimulationSpec& spec, double begin_s, double end_s) {
  const auto simulation = Build(spec);
  simulation->RunUntil(AtSeconds(begin_s));
  const double events = simulation->events();
  const long before = Allocations();
  simulation->RunUntil(AtSeconds(end_s));
  const long after = Allocations();
  EXPECT_GT(simulation->events(), events + 1000);
  return after - before;
}

TEST(SimulationAllocations, AGccFlowMakesNone) {
  SimulationSpec spec = TokenBucket(DataRate::KilobitsPerSec(1000));
  spec.media = {{}};
  EXPECT_EQ(AllocationsBetween(spec, 10, 20), 0);
  EXPECT_GT(AllocationsBetween(spec, 0, 10), 0);
}

TEST(SimulationAllocations, ACubicFlowMakesNone) {
  SimulationSpec spec = TokenBucket(DataRate::KilobitsPerSec(1000));
  spec.tcp = {{}};
  EXPECT_EQ(AllocationsBetween(spec, 10, 20), 0);
}

// When flows compete, a histogram or a ring may still grow to a new maximum. Its storage then at least doubles, so
// there are few allocations for thousands of packets.
TEST(SimulationAllocations, FlowsThatShareABottleneckMakeFew) {
  SimulationSpec spec = TokenBucket(DataRate::KilobitsPerSec(10000));
  spec.media.resize(3);
  spec.tcp.resize(3);
  spec.tcp[0].tcp.congestion_control = tcp::CongestionControlKind::kNewReno;
  EXPECT_LE(AllocationsBetween(spec, 30, 60), 10);
}

}  // namespace
}  // namespace ccscope
