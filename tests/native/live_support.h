// Live calls in the simulator as data: a link, a source, a machine and a controller in, what `ccscope call`
// reports out.
#ifndef CCSCOPE_TESTS_NATIVE_LIVE_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_LIVE_SUPPORT_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/controllers.h"
#include "sim/live/live_flow.h"
#include "simulation_support.h"

namespace ccscope {

struct LiveLink {
  std::string name;
  double capacity_bps = 1e6;
  std::vector<Simulation::CapacityStep> steps = {};
  QueueSpec queue = DropTailOf(300, 0, 0);
  double rtt_ms = 50;
  double loss_ratio = 0;
  double jitter_ms = 0;
  double outage_on_ms = 0;
  double outage_off_ms = 0;
  int tcp_flows = 0;
  int calls = 1;
};

struct LiveResult {
  double utilisation = 0;      // of the first call, over the last two thirds
  double queue_p50_ms = 0;
  double queue_p95_ms = 0;
  double drops = 0;            // at the queue, over the whole run
  double freezes = 0;
  double longest_freeze_s = 0;
  double start_s = 0;          // to 90 % of the capacity over 2 s; the duration if never
  double low_s = 0;            // longest time of a target below half of the capacity, after the start, without loss or queue
  double high = 0;             // highest target over the capacity
  double fps = 0;
  double jain = 1;
};

using ControllerValues = std::vector<double>;

inline LiveResult RunLive(const LiveLink& link, const MediaSource::Params& source, const live::Parameters& machine,
                          int controller, const ControllerValues& values, std::uint64_t seed, double duration_s = 42) {
  SimulationSpec spec;
  spec.params = {.duration = TimeDelta::Seconds(duration_s), .seed = seed};
  spec.forward.link = {.bottleneck = {.capacity = DataRate::BitsPerSec(link.capacity_bps)},
                       .one_way_delay = TimeDelta::Millis(link.rtt_ms / 2),
                       .loss_ratio = link.loss_ratio,
                       .jitter = TimeDelta::Millis(link.jitter_ms)};
  if (link.outage_off_ms > 0) {
    spec.forward.link.outages = {.mean_on = TimeDelta::Millis(link.outage_on_ms), .mean_off = TimeDelta::Millis(link.outage_off_ms)};
  }
  spec.forward.queue = link.queue;
  spec.forward.steps = link.steps;
  spec.backward.link.one_way_delay = TimeDelta::Millis(link.rtt_ms / 2);
  spec.windows = {{AtSeconds(duration_s / 3), AtSeconds(duration_s)}};
  auto simulation = Build(spec);
  const ControllerSpec* law = FindController(controller);
  for (int i = 0; i < link.calls; ++i) {
    MediaFlow::Controller halves{law->make_receiver(values.data(), i, simulation->recorder()),
                                 law->make_sender(values.data(), i, simulation->ControllerSeed(i), simulation->recorder())};
    simulation->AddLiveFlow({}, source, machine, std::move(halves));
  }
  for (int i = 0; i < link.tcp_flows; ++i) simulation->AddTcpFlow({}, {});
  const auto bit = [](TraceTable table) { return std::uint32_t{1} << static_cast<int>(table); };
  simulation->SetTrace(bit(TraceTable::kRate) | bit(TraceTable::kQueue) | bit(TraceTable::kThroughput), TimeDelta::Millis(50));
  simulation->RunUntil(AtSeconds(duration_s));

  LiveResult r;
  const FlowWindow& flow = simulation->flow(0).meter().window(1);
  const FlowWindow& whole = simulation->flow(0).meter().window(0);
  const PathWindow& path = simulation->path_window(1, Direction::kForward);
  r.utilisation = flow.received / simulation->OfferedCapacity(1, Direction::kForward);
  r.queue_p50_ms = path.queue_delay_us.Percentile(50) / 1e3;
  r.queue_p95_ms = path.queue_delay_us.Percentile(95) / 1e3;
  const PathWindow& run = simulation->path_window(0, Direction::kForward);
  for (std::size_t reason = 0; reason < run.drops.size(); ++reason) {
    if (static_cast<DropReason>(reason) != DropReason::kRandomLoss) r.drops += run.drops[reason];
  }
  r.freezes = whole.freezes;
  r.longest_freeze_s = whole.longest_freeze.seconds();
  r.fps = flow.frames / (duration_s * 2 / 3);
  r.jain = simulation->fairness(1).jain;
  r.start_s = duration_s;
  const auto rates = TraceRows<RateRow>(*simulation);
  const auto queue = TraceRows<QueueRow>(*simulation);
  const auto through = TraceRows<ThroughputRow>(*simulation);
  std::vector<double> received;
  double last_bad = -1e9;
  double low_since = -1;
  std::size_t q = 0;
  std::size_t t = 0;
  for (const RateRow& row : rates) {
    if (row.flow != 0) continue;
    while (q + 1 < queue.size() && queue[q].time_us < row.time_us) ++q;
    while (t + 1 < through.size() && (through[t].time_us < row.time_us || through[t].flow != 0)) ++t;
    const double now_s = row.time_us / 1e6;
    const double capacity = queue[q].capacity_bps;
    received.push_back(through[t].received_bps);
    double sum = 0;
    for (std::size_t i = received.size() > 40 ? received.size() - 40 : 0; i < received.size(); ++i) sum += received[i] / 40;
    if (sum >= 0.9 * capacity) r.start_s = std::min(r.start_s, now_s);
    const bool grew_drops = q > 0 && queue[q].drops > queue[q - 1].drops;
    if (queue[q].queue_delay_us > 100e3 || grew_drops) last_bad = now_s;
    r.high = std::max(r.high, row.target_bps / std::max(1.0, capacity));
    const bool low = row.target_bps < capacity / 2 && now_s > 15 && now_s - last_bad > 1;
    if (!low) low_since = -1;
    if (low && low_since < 0) low_since = now_s;
    if (low) r.low_s = std::max(r.low_s, now_s - low_since);
  }
  return r;
}

// The values of a preset of GCC, with changes by name.
inline ControllerValues GccLive() {
  int live = 0;
  while (std::string(gcc::kPresets[live].name) != "gcc-live") ++live;
  const gcc::Parameters p = gcc::WithPreset(live);
  ControllerValues values;
  for (int i = 0; i < gcc::kParameterCount; ++i) values.push_back(gcc::Get(p, i));
  return values;
}

inline void SetGcc(ControllerValues& values, const std::string& name, double value) {
  for (int i = 0; i < gcc::kParameterCount; ++i) {
    if (name == gcc::kParameterSpecs[i].name) values[static_cast<std::size_t>(i)] = value;
  }
}

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_LIVE_SUPPORT_H_
