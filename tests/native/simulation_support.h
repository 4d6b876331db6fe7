// Describes simulations as data, so that a test can build the same simulation twice. Also turns the results of a
// simulation into one list of numbers.
#ifndef CCSCOPE_TESTS_NATIVE_SIMULATION_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_SIMULATION_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "cc/gcc/parameters.h"
#include "cc/gcc/live/live_rules.h"
#include "cc/gcc/sender.h"
#include "sim/queue_disc/make_queue_disc.h"
#include "sim/simulation.h"
#include "trace/rows.h"

namespace ccscope {

// A queue discipline and the values of its parameters.
struct QueueSpec {
  QueueDiscKind kind;
  std::vector<double> values;
};

#define PARAMETER(name, unit, def, min, max, values, section, description) def,
inline std::vector<QueueSpec> AllQueues() {
  return {
      {QueueDiscKind::kDropTail,
       {
#include "sim/queue_disc/drop_tail.def"
       }},
      {QueueDiscKind::kCoDel,
       {
#include "sim/queue_disc/codel.def"
       }},
      {QueueDiscKind::kPie,
       {
#include "sim/queue_disc/pie.def"
       }},
      {QueueDiscKind::kSfq,
       {
#include "sim/queue_disc/sfq.def"
       }},
      {QueueDiscKind::kFqCoDel,
       {
#include "sim/queue_disc/fq_codel.def"
       }},
  };
}
#undef PARAMETER

inline QueueSpec DropTailOf(double ms, double bytes, double packets) {
  return {QueueDiscKind::kDropTail, {ms, bytes, packets}};
}

struct PathSpec {
  bool has_bottleneck = true;
  Link::Params link = {.one_way_delay = TimeDelta::Millis(25)};
  QueueSpec queue = DropTailOf(300, 0, 0);
  std::vector<Simulation::CapacityStep> steps = {};
};

struct MediaSpec {
  FlowParams flow = {};
  MediaSource::Params source = {};
  gcc::Parameters controller = {};
  std::vector<Window> pauses = {};
};

struct TcpSpec {
  FlowParams flow = {};
  TcpFlow::Params tcp = {};
};

struct SimulationSpec {
  Simulation::Params params = {};
  PathSpec forward = {};
  PathSpec backward = {.has_bottleneck = false};
  std::vector<Window> windows = {};
  std::vector<MediaSpec> media = {};
  std::vector<TcpSpec> tcp = {};
  std::uint32_t tables = 0;
  TimeDelta trace_interval = TimeDelta::Millis(200);
};

inline constexpr std::uint32_t kAllTables = (std::uint32_t{1} << Recorder::kTables) - 1;

inline void SetUpPath(Simulation& simulation, Direction direction, const PathSpec& path) {
  if (!path.has_bottleneck) return simulation.SetPath(direction, path.link, nullptr);
  const QueueSpec& queue = path.queue;
  const int count = static_cast<int>(queue.values.size());
  simulation.SetPath(direction, path.link,
                     MakeQueueDisc(queue.kind, queue.values.data(), count, simulation.NextSeed()));
  for (const auto& step : path.steps) simulation.ScheduleCapacity(direction, step.at, step.capacity);
}

// Makes a simulation: paths, windows, media flows and TCP flows are added in this order.
inline std::unique_ptr<Simulation> Build(const SimulationSpec& spec) {
  auto simulation = std::make_unique<Simulation>(spec.params);
  SetUpPath(*simulation, Direction::kForward, spec.forward);
  SetUpPath(*simulation, Direction::kBackward, spec.backward);
  for (const Window& window : spec.windows) simulation->AddWindow(window);
  for (const MediaSpec& media : spec.media) {
    MediaFlow::Controller controller{
        gcc::MakeReceiver(media.controller, simulation->flows(), simulation->recorder()),
        std::make_unique<gcc::Sender>(media.controller, simulation->flows(), simulation->recorder())};
    simulation->AddMediaFlow(media.flow, media.source, media.pauses, std::move(controller));
  }
  for (const TcpSpec& tcp : spec.tcp) simulation->AddTcpFlow(tcp.flow, tcp.tcp);
  if (spec.tables != 0) simulation->SetTrace(spec.tables, spec.trace_interval);
  return simulation;
}

inline Timestamp AtSeconds(double s) { return Timestamp::Seconds(s); }

// The rows of a trace table.
template <class Row>
std::vector<Row> TraceRows(Simulation& simulation) {
  constexpr int kColumns = static_cast<int>(sizeof(Row) / sizeof(double));
  const int table = static_cast<int>(Row::kTable);
  std::vector<Row> rows(static_cast<std::size_t>(simulation.recorder().rows(table)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double values[kColumns];
    for (int c = 0; c < kColumns; ++c) values[c] = simulation.recorder().column(table, c)[i];
    std::memcpy(reinterpret_cast<char*>(&rows[i]), values, sizeof values);
  }
  return rows;
}

inline void AppendHistogram(std::vector<double>& out, const Histogram& h) {
  out.insert(out.end(), {h.count(), h.mean(), h.sd(), h.min(), h.max()});
  for (int percent = 0; percent <= 100; percent += 5) out.push_back(h.Percentile(percent));
}

// All metrics of a simulation, as numbers.
inline std::vector<double> Metrics(const Simulation& s) {
  std::vector<double> out;
  for (int w = 0; w < s.windows(); ++w) {
    const Simulation::Fairness f = s.fairness(w);
    out.insert(out.end(), {f.jain, f.jain_mean, f.jain_all, f.jain_all_mean, s.Elapsed(w).us()});
    for (const Direction d : {Direction::kForward, Direction::kBackward}) {
      const PathWindow& path = s.path_window(w, d);
      out.insert(out.end(), {s.OfferedCapacity(s.window(w), d).bytes(), path.delivered_packets, path.delivered.bytes()});
      out.insert(out.end(), path.drops.begin(), path.drops.end());
      AppendHistogram(out, path.queue_delay_us);
    }
    for (int i = 0; i < s.flows(); ++i) {
      const FlowWindow& flow = s.flow(i).meter().window(w);
      out.insert(out.end(), {flow.sent_packets, flow.sent.bytes(), flow.received_packets, flow.received.bytes(),
                             flow.lost_packets, flow.lost.bytes(), flow.goodput.bytes(), flow.target_bps.mean(),
                             flow.received_bps.mean(), flow.received_bps.sd(), s.convergence(i).us()});
      for (const Histogram* h :
           {&flow.probe_queue_delay_us, &flow.rtt_us, &flow.queue_delay_us, &flow.owd_queue_delay_us, &flow.e2e_queue_delay_us})
        AppendHistogram(out, *h);
    }
  }
  return out;
}

// The whole trace of a simulation, as numbers.
inline std::vector<double> Trace(Simulation& s) {
  static constexpr int kColumns[] = {
#define TABLE(name, Name, doc) static_cast<int>(sizeof(Name##Row) / sizeof(double)),
#define COLUMN(name, values)
#define END_TABLE(name, Name)
#include "trace/columns.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE
  };
  std::vector<double> out;
  for (int table = 0; table < Recorder::kTables; ++table) {
    const int rows = s.recorder().rows(table);
    for (int c = 0; rows > 0 && c < kColumns[table]; ++c) {
      const double* column = s.recorder().column(table, c);
      out.insert(out.end(), column, column + rows);
    }
  }
  return out;
}

// Compares bit for bit, so that NaN equals itself.
inline bool SameBytes(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_SIMULATION_SUPPORT_H_
