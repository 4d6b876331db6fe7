// The ABI's functions for a simulation (wasm/sim/simulation.h). The windows are created first, then the paths, then the
// flows. The first ccs_sim_run_until() ends this set-up. After that, paths and controllers may be changed between two
// calls of ccs_sim_run_until(). Lists are read from the input buffer. Directions: 0 forward, 1 backward.
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "abi/controllers.h"
#include "abi/export.h"
#include "abi/link_input.h"
#include "sim/simulation.h"

namespace ccscope {
namespace {

constexpr double kMaxDurationUs = 1e12;  // eleven days
constexpr int kMaxFlows = 10000;
constexpr int kMaxWindows = 64;
// This limit bounds the memory, since each flow has five distributions for each window.
constexpr int kMaxFlowsTimesWindows = 10000;
constexpr double kMaxPacketsPerFrame = 10000;
constexpr int kMaxPauses = 1000;  // every frame is checked against all pauses

struct SimulationHandle {
  explicit SimulationHandle(const Simulation::Params& params) : simulation(params) {}

  Simulation simulation;
  // Settings of the path in each direction, which apply when the path is created.
  Outages::Params outages[2];
  double burst_loss_packets[2] = {1, 1};
  bool jitter_behind_queue[2] = {false, false};
  Reordering::Params reordering[2];
  Timestamp last_scheduled[2] = {Timestamp::MinusInfinity(), Timestamp::MinusInfinity()};
  std::vector<const ControllerSpec*> controllers;  // of each flow; null if it has no controller
  std::uint64_t queue_seed[2] = {0, 0};
  bool running = false;
  std::vector<double> metrics;
};

SimulationHandle& Of(void* handle) { return *static_cast<SimulationHandle*>(handle); }

int CheckSetup(const SimulationHandle& h) {
  return h.running ? Fail("simulation", "it runs already; expected all setup before its first run") : 0;
}

int CheckDirection(int direction) {
  return direction == 0 || direction == 1 ? 0 : Fail("direction", "expected forward or backward");
}

int CheckBottleneck(const SimulationHandle& h, int direction) {
  if (CheckDirection(direction) != 0) return 1;
  if (h.simulation.path(static_cast<Direction>(direction)).has_bottleneck()) return 0;
  return Fail("capacityBps", "expected a path that has a capacity from the start");
}

template <class Set>
int ChangePath(SimulationHandle& h, int direction, Set set) {
  const auto way = static_cast<Direction>(direction);
  set(h.simulation.ChangePath(way), h.simulation.now());
  h.simulation.ChangedPath(way);
  return 0;
}

template <class Set>
int ChangeLink(SimulationHandle& h, int direction, Set set) {
  return ChangePath(h, direction, [&](Path& path, Timestamp now) { set(*path.link(), now); });
}

// The fields that every flow has. If `stop_us` is NaN, the flow runs to the end of the simulation.
struct FlowInput {
  int direction;
  double start_us;
  double stop_us;
  double extra_delay_us;
};

bool ReadFlow(const SimulationHandle& h, const FlowInput& input, FlowParams& params) {
  if (CheckSetup(h) != 0 || CheckDirection(input.direction) != 0) return false;
  if (h.simulation.flows() >= kMaxFlows) return Fail("flows", "expected at most 10000"), false;
  if ((h.simulation.flows() + 1) * h.simulation.windows() > kMaxFlowsTimesWindows) {
    return Fail("windows", "expected at most 10000 flows times windows, the run included"), false;
  }
  if (!Within(input.start_us, 0, kMaxDurationUs)) return Fail("startUs", "expected 0 to 1e12 us"), false;
  if (!std::isnan(input.stop_us) && !Within(input.stop_us, input.start_us, kMaxDurationUs)) {
    return Fail("stopUs", "expected startUs to 1e12 us"), false;
  }
  if (!Within(input.extra_delay_us, 0, 60e6)) return Fail("extraDelayUs", "expected 0 to 6e7 us (one minute)"), false;
  params.direction = static_cast<Direction>(input.direction);
  params.start = Timestamp::Micros(input.start_us);
  params.stop = std::isnan(input.stop_us) ? Timestamp::PlusInfinity() : Timestamp::Micros(input.stop_us);
  params.extra_delay = TimeDelta::Micros(input.extra_delay_us);
  return true;
}

// Refuses a source whose key frames would need too many packets at its highest rate.
bool CheckFrames(const MediaSource::Params& source) {
  const DataSize largest = std::max(source.min_rate(), source.max_rate()) * source.frame_interval() * source.key_frame_factor;
  if (largest / (source.payload() + source.header()) <= kMaxPacketsPerFrame) return true;
  return FailIn("source", "payload_bytes", "expected frames of at most 10000 packets at the highest bitrate"), false;
}

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

void Write(const Histogram& h, std::vector<double>& out) {
#define CCSCOPE_DISTRIBUTION(name, value) out.push_back(value);
#include "abi/simulation_rows.def"
}

void WriteWindow(const Simulation& s, int window, std::vector<double>& out) {
  const Window& w = s.window(window);
  const Simulation::Fairness fairness = s.fairness(window);
#define CCSCOPE_SIM_WINDOW(name, value) out.push_back(value);
#include "abi/simulation_rows.def"
}

void WritePath(const Simulation& s, int window, Direction direction, std::vector<double>& out) {
  const PathWindow& p = s.path_window(window, direction);
  const TimeDelta elapsed = s.Elapsed(window);
  const bool bottleneck = s.path(direction).has_bottleneck();
  const DataSize offered = s.OfferedCapacity(s.window(window), direction);
  const double capacity_bps = bottleneck && elapsed > TimeDelta::Zero() ? (offered / elapsed).bps() : kNothing;
  const double utilisation = bottleneck && offered > DataSize::Zero() ? p.delivered / offered : kNothing;
#define CCSCOPE_SIM_PATH(name, value) out.push_back(value);
#define CCSCOPE_SIM_PATH_DISTRIBUTION(name, value) Write(value, out);
#include "abi/simulation_rows.def"
  for (const double drops : p.drops) out.push_back(drops);
}

void WriteFlow(const Simulation& s, int window, int index, std::vector<double>& out) {
  const Flow& flow = s.flow(index);
  const FlowWindow& f = flow.meter().window(window);
  // Rates are averaged over the part of the window in which the flow existed.
  const Timestamp begin = std::max(s.window(window).begin, flow.params().start);
  const Timestamp end = std::min({s.window(window).end, flow.params().stop, s.now()});
  const TimeDelta active = std::max(end - begin, TimeDelta::Zero());
  const auto bps = [active](DataSize size) { return active > TimeDelta::Zero() ? (size / active).bps() : 0.0; };
  const TimeDelta convergence = s.convergence(index);
#define CCSCOPE_SIM_FLOW(name, value) out.push_back(value);
#define CCSCOPE_SIM_FLOW_DISTRIBUTION(name, value) Write(value, out);
#include "abi/simulation_rows.def"
}

}  // namespace
}  // namespace ccscope

