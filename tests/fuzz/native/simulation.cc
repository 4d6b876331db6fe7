// Runs small scenarios through the simulator's ABI. Each scenario must end, or be refused, after bounded work. The
// metrics must account for every packet of every flow. A second run must give the same bytes.
#include <algorithm>
#include <vector>

#include "sim/live/live_flow.h"
#include "sim/media_source.h"
#include "sim/tcp/parameters.h"
#include "tests/fuzz/native/controller_parameters.h"
#include "tests/fuzz/native/queue_values.h"
#include "trace/recorder.h"

namespace ccscope::fuzz {
namespace {

// The layout of the metrics, as src/core/simulation.ts reads it.
constexpr int kHistogram = 11;
constexpr int kHeaderFields = 6;
constexpr int kPathFields = 2 + kHistogram + 2 + kDropReasonCount;
constexpr int kFlowFields = 20 + 5 * kHistogram;

// A time long after every flow has stopped and every packet under way has arrived.
constexpr double kDrainedUs = 2e10;

class Scenario {
 public:
  explicit Scenario(Input& input) : input_(input) {
    const int how = input.Byte();
    max_events_ = (how & 1) != 0 ? std::floor(input.Scaled(1, 1500)) : 1500;
    const bool to_the_end = (how & 2) != 0;
    duration_us_ = to_the_end ? kDrainedUs : input.Scaled(1, 4e6);
    const double interval_us = to_the_end ? kDrainedUs : input.Scaled(1e3, 1e6);
    simulation_ = ccs_sim_create(duration_us_, interval_us, how >> 2, max_events_);
    EXPECT_THAT_HOLDS(simulation_ != nullptr, "values in range make a simulation");
    drains_ = to_the_end;
    SetPath(0);
    SetPath(1);
    if (input.Flag()) Maybe(ccs_sim_add_window(simulation_, input.Scaled(1, 3e6) - 1, Number(1, 3e6)));
    for (int flows = 1 + input.Pick(4); flows > 0; --flows) {
      if (input.Flag()) {
        AddMediaFlow();
      } else {
        AddTcpFlow();
      }
    }
    if ((how & 0xc0) == 0xc0) Maybe(ccs_sim_trace(simulation_, input.Word(), to_the_end ? 1e10 : Number(1e3, 1e7)));
  }
  Scenario(const Scenario&) = delete;
  Scenario& operator=(const Scenario&) = delete;
  ~Scenario() { ccs_sim_destroy(simulation_); }

  // Runs the scenario in `steps` steps, whose number must not change the result. Returns the metrics.
  std::vector<double> Run(int steps) {
    int status = 0;
    for (int step = 1; step <= steps && status == 0; ++step) {
      ForgetError();
      status = ccs_sim_run_until(simulation_, step < steps ? duration_us_ * step / steps : duration_us_);
    }
    ended_ = status == 0;
    if (!ended_) CheckRefusal();
    const double now = ccs_sim_now_us(simulation_);
    EXPECT_THAT_HOLDS(ended_ ? now == duration_us_ : now <= duration_us_, "a run ends at its duration, or is refused before");
    EXPECT_THAT_HOLDS(ccs_sim_events(simulation_) <= max_events_, "the work is bounded");
    CheckTrace();
    std::vector<double> metrics;
    for (int window = 0;; ++window) {
      const double* numbers = ccs_sim_metrics(simulation_, window);
      if (numbers == nullptr) break;
      const double* end = numbers + ccs_sim_metrics_size(simulation_);
      CheckMetrics(numbers, end, window == 0);
      metrics.insert(metrics.end(), numbers, end);
    }
    EXPECT_THAT_HOLDS(ccs_sim_trace(simulation_, 0, 1e6) != 0, "setup ends with the first run");
    return metrics;
  }

  bool ended() const { return ended_; }

