// The native part of the simulator's benchmark: runs the simulations that
// scripts/bench/simulator.mjs also runs on the WebAssembly module.
//
//   simulate MEDIA_FLOWS TCP_FLOWS CAPACITY_BPS DURATION_S SEED
//
// prints CPU seconds and events.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <utility>

#include "cc/gcc/parameters.h"
#include "cc/gcc/live/live_rules.h"
#include "cc/gcc/sender.h"
#include "sim/queue_disc/drop_tail.h"
#include "sim/simulation.h"

namespace {

using namespace ccscope;  // NOLINT: nothing includes this file

struct Case {
  int media_flows;
  int tcp_flows;
  DataRate capacity;
  TimeDelta duration;
  std::uint64_t seed;
};

double Simulate(const Case& c) {
  Simulation simulation({.duration = c.duration, .seed = c.seed});
  Link::Params forward;
  forward.bottleneck = {.mode = CapacityLink::Mode::kTokenBucket, .capacity = c.capacity};
  forward.one_way_delay = TimeDelta::Millis(25);
  Link::Params backward;
  backward.one_way_delay = forward.one_way_delay;
  auto queue = std::make_unique<DropTail>(DropTail::Params::Time(TimeDelta::Millis(300)));
  static_cast<void>(simulation.NextSeed());  // the queue's seed, which DropTail does not use
  simulation.SetPath(Direction::kForward, forward, std::move(queue));
  simulation.SetPath(Direction::kBackward, backward, nullptr);
  const gcc::Parameters parameters = gcc::WithPreset(0);
  for (int flow = 0; flow < c.media_flows; ++flow) {
    simulation.AddMediaFlow({}, {}, {},
                            {gcc::MakeReceiver(parameters, flow, simulation.recorder()),
                             std::make_unique<gcc::Sender>(parameters, flow, simulation.recorder())});
  }
  for (int flow = 0; flow < c.tcp_flows; ++flow) simulation.AddTcpFlow({}, {});
  simulation.RunUntil(Timestamp() + c.duration);
  return simulation.events();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::clock_t before = std::clock();
  const double events = Simulate({std::atoi(argv[1]), std::atoi(argv[2]), DataRate::BitsPerSec(std::atof(argv[3])),
                                  TimeDelta::Seconds(std::atof(argv[4])), std::strtoull(argv[5], nullptr, 10)});
  std::printf("%.6f %.0f\n", static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, events);
  return 0;
}
