// The packet simulator: flows over a forward and a backward path, in virtual time. It does no I/O and is deterministic:
// the same setup, in the same order, gives the same bytes. Contract:
//
//  1. Setup (paths, windows, flows) comes first; the first RunUntil() ends it. After that, paths and controllers may be
//     changed between two calls of RunUntil(). A change takes effect after all events up to now().
//  2. Events at the same time run in the order in which they were scheduled.
//  3. Every packet that a flow sends is delivered, dropped with a reason, or still in flight.
//  4. A run ends at its duration, or with an error status if it needs more work or memory than allowed. The work is the
//     number of events, plus the packets sent, plus the flows examined at each rate or trace tick.
#ifndef CCSCOPE_SIM_SIMULATION_H_
#define CCSCOPE_SIM_SIMULATION_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/event_queue.h"
#include "sim/flow.h"
#include "sim/live/live_flow.h"
#include "sim/media_flow.h"
#include "sim/metrics.h"
#include "sim/path.h"
#include "units/random.h"
#include "sim/tcp_flow.h"
#include "trace/recorder.h"
#include "units/ring_buffer.h"
#include "units/units.h"

namespace ccscope {

class Simulation final : private FlowNetwork {
 public:
  struct Params {
    TimeDelta duration;
    TimeDelta rate_interval = TimeDelta::Millis(500);  // for Jain's index, the convergence time and rates in windows
    std::uint64_t seed = 1;
    double max_events = 1e10;
    double max_packets = 1e6;  // packets in pacers and in flight
    int max_rows = 4'000'000;  // trace rows since the trace was last cleared
  };
  struct CapacityStep {
    Timestamp at;
    DataRate capacity;
  };
  enum class Status { kOk, kTooManyEvents, kTooManyPackets, kTooManyRows };

  explicit Simulation(const Params& params);

  // If `queue` is null, there is no bottleneck. SetPath() replaces `link.seed` by NextSeed().
  void SetPath(Direction direction, Link::Params link, std::unique_ptr<QueueDisc> queue);
  // Capacity changes have to be scheduled in time order.
  void ScheduleCapacity(Direction direction, Timestamp at, DataRate capacity);
  // Returns the next seed. Each part of the setup that draws random numbers takes one seed, in the order of the setup.
  std::uint64_t NextSeed() { return seeds_.Next(); }
  // The seed for the controller of a flow. It is not part of the series of NextSeed(): most controllers draw no
  // random numbers, and changing a flow's controller must not change what the network does.
  std::uint64_t ControllerSeed(int flow) const {
    return Random(params_.seed + static_cast<std::uint64_t>(flow) * 0x9e3779b97f4a7c15).Next();
  }

  // The first window is the whole run. Add windows before the flows.
  int AddWindow(const Window& window);
  int AddMediaFlow(const FlowParams& params, const MediaSource::Params& source, std::vector<Window> pauses,
                   MediaFlow::Controller controller);
  int AddLiveFlow(const FlowParams& params, const MediaSource::Params& source, const live::Parameters& live,
                  MediaFlow::Controller controller);
  int AddTcpFlow(const FlowParams& params, const TcpFlow::Params& tcp);

  // Records the tables whose bits are set in `tables`. Rows of `rate`, `throughput` and `queue` are recorded every
  // `interval`.
  void SetTrace(std::uint32_t tables, TimeDelta interval);
  Recorder& recorder() { return recorder_; }

  Status RunUntil(Timestamp end);

  // Computes all events of the path until now() and returns the path, so that its settings can be changed.
  // ChangedPath() must be called afterwards.
  Path& ChangePath(Direction direction);
  void ChangedPath(Direction direction) { PollPath(static_cast<int>(direction)); }
  // Sets all parameters of a media flow's controller, in the order of its .def.
  void ConfigureController(int flow, const double* values) { flows_[static_cast<std::size_t>(flow)].flow->Configure(values); }

  Timestamp now() const { return now_; }
  double events() const { return events_; }
  // Packets in pacers and in flight.
  double packets() const { return packets_; }
  int windows() const { return static_cast<int>(windows_.size()); }
  int flows() const { return static_cast<int>(flows_.size()); }
  const Window& window(int index) const { return windows_[static_cast<std::size_t>(index)].span; }
  const Flow& flow(int index) const { return *flows_[static_cast<std::size_t>(index)].flow; }
  const Path& path(Direction direction) const { return *paths_[static_cast<std::size_t>(direction)].path; }
  const PathWindow& path_window(int window, Direction direction) const;
  // What the bottleneck could have carried within the span, up to now.
  DataSize OfferedCapacity(const Window& span, Direction direction) const;
  // How much of the window has passed.
  TimeDelta Elapsed(int window) const;
  // Jain's index of the rates received over the window, and the mean of the indexes of all rate intervals. `jain`,
  // `jain_mean`: of the media flows; `jain_all`, `jain_all_mean`: of all flows of the forward path.
  struct Fairness {
    double jain;
    double jain_mean;
    double jain_all;
    double jain_all_mean;
  };
  Fairness fairness(int window) const;
  // The time from the flow's start until it first received 90 % of its fair share of the capacity. If its highest
  // rate is lower than that share, 90 % of the highest rate suffices. Negative if this never happened.
  TimeDelta convergence(int flow) const { return flows_[static_cast<std::size_t>(flow)].convergence; }