using namespace ccscope;  // NOLINT: the functions below are the ABI and nothing includes this file

CCSCOPE_FN(void*, ccs_sim_create)(double duration_us, double rate_interval_us, double seed, double max_events) {
  if (!Within(duration_us, 1, kMaxDurationUs)) return Fail("durationUs", "expected 1 to 1e12 us"), nullptr;
  if (!Within(rate_interval_us, 1e3, kMaxDurationUs)) return Fail("rateIntervalUs", "expected 1e3 to 1e12 us"), nullptr;
  if (!Within(max_events, 1, kMaxInteger)) return Fail("maxEvents", "expected 1 to 2^53 - 1"), nullptr;
  if (CheckSeed(seed) != 0) return nullptr;
  return new SimulationHandle({TimeDelta::Micros(duration_us), TimeDelta::Micros(rate_interval_us),
                               static_cast<std::uint64_t>(seed), max_events});
}

CCSCOPE_FN(void, ccs_sim_destroy)(void* handle) { delete static_cast<SimulationHandle*>(handle); }

CCSCOPE_FN(int, ccs_sim_set_outages)
(void* handle, int direction, double mean_on_us, double mean_off_us, int off_phases) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0 || CheckDirection(direction) != 0) return 1;
  return ReadOutages(mean_on_us, mean_off_us, off_phases, h.outages[direction]) ? 0 : 1;
}

