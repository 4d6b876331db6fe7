// Runs live calls in the simulator. A call is described by a link, a source, a machine and a controller. The results
// are the numbers that `ccscope call` reports.
#ifndef CCSCOPE_TESTS_NATIVE_LIVE_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_LIVE_SUPPORT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "abi/controllers.h"
#include "cc/lcc/parameters.h"
#include "cc/nada/parameters.h"
#include "sim/live/live_flow.h"
#include "tests/native/simulation_support.h"

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
  double utilisation = 0;      // of the first call, over the last two thirds of the run
  double queue_p50_ms = 0;
  double queue_p95_ms = 0;
  double drops = 0;            // at the queue, over the whole run
  double freezes = 0;
  double longest_freeze_s = 0;
  double start_s = 0;          // first time with a received rate (over 2 s) of 90 % of the capacity; else the duration
  // Longest time with the target below half of the capacity. Leaves out the first 15 s, 1 s after drops or a queue
  // above 100 ms, and 5 s after a rise of the capacity.
  double low_s = 0;
  double high = 0;             // highest target, divided by the capacity
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
  r.utilisation = flow.received / simulation->OfferedCapacity(simulation->window(1), Direction::kForward);
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
  double risen_at = -1e9;  // when the capacity last rose; the rate then has five seconds to follow
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
    if (q > 0 && capacity > queue[q - 1].capacity_bps) risen_at = now_s;
    const bool low = row.target_bps < capacity / 2 && now_s > 15 && now_s - last_bad > 1 && now_s - risen_at > 5;
    if (!low) low_since = -1;
    if (low && low_since < 0) low_since = now_s;
    if (low) r.low_s = std::max(r.low_s, now_s - low_since);
  }
  return r;
}

// The values of the preset gcc-live; SetGcc() changes one by name.
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

constexpr int kGcc = 0;
constexpr int kNada = 1;
constexpr int kLcc = 2;

// A preset's parameters as values, e.g. those of nada-live and lcc-live.
template <class Parameters>
ControllerValues ValuesOf(const Parameters& parameters) {
  ControllerValues values(sizeof(Parameters) / sizeof(double));
  std::memcpy(values.data(), &parameters, sizeof(Parameters));
  return values;
}
inline ControllerValues NadaLive() {
  using P = nada::Parameters;
#define PRESET(id, name, description) const auto id = [] { P p;
#define SET(parameter, value) p.parameter = value;
#define END_PRESET(id) return p; };
#include "cc/nada/presets.def"
  (void)nada_rfc8698, (void)nada_2015, (void)nada_chromium_2015;
  return ValuesOf(nada_live());
}
inline ControllerValues LccLive() {
  using P = lcc::Parameters;
#include "cc/lcc/presets.def"
#undef PRESET
#undef SET
#undef END_PRESET
  (void)lcc, (void)lcc_n300;
  return ValuesOf(lcc_live());
}

// The values of a preset for the machine (sim/live/presets.def).
inline live::Parameters Machine(const std::string& preset) {
  live::Parameters p;
  if (preset == "idle") return p;
#define PRESET(id, name, description) if (preset == name) {
#define SET(parameter, value) p.parameter = value;
#define END_PRESET(id) }
#include "sim/live/presets.def"
#undef PRESET
#undef SET
#undef END_PRESET
  return p;
}

// The synthetic camera of `ccscope call` (the preset `synthetic` in sim/media_source_presets.def).
inline MediaSource::Params SyntheticCamera(double max_bitrate_bps) {
  MediaSource::Params p;
#define PRESET(id, name, description) if (std::string(name) == "synthetic") {
#define SET(parameter, value) p.parameter = value;
#define END_PRESET(id) }
#include "sim/media_source_presets.def"
#undef PRESET
#undef SET
#undef END_PRESET
  p.max_bitrate_bps = max_bitrate_bps;
  return p;
}

// A camera whose video is encoded with VP8, as measured in real calls (media_source.md).
inline MediaSource::Params CameraSource(double max_bitrate_bps) {
  MediaSource::Params s;
  s.noise_sd = 0.17;
  s.noise_correlation = 0;
  s.recovery_ms = 600;
  s.encoder_lag_ms = 160;
  s.encoder_rise_lag_ms = 400;
  s.inverse_response_ms = 150;
  s.new_target_share = 1 / 1.2;
  s.key_frame_factor = 8;
  s.header_bytes = 0;
  s.max_bitrate_bps = max_bitrate_bps;
  return s;
}

// A maximum bitrate for the source, which is higher than the capacity of the link at any time.
inline double SourceRateOf(const LiveLink& link) {
  double highest = link.capacity_bps;
  for (const auto& step : link.steps) highest = std::max(highest, step.capacity.bps());
  return std::max(2.5e6, highest * 1.5);
}

inline ControllerValues ValuesFor(const LiveLink& link) {
  ControllerValues values = GccLive();
  SetGcc(values, "max_bitrate_bps", SourceRateOf(link));
  return values;
}

