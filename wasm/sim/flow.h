// One end-to-end flow of a simulation: a sender and a receiver, with data in one direction and messages in the other.
// The simulation transports the packets, runs the timers and takes the measurements.
#ifndef CCSCOPE_SIM_FLOW_H_
#define CCSCOPE_SIM_FLOW_H_

#include <cstdint>
#include <vector>

#include "sim/metrics.h"
#include "sim/packet.h"
#include "units/units.h"

namespace ccscope {

// The two directions of the network.
enum class Direction { kForward = 0, kBackward = 1 };
constexpr Direction Opposite(Direction d) { return d == Direction::kForward ? Direction::kBackward : Direction::kForward; }

// The two legs of a flow: its data, and the messages that its receiver sends back.
enum class Leg { kData = 0, kReturn = 1 };

enum class FlowKind { kMedia = 0, kTcp = 1 };

struct FlowParams {
  Direction direction = Direction::kForward;
  Timestamp start;
  Timestamp stop = Timestamp::PlusInfinity();
  TimeDelta extra_delay;  // added to the path's delay, in each direction
};

class Recorder;
class SenderHalf;

class Flow;

// What a flow can request from the simulation, or from the link with cross traffic, that it belongs to.
class FlowNetwork {
 public:
  // Sends a packet; `id` is the flow's own number for the packet. Returns false if the packet was dropped at once;
  // OnDropped() is then not called.
  virtual bool Send(const Flow& flow, Leg leg, std::uint32_t id, DataSize size, Timestamp now) = 0;
  // Adds `packets` to the number of packets that wait in the flow's pacer. The number is negative if packets leave the
  // pacer.
  virtual void Hold(int packets) = 0;
  // Sets one of the flow's timers; infinity stops it.
  virtual void SetTimer(int flow, int timer, Timestamp at) = 0;
  // The propagation delay of the round trip, and the propagation delay in the direction of the data.
  virtual TimeDelta MinRtt(int flow) const = 0;
  virtual TimeDelta MinOneWayDelay(int flow) const = 0;
  // The indices of the time windows that are being measured now.
  virtual const std::vector<int>& active_windows() const = 0;

 protected:
  ~FlowNetwork() = default;
};

// Counts what a flow does in the time windows that are being measured.
class FlowMeter {
 public:
  FlowMeter(const FlowNetwork& network, int windows)
      : active_windows_(network.active_windows()), windows_(static_cast<std::size_t>(windows)) {}

  void OnSent(DataSize size);
  void OnReceived(DataSize size, DataSize new_payload, TimeDelta queue_delay);
  // Counts the one-way delay of a packet, less the propagation delay. `since_sent` is measured from the sending of the
  // packet (the queuing delay of CMP III and LCC III-A). `since_encoded` is measured from its encoding (as in the
  // simulator that CMP used).
  void OnOneWayDelay(TimeDelta since_sent, TimeDelta since_encoded);
  void OnLost(DataSize size);
  void OnProbe(TimeDelta rtt, TimeDelta queue_delay);
  // Counts a frame that can be shown.
  void OnFrame();
  // Counts a freeze: the picture has been frozen for `length`. `counted`: whether this freeze has been counted before, so
  // that only its length changes; a window that began during the freeze counts it, too.
  void OnFreeze(TimeDelta length, bool counted);

  FlowWindow& window(int index) { return windows_[static_cast<std::size_t>(index)]; }
  const FlowWindow& window(int index) const { return windows_[static_cast<std::size_t>(index)]; }

  // Returns the bytes that arrived since the previous TakeReceived(), for rates over intervals.
  DataSize TakeReceived();
  // What was counted since the previous TakeInterval(), for the trace.
  struct Interval {
    DataSize sent;
    DataSize received;
    double packets_received = 0;
    TimeDelta queue_delay;  // sum of the queuing delays of the packets received
    // NaN if no packet arrived.
    double mean_queue_delay_us() const { return queue_delay.us() / packets_received; }
  };
  Interval TakeInterval();
  TimeDelta last_rtt() const { return last_rtt_; }

  // Totals since the start, independent of the windows: sent = received + lost + in flight.
  double sent_packets() const { return sent_packets_; }
  double received_packets() const { return received_packets_; }
  double lost_packets() const { return lost_packets_; }

 private:
  const std::vector<int>& active_windows_;
  std::vector<FlowWindow> windows_;
  DataSize received_;
  Interval interval_;
  TimeDelta last_rtt_ = TimeDelta::PlusInfinity();
  double sent_packets_ = 0;
  double received_packets_ = 0;
  double lost_packets_ = 0;
};

class Flow {
 public:
  static constexpr int kTimers = 4;

  Flow(FlowKind kind, const FlowParams& params, int index, int windows, FlowNetwork& network)
      : kind_(kind), params_(params), index_(index), network_(network), meter_(network, windows) {}
  virtual ~Flow() = default;
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;

  // Sets the first timers.
  virtual void Begin() = 0;
  virtual void OnTimer(int timer, Timestamp now) = 0;
  // A packet reached the far end of a leg.
  virtual void OnDelivered(Leg leg, std::uint32_t id, TimeDelta queue_delay, Timestamp now) = 0;
  // A packet that Send() accepted was dropped later.
  virtual void OnDropped(Leg leg, std::uint32_t id, Timestamp now) = 0;

  // Whether the flow has data to send during all of [begin, end].
  virtual bool ActiveThrough(Timestamp begin, Timestamp end) const { return begin >= params_.start && end <= params_.stop; }
  // The rate that the flow's controller requests; infinite without a controller.
  virtual DataRate target() const { return DataRate::PlusInfinity(); }
  // Whether losses limit the target, that is, A_s < A_r (ToN III); false if the controller does not have these rates.
  virtual bool is_loss_bound() const { return false; }
  // The sender half of the flow's controller; null without a controller.
  virtual const SenderHalf* sender() const { return nullptr; }
  // Sets all parameters of the flow's controller, in the order of the controller's .def.
  virtual void Configure(const double*) {}
  // The highest rate at which the flow would ever send.
  virtual DataRate highest_rate() const { return DataRate::PlusInfinity(); }
  // Records the flow's rows of the trace.
  virtual void Trace(Timestamp now, TimeDelta interval, Recorder& recorder) = 0;
  // The packets of a leg that are neither delivered nor dropped, sender reports included.
  virtual double packets_under_way(Leg leg) const = 0;

  FlowKind kind() const { return kind_; }
  const FlowParams& params() const { return params_; }
  int index() const { return index_; }
  FlowMeter& meter() { return meter_; }
  const FlowMeter& meter() const { return meter_; }

 protected:
  FlowNetwork& network() { return network_; }

 private:
  FlowKind kind_;
  FlowParams params_;
  int index_;
  FlowNetwork& network_;
  FlowMeter meter_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_FLOW_H_