CCSCOPE_FN(int, ccs_sim_set_burst_loss)(void* handle, int direction, double packets) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0 || CheckDirection(direction) != 0 || CheckBurstLoss(packets) != 0) return 1;
  h.burst_loss_packets[direction] = packets;
  return 0;
}

CCSCOPE_FN(int, ccs_sim_set_jitter_behind_queue)(void* handle, int direction, int behind) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0 || CheckDirection(direction) != 0) return 1;
  h.jitter_behind_queue[direction] = behind != 0;
  return 0;
}

CCSCOPE_FN(int, ccs_sim_set_reordering)(void* handle, int direction, double ratio, double delay_us) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0 || CheckDirection(direction) != 0) return 1;
  return ReadReordering(ratio, delay_us, h.reordering[direction]) ? 0 : 1;
}

CCSCOPE_FN(int, ccs_sim_set_bottleneck)
(void* handle, int direction, double capacity_bps, int queue_kind, int queue_values, int mode, double burst_bytes,
 double one_way_delay_us, double loss_ratio, double jitter_us) {
  SimulationHandle& h = Of(handle);
  Link::Params params;
  if (CheckSetup(h) != 0 || CheckDirection(direction) != 0) return 1;
  if (!ReadLink({capacity_bps, mode, burst_bytes, one_way_delay_us, loss_ratio, jitter_us}, params)) return 1;
  params.outages = h.outages[direction];
  params.reordering = h.reordering[direction];
  params.burst_loss_packets = h.burst_loss_packets[direction];
  params.jitter_behind_queue = h.jitter_behind_queue[direction];
  const std::uint64_t seed = h.queue_seed[direction] = h.simulation.NextSeed();
  auto queue = MakeQueue(queue_kind, queue_values, seed);
  if (queue == nullptr) return 1;
  h.simulation.SetPath(static_cast<Direction>(direction), params, std::move(queue));
  return 0;
}

CCSCOPE_FN(int, ccs_sim_set_delay)
(void* handle, int direction, double one_way_delay_us, double loss_ratio, double jitter_us) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0 || CheckDirection(direction) != 0 || CheckDelay(one_way_delay_us) != 0 ||
      CheckLoss(loss_ratio) != 0 || CheckJitter(jitter_us) != 0) {
    return 1;
  }
  Link::Params params;
  params.one_way_delay = TimeDelta::Micros(one_way_delay_us);
  params.loss_ratio = loss_ratio;
  params.jitter = TimeDelta::Micros(jitter_us);
  params.outages = h.outages[direction];
  params.reordering = h.reordering[direction];
  params.burst_loss_packets = h.burst_loss_packets[direction];
  h.simulation.SetPath(static_cast<Direction>(direction), params, nullptr);
  return 0;
}

CCSCOPE_FN(int, ccs_sim_schedule_capacity)(void* handle, int direction, double at_us, double capacity_bps) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0 || CheckBottleneck(h, direction) != 0 || CheckCapacityOrOutage(capacity_bps) != 0) return 1;
  const Timestamp at = Timestamp::Micros(at_us);
  Timestamp& last = h.last_scheduled[direction];
  if (!Within(at_us, 0, kMaxDurationUs) || at < last) {
    return Fail("atUs", "expected 0 to 1e12 us, not before the previous step");
  }
  h.simulation.ScheduleCapacity(static_cast<Direction>(direction), last = at, DataRate::BitsPerSec(capacity_bps));
  return 0;
}