 private:
  void SetPath(int direction) {
    const int how = input_.Byte();
    if ((how & 0xf0) == 0xf0) {
      drains_ = false;
      Maybe(ccs_sim_set_outages(simulation_, direction, Number(1e3, 6e7), Number(1e3, 6e7), 1 + input_.Pick(100)));
    }
    const double delay = (how & 1) != 0 ? Number(1, 1e6) - 1 : 20e3;
    const double loss = (how & 2) != 0 ? input_.Word() / 65535.0 : 0;
    const double jitter = (how & 4) != 0 ? Number(1, 1e5) : 0;
    if ((how & 8) != 0 && direction == 1) {
      Maybe(ccs_sim_set_delay(simulation_, direction, delay, loss, jitter));
      return;
    }
    const QueueValues queue = DrawQueue(input_, input_.Pick(kQueueKinds));
    const double capacity = Number(2e4, 1e7);
    const double burst = Number(1, 1e5);
    const int values = queue.Pass();
    const bool made = Maybe(ccs_sim_set_bottleneck(simulation_, direction, capacity, queue.kind, values, how >> 4 & 1, burst, delay, loss, jitter));
    is_serial_[direction] = made && (how >> 4 & 1) == 0;
    double at = 0;
    for (int i = made ? input_.Pick(4) : 0; i > 0; --i) {
      at += Number(1, 1e6);
      const bool outage = i > 1 && input_.Flag();
      const bool taken = Maybe(ccs_sim_schedule_capacity(simulation_, direction, at, outage ? 0 : Number(2e4, 1e7)));
      // If a change is refused, the schedule may end with an outage. Packets would then wait forever.
      drains_ = drains_ && taken;
    }
  }

  void AddMediaFlow() {
    const int controller = input_.Pick(kControllers);
    ControllerParameters parameters(controller);
    parameters.TakePreset(input_);
    for (int i = input_.Pick(3); i > 0; --i) parameters.Change(input_);
    MediaSource::Params usual;
    double source[kMediaSourceParameterCount];
    std::memcpy(source, &usual, sizeof source);
    for (int i = input_.Pick(4); i > 0; --i) {
      const int index = input_.Pick(kMediaSourceParameterCount);
      source[index] = input_.Parameter(kMediaSourceParameterSpecs[index], source[index]);
    }
    const double start = input_.Byte() * 4e3;
    const double stop = start + input_.Byte() * 3.5e3;
    const int chosen = input_.Pick(4);
    const bool is_live = chosen == 3;
    const int pauses = is_live ? 0 : chosen;
    const double extra = Extra();
    live::Parameters usual_path;
    double path[live::kParameterCount];
    std::memcpy(path, &usual_path, sizeof path);
    for (int i = is_live ? input_.Pick(4) : 0; i > 0; --i) {
      const int index = input_.Pick(live::kParameterCount);
      path[index] = input_.Parameter(live::kParameterSpecs[index], path[index]);
    }
    const int path_count = is_live ? live::kParameterCount : 0;
    double* in = ccs_input_buffer(kMediaSourceParameterCount + path_count + parameters.count() + 2 * pauses);
    in = std::copy(source, source + kMediaSourceParameterCount, in);
    in = std::copy(path, path + path_count, in);
    in = std::copy(parameters.values().begin(), parameters.values().end(), in);
    for (int i = 0; i < pauses; ++i) {
      *in++ = input_.Byte() * 1e4;
      *in++ = input_.Byte() * 2e4;
    }
    flows_ += Maybe(ccs_sim_add_media_flow(simulation_, input_.Pick(2), start, stop, extra, controller, is_live, pauses));
  }

  void AddTcpFlow() {
    tcp::Parameters usual;
    double values[tcp::kParameterCount + 3];
    std::memcpy(values, &usual, sizeof usual);
    for (int i = input_.Pick(6); i > 0; --i) {
      const int index = input_.Pick(tcp::kParameterCount);
      values[index] = input_.Parameter(tcp::kParameterSpecs[index], values[index]);
    }
    const bool short_files = input_.Flag();
    values[tcp::kParameterCount] = Number(1, 1e5);
    values[tcp::kParameterCount + 1] = Number(1, 1e5);
    values[tcp::kParameterCount + 2] = Number(1, 1e6);
    const double start = input_.Byte() * 4e3;
    const double stop = start + input_.Byte() * 3.5e3;
    const double extra = Extra();
    const int direction = input_.Pick(2);
    std::copy(std::begin(values), std::end(values), ccs_input_buffer(tcp::kParameterCount + 3));
    flows_ += Maybe(ccs_sim_add_tcp_flow(simulation_, direction, start, stop, extra, input_.Pick(2), short_files));
  }