 private:
  enum SourceKind : int { kPathEvent, kFlowTimer, kLane, kRateTick, kTraceTick };
  struct Source {
    SourceKind kind;
    int index;  // of the path or the flow
    int which;  // timer or lane
    Flow* flow;
  };
  // After the path, each packet of a flow's leg passes through one of the leg's two lanes, which delay it further. One
  // lane adds the flow's extra delay. The other lane also adds the delay of reordering. Packets in a lane keep their
  // order, unless a later packet has a shorter delay. A packet without such delays skips the lanes.
  static constexpr int kLanes = 4;
  static constexpr int LaneOf(Leg leg, bool held) { return 2 * static_cast<int>(leg) + (held ? 1 : 0); }
  // The number of a flow's event sources, which are consecutive: its timers and its lanes.
  static constexpr int kSourcesPerFlow = Flow::kTimers + kLanes;
  // A packet that came out of a path, and how much later it arrives because of reordering.
  struct Arrival {
    std::uint32_t id;
    TimeDelta queue_delay;
    TimeDelta held;
  };
  // A packet in a lane.
  struct Delayed {
    Timestamp at;
    std::uint32_t id;
    TimeDelta queue_delay;
  };
  struct FlowSlot {
    std::unique_ptr<Flow> flow;
    std::array<RingBuffer<Delayed>, kLanes> lanes;
    TimeDelta convergence = TimeDelta::MinusInfinity();
  };
  struct PathSlot {
    std::unique_ptr<Path> path;
    EventQueue::Source source;
    std::vector<CapacityStep> capacity;  // all steps since the start of the run
  };
  struct WindowSlot {
    Window span;
    std::array<PathWindow, 2> paths;
    RunningMean jain;
    RunningMean jain_all;
  };

  // FlowNetwork
  bool Send(const Flow& flow, Leg leg, std::uint32_t id, DataSize size, Timestamp now) override;
  void Hold(int packets) override { packets_ += packets; }
  void SetTimer(int flow, int timer, Timestamp at) override;
  TimeDelta MinRtt(int flow) const override;
  TimeDelta MinOneWayDelay(int flow) const override;
  const std::vector<int>& active_windows() const override { return active_windows_; }

  FlowNetwork& network() { return *this; }
  EventQueue::Source AddSource(SourceKind kind, int index, int which, Flow* flow = nullptr);
  EventQueue::Source TimerOf(int flow, int timer) const {
    return first_flow_source_ + static_cast<EventQueue::Source>(flow * kSourcesPerFlow + timer);
  }
  EventQueue::Source EndOf(int flow, int lane) const { return TimerOf(flow, Flow::kTimers + lane); }
  int AddFlow(std::unique_ptr<Flow> flow);
  void Begin();
  Status Exceeded() const;
  void Dispatch(const Source& source);
  void PollPath(int index);
  void RecordDrop(Direction direction, const Packet& packet, Timestamp at, DropReason reason);
  void Deliver(FlowSlot& slot, Leg leg, const Arrival& arrival);
  void PassLane(int flow, int lane);
  void UpdateActiveWindows();
  void OnRateTick();
  void OnTraceTick();
  PathWindow& PathWindowOf(int window, int path) {
    return windows_[static_cast<std::size_t>(window)].paths[static_cast<std::size_t>(path)];
  }
  PathSlot& slot(Direction d) { return paths_[static_cast<std::size_t>(d)]; }

  Params params_;
  Random seeds_;
  EventQueue event_queue_;
  std::vector<Source> sources_;
  std::array<PathSlot, 2> paths_;
  EventQueue::Source first_flow_source_;
  std::vector<FlowSlot> flows_;
  std::vector<WindowSlot> windows_;
  std::vector<int> active_windows_;
  // The next time at which a window begins or ends. At that time, windows are updated before all events.
  Timestamp next_boundary_ = Timestamp::PlusInfinity();
  EventQueue::Source rate_tick_;
  EventQueue::Source trace_tick_;
  std::uint32_t trace_tables_ = 0;
  TimeDelta trace_interval_ = TimeDelta::Millis(200);
  Recorder recorder_;
  bool begun_ = false;
  Timestamp now_;
  double events_ = 0;
  double work_ = 0;     // number of events, plus packets sent, plus flows examined at ticks
  double packets_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_SIMULATION_H_