CCSCOPE_FN(int, ccs_sim_add_window)(void* handle, double begin_us, double end_us) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0) return 1;
  if (!Within(begin_us, 0, kMaxDurationUs)) return Fail("beginUs", "expected 0 to 1e12 us");
  if (!(end_us > begin_us && end_us <= kMaxDurationUs)) return Fail("endUs", "expected a time after beginUs, at most 1e12 us");
  if (h.simulation.windows() > kMaxWindows) return Fail("windows", "expected at most 64");
  if (h.simulation.flows() > 0) return Fail("windows", "expected them before the flows");
  h.simulation.AddWindow({Timestamp::Micros(begin_us), Timestamp::Micros(end_us)});
  return 0;
}

CCSCOPE_FN(int, ccs_sim_add_media_flow)
(void* handle, int direction, double start_us, double stop_us, double extra_delay_us, int controller, int live,
 int pauses) {
  SimulationHandle& h = Of(handle);
  FlowParams params;
  if (!ReadFlow(h, {direction, start_us, stop_us, extra_delay_us}, params)) return 1;
  const ControllerSpec* spec = FindController(controller);
  if (spec == nullptr) return 1;
  if (pauses < 0 || pauses > kMaxPauses) return Fail("pauses", "expected at most 1000");
  if (live != 0 && pauses > 0) return Fail("pauses", "expected none in a live call");
  const int live_count = live != 0 ? live::kParameterCount : 0;
  const double* in = Input(kMediaSourceParameterCount + live_count + spec->parameter_count + 2 * pauses);
  if (in == nullptr) return Fail("parameters", "expected them in the input buffer");
  if (const auto error = CheckValues(kMediaSourceParameterSpecs, kMediaSourceParameterCount, in, kMediaSourceParameterCount)) {
    return FailIn("source", error.field, error.expectation);
  }
  const auto source = ParamsFromValues<MediaSource::Params>(in);
  if (!CheckFrames(source)) return 1;
  in += kMediaSourceParameterCount;
  if (const auto error = CheckValues(live::kParameterSpecs, live_count, in, live_count)) {
    return FailIn("live", error.field, error.expectation);
  }
  const double* live_values = in;
  in += live_count;
  std::vector<double> values;
  if (!ReadParameters(*spec, in, values)) return 1;
  in += spec->parameter_count;
  std::vector<Window> spans;
  for (int i = 0; i < pauses; ++i) {
    const double* pause = in + 2 * i;
    if (!(pause[0] >= 0 && pause[1] > pause[0])) return Fail("pauses", "expected each to end after it begins");
    spans.push_back({Timestamp::Micros(pause[0]), Timestamp::Micros(pause[1])});
  }
  const int flow = h.simulation.flows();
  Recorder& recorder = h.simulation.recorder();
  MediaFlow::Controller halves{spec->make_receiver(values.data(), flow, recorder),
                               spec->make_sender(values.data(), flow, h.simulation.ControllerSeed(flow), recorder)};
  if (live == 0) {
    h.simulation.AddMediaFlow(params, source, std::move(spans), std::move(halves));
  } else {
    h.simulation.AddLiveFlow(params, source, ParamsFromValues<live::Parameters>(live_values), std::move(halves));
  }
  h.controllers.push_back(spec);
  return 0;
}