  void CheckTrace() const {
    void* recorder = ccs_sim_recorder(simulation_);
    for (int table = 0; table < Recorder::kTables; ++table) {
      const int rows = ccs_trace_rows(recorder, table);
      EXPECT_THAT_HOLDS(rows >= 0, "rows are counted");
      // In every table except the arrivals (table 0), column 1 is the row's time.
      for (int r = 0; r < rows && table > 0; ++r) EXPECT_THAT_HOLDS(std::isfinite(ccs_trace_column(recorder, table, 1)[r]), "a row has a time");
    }
  }

  void CheckMetrics(const double* numbers, const double* end, bool whole_run) const {
    EXPECT_THAT_HOLDS(end - numbers == kHeaderFields + 2 * kPathFields + flows_ * kFlowFields, "there are metrics of each path and flow");
    for (const double* n = numbers; n < end; ++n) EXPECT_THAT_HOLDS(!std::isinf(*n), "metrics are finite, or absent");
    const double* paths = numbers + kHeaderFields;
    for (int d = 0; d < 2; ++d) {
      const double* path = paths + d * kPathFields;
      // Not checked for token buckets: they start full, so they can carry more than their capacity at first.
      if (whole_run && is_serial_[d]) EXPECT_THAT_HOLDS(!(path[1] > 1 + 1e-6), "a path carries no more than its capacity");
      for (int i = 2 + kHistogram; i < kPathFields; ++i) EXPECT_THAT_HOLDS(path[i] >= 0, "counts are not negative");
    }
    for (int i = 0; i < flows_; ++i) {
      const double* flow = paths + 2 * kPathFields + i * kFlowFields;
      for (int k = 2; k < 12; ++k) EXPECT_THAT_HOLDS(flow[k] >= 0, "counts and rates are not negative");
      if (!whole_run) continue;
      EXPECT_THAT_HOLDS(flow[2] >= flow[4] + flow[6], "a packet arrives, is lost or is under way");
      EXPECT_THAT_HOLDS(flow[3] >= (flow[5] + flow[7]) * (1 - 1e-9), "so do its bytes");
      if (ended_ && drains_) EXPECT_THAT_HOLDS(flow[2] == flow[4] + flow[6], "in the end each packet has arrived or is lost");
    }
  }

  // Usually a number in the range; now and then an arbitrary number, which the ABI may refuse. Maybe() then checks
  // the error.
  double Number(double low, double high) {
    ForgetError();
    if (input_.Byte() != 255) return input_.Scaled(low, high);
    drains_ = false;  // at 1 bit/s a packet takes hours
    return input_.Wild();
  }
  double Extra() { return input_.Flag() ? 0 : Number(1, 1e6); }
  static bool Maybe(int status) {
    if (status != 0) CheckRefusal();
    return status == 0;
  }

  Input& input_;
  void* simulation_ = nullptr;
  double duration_us_ = 0;
  double max_events_ = 0;
  bool drains_ = false;
  bool is_serial_[2] = {};
  bool ended_ = false;
  int flows_ = 0;
};

FUZZ_TARGET(simulation) {
  const bool twice_wanted = input.Byte() < 64;
  Input again = input;
  Scenario first(input);
  const std::vector<double> once = first.Run(1);
  if (twice_wanted) {
    // A refused run stops at the time of its latest event or at the end of its latest complete step, whichever is
    // later. So its result depends on its division into steps. Therefore only runs that were not refused are repeated
    // in several steps.
    const std::vector<double> twice = Scenario(again).Run(first.ended() ? 3 : 1);
    EXPECT_THAT_HOLDS(once.size() == twice.size() && std::memcmp(once.data(), twice.data(), once.size() * sizeof(double)) == 0, "the same scenario gives the same bytes");
  }
}

}  // namespace
}  // namespace ccscope::fuzz