// The medians of the utilisation, queue_p95_ms, drops and start_s over `runs` seeds, with the synthetic camera. The
// other numbers are not set.
inline LiveResult MedianOf(const LiveLink& link, const std::string& machine, int runs, double duration_s) {
  std::vector<LiveResult> results;
  for (int seed = 1; seed <= runs; ++seed) {
    const auto seed64 = static_cast<std::uint64_t>(seed);
    results.push_back(RunLive(link, SyntheticCamera(SourceRateOf(link)), Machine(machine), kGcc, ValuesFor(link), seed64, duration_s));
  }
  const auto median = [&](double LiveResult::*number) {
    std::sort(results.begin(), results.end(), [number](const LiveResult& a, const LiveResult& b) { return a.*number < b.*number; });
    return results[results.size() / 2].*number;
  };
  LiveResult r;
  r.utilisation = median(&LiveResult::utilisation);
  r.queue_p95_ms = median(&LiveResult::queue_p95_ms);
  r.drops = median(&LiveResult::drops);
  r.start_s = median(&LiveResult::start_s);
  return r;
}

// Links of all kinds, drawn from a seed: 0.3 to 8 Mbps, and an RTT of 20 to 300 ms. 70 % have a drop-tail queue of 80
// to 800 ms, the others another discipline. There are also losses and jitter, and on 20 % of the links a step of the
// capacity down and up again.
inline std::vector<LiveLink> RandomLinks(std::uint64_t seed, int count) {
  Random random(seed);
  const auto between = [&](double low, double high) { return low * std::exp(random.Uniform() * std::log(high / low)); };
  std::vector<LiveLink> links;
  for (int i = 0; i < count; ++i) {
    LiveLink link;
    link.capacity_bps = between(300e3, 8e6);
    link.rtt_ms = between(20, 300);
    const double kind = random.Uniform();
    link.queue = kind < 0.7 ? DropTailOf(between(80, 800), 0, 0) : AllQueues()[1 + static_cast<std::size_t>(random.Uniform() * 4)];
    const double loss = random.Uniform();
    link.loss_ratio = loss < 0.12 ? 0.005 : loss < 0.24 ? 0.02 : loss < 0.3 ? 0.05 : 0;
    const double jitter = random.Uniform();
    link.jitter_ms = jitter < 0.12 ? 4 : jitter < 0.24 ? 10 : 0;
    if (random.Uniform() < 0.2) {
      const double fallen = link.capacity_bps * (0.3 + 0.4 * random.Uniform());
      link.steps = {{AtSeconds(16), DataRate::BitsPerSec(fallen)}, {AtSeconds(28), DataRate::BitsPerSec(link.capacity_bps)}};
    }
    char name[120];
    std::snprintf(name, sizeof name, "%.2f Mbps, RTT %.0f ms, queue %d (%.0f), loss %.3f, jitter %.0f ms%s", link.capacity_bps / 1e6,
                  link.rtt_ms, static_cast<int>(link.queue.kind), link.queue.values[0], link.loss_ratio, link.jitter_ms,
                  link.steps.empty() ? "" : ", steps");
    link.name = name;
    links.push_back(link);
  }
  return links;
}

// How much later frames arrive than on an ideal machine; in ms, in ascending order. The link is ideal: 1 Mbps, and an
// RTT of 50 ms.
inline std::vector<double> LatenessOfFrames(const live::Parameters& machine, const ControllerValues& values, double duration_s) {
  SimulationSpec spec;
  spec.params = {.duration = TimeDelta::Seconds(duration_s)};
  spec.forward.link = {.bottleneck = {.capacity = DataRate::KilobitsPerSec(1000)}, .one_way_delay = TimeDelta::Millis(25)};
  spec.backward.link.one_way_delay = TimeDelta::Millis(25);
  auto simulation = Build(spec);
  const ControllerSpec* law = FindController(kGcc);
  MediaFlow::Controller halves{law->make_receiver(values.data(), 0, simulation->recorder()),
                               law->make_sender(values.data(), 0, 1, simulation->recorder())};
  simulation->AddLiveFlow({}, CameraSource(400e3), machine, std::move(halves));
  simulation->SetTrace(std::uint32_t{1} << static_cast<int>(TraceTable::kArrival), TimeDelta::Millis(50));
  simulation->RunUntil(AtSeconds(duration_s));
  double free_us = 0;
  std::vector<double> late;
  for (const ArrivalRow& row : TraceRows<ArrivalRow>(*simulation)) {
    const double packets = std::max(1.0, std::ceil(row.size_bytes / machine.payload_bytes));
    free_us = std::max(free_us, row.send_time_us) + (row.size_bytes + packets * machine.header_bytes) * 8;
    late.push_back((row.arrival_time_us - free_us - 25e3) / 1e3);
  }
  std::sort(late.begin(), late.end());
  return late;
}

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_LIVE_SUPPORT_H_