CCSCOPE_FN(int, ccs_sim_add_tcp_flow)
(void* handle, int direction, double start_us, double stop_us, double extra_delay_us, int congestion_control,
 int short_files) {
  SimulationHandle& h = Of(handle);
  FlowParams params;
  if (!ReadFlow(h, {direction, start_us, stop_us, extra_delay_us}, params)) return 1;
  if (congestion_control != 0 && congestion_control != 1) return Fail("congestionControl", "expected cubic or new_reno");
  const double* in = Input(tcp::kParameterCount + (short_files != 0 ? 3 : 0));
  if (in == nullptr) return Fail("parameters", "expected them in the input buffer");
  if (const auto error = CheckValues(tcp::kParameterSpecs, tcp::kParameterCount, in, tcp::kParameterCount)) {
    return FailIn("parameters", error.field, error.expectation);
  }
  TcpFlow::Params tcp;
  tcp.tcp = ParamsFromValues<tcp::Parameters>(in);
  tcp.congestion_control = static_cast<tcp::CongestionControlKind>(congestion_control);
  if (short_files != 0) {
    const double* files = in + tcp::kParameterCount;
    if (!Within(files[0], 1, 1e12)) return FailIn("short", "minBytes", "expected 1 to 1e12 bytes");
    if (!Within(files[1], files[0], 1e12)) return FailIn("short", "maxBytes", "expected minBytes to 1e12 bytes");
    if (!Within(files[2], 0, 1e12)) return FailIn("short", "idleMeanUs", "expected 0 to 1e12 us");
    tcp.files = TcpFlow::ShortFiles{DataSize::Bytes(files[0]), DataSize::Bytes(files[1]), TimeDelta::Micros(files[2])};
  }
  h.simulation.AddTcpFlow(params, tcp);
  h.controllers.push_back(nullptr);
  return 0;
}

CCSCOPE_FN(int, ccs_sim_trace)(void* handle, int tables, double interval_us) {
  SimulationHandle& h = Of(handle);
  if (CheckSetup(h) != 0) return 1;
  if (!Within(interval_us, 1e3, kMaxDurationUs)) return Fail("trace.intervalUs", "expected 1e3 to 1e12 us");
  h.simulation.SetTrace(static_cast<std::uint32_t>(tables), TimeDelta::Micros(interval_us));
  return 0;
}

CCSCOPE_FN(int, ccs_sim_change_delay)(void* handle, int direction, double one_way_delay_us) {
  if (CheckDirection(direction) != 0 || CheckDelay(one_way_delay_us) != 0) return 1;
  const auto set = [&](Path& path, Timestamp now) { path.SetOneWayDelay(TimeDelta::Micros(one_way_delay_us), now); };
  return ChangePath(Of(handle), direction, set);
}

CCSCOPE_FN(int, ccs_sim_change_queue)(void* handle, int direction, int queue_kind, int queue_values) {
  SimulationHandle& h = Of(handle);
  if (CheckBottleneck(h, direction) != 0) return 1;
  auto queue = MakeQueue(queue_kind, queue_values, h.queue_seed[direction]);
  if (queue == nullptr) return 1;
  return ChangeLink(h, direction, [&](Link& link, Timestamp now) { link.SetQueue(std::move(queue), now); });
}

CCSCOPE_FN(int, ccs_sim_change_mode)(void* handle, int direction, int mode) {
  SimulationHandle& h = Of(handle);
  if (CheckBottleneck(h, direction) != 0 || CheckMode(mode) != 0) return 1;
  const auto set = [&](Link& link, Timestamp now) { link.SetMode(static_cast<CapacityLink::Mode>(mode), now); };
  return ChangeLink(h, direction, set);
}

CCSCOPE_FN(int, ccs_sim_change_loss)(void* handle, int direction, double loss_ratio, double burst_packets) {
  SimulationHandle& h = Of(handle);
  if (CheckBottleneck(h, direction) != 0 || CheckLoss(loss_ratio) != 0 || CheckBurstLoss(burst_packets) != 0) return 1;
  return ChangeLink(h, direction, [&](Link& link, Timestamp now) {
    link.SetLossRatio(loss_ratio, now);
    link.SetBurstLoss(burst_packets, now);
  });
}

CCSCOPE_FN(int, ccs_sim_change_jitter)(void* handle, int direction, double jitter_us) {
  SimulationHandle& h = Of(handle);
  if (CheckBottleneck(h, direction) != 0 || CheckJitter(jitter_us) != 0) return 1;
  const auto set = [&](Link& link, Timestamp now) { link.SetJitter(TimeDelta::Micros(jitter_us), now); };
  return ChangeLink(h, direction, set);
}

CCSCOPE_FN(int, ccs_sim_change_outages)
(void* handle, int direction, double mean_on_us, double mean_off_us, int off_phases) {
  SimulationHandle& h = Of(handle);
  Outages::Params outages;
  if (CheckBottleneck(h, direction) != 0) return 1;
  if (mean_off_us != 0 && !ReadOutages(mean_on_us, mean_off_us, off_phases, outages)) return 1;
  return ChangeLink(h, direction, [&](Link& link, Timestamp now) { link.SetOutages(outages, now); });
}

CCSCOPE_FN(int, ccs_sim_change_reordering)(void* handle, int direction, double ratio, double delay_us) {
  SimulationHandle& h = Of(handle);
  Reordering::Params reordering;
  if (CheckBottleneck(h, direction) != 0 || !ReadReordering(ratio, delay_us, reordering)) return 1;
  return ChangeLink(h, direction, [&](Link& link, Timestamp now) { link.SetReordering(reordering, now); });
}

CCSCOPE_FN(int, ccs_sim_configure)(void* handle, int flow) {
  SimulationHandle& h = Of(handle);
  const auto index = static_cast<std::size_t>(flow);
  const ControllerSpec* spec = flow >= 0 && index < h.controllers.size() ? h.controllers[index] : nullptr;
  if (spec == nullptr) return Fail("flow", "expected the number of a media flow");
  std::vector<double> values;
  if (!ReadParameters(*spec, Input(spec->parameter_count), values)) return 1;
  h.simulation.ConfigureController(flow, values.data());
  return 0;
}

CCSCOPE_FN(void*, ccs_sim_sender_half)(void* handle, int flow) {
  const Simulation& s = Of(handle).simulation;
  if (flow < 0 || flow >= s.flows() || s.flow(flow).kind() != FlowKind::kMedia) {
    return Fail("flow", "expected the number of a media flow"), nullptr;
  }
  return const_cast<SenderHalf*>(s.flow(flow).sender());
}

CCSCOPE_FN(void*, ccs_sim_recorder)(void* handle) { return &Of(handle).simulation.recorder(); }

CCSCOPE_FN(int, ccs_sim_run_until)(void* handle, double end_us) {
  SimulationHandle& h = Of(handle);
  if (std::isnan(end_us)) return Fail("us", "expected a time in microseconds");
  h.running = true;
  switch (h.simulation.RunUntil(Timestamp::Micros(end_us))) {
    case Simulation::Status::kOk:
      return 0;
    case Simulation::Status::kTooManyEvents:
      return Fail("maxEvents", "reached; simulate a shorter time, lower rates or fewer flows, or allow more events");
    case Simulation::Status::kTooManyPackets:
      return Fail("flows", "more than 1e6 packets under way; lower rates, delays, windows or limits of queues");
    case Simulation::Status::kTooManyRows:
      return Fail("trace", "more than 4e6 rows; drain them more often, or record fewer tables");
  }
  return 1;
}

CCSCOPE_FN(double, ccs_sim_now_us)(void* handle) { return Of(handle).simulation.now().us(); }
CCSCOPE_FN(double, ccs_sim_events)(void* handle) { return Of(handle).simulation.events(); }

CCSCOPE_FN(const double*, ccs_sim_metrics)(void* handle, int window) {
  SimulationHandle& h = Of(handle);
  const Simulation& s = h.simulation;
  if (window < 0 || window >= s.windows()) return Fail("window", "expected one that was added"), nullptr;
  std::vector<double>& out = h.metrics;
  out.clear();
  WriteWindow(s, window, out);
  WritePath(s, window, Direction::kForward, out);
  WritePath(s, window, Direction::kBackward, out);
  for (int flow = 0; flow < s.flows(); ++flow) WriteFlow(s, window, flow, out);
  return out.data();
}
CCSCOPE_FN(int, ccs_sim_metrics_size)(void* handle) { return static_cast<int>(Of(handle).metrics.size()); }
