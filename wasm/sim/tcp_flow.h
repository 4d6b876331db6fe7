// A TCP flow in a simulation: one connection with unlimited data, or a sequence of connections for short files (RFC
// 8867 5.7).
#ifndef CCSCOPE_SIM_TCP_FLOW_H_
#define CCSCOPE_SIM_TCP_FLOW_H_

#include <cstdint>
#include <optional>

#include "sim/flow.h"
#include "sim/pool.h"
#include "units/random.h"
#include "sim/tcp/parameters.h"
#include "sim/tcp/receiver.h"
#include "sim/tcp/segment.h"
#include "sim/tcp/sender.h"
#include "trace/recorder.h"

namespace ccscope {

class TcpFlow final : public Flow {
 public:
  // Files of uniformly distributed size, with exponentially distributed pauses between them.
  struct ShortFiles {
    DataSize smallest;
    DataSize largest;
    TimeDelta mean_idle;
  };
  struct Params {
    tcp::Parameters tcp;
    tcp::CongestionControlKind congestion_control = tcp::CongestionControlKind::kCubic;
    std::optional<ShortFiles> files;
  };

  TcpFlow(const FlowParams& flow, const Params& params, int index, int windows, std::uint64_t seed,
          FlowNetwork& network);

  void Begin() override;
  void OnTimer(int timer, Timestamp now) override;
  void OnDelivered(Leg leg, std::uint32_t id, TimeDelta queue_delay, Timestamp now) override;
  void OnDropped(Leg leg, std::uint32_t id, Timestamp now) override;
  void Trace(Timestamp now, TimeDelta interval, Recorder& recorder) override;
  double packets_under_way(Leg leg) const override {
    return static_cast<double>(leg == Leg::kData ? segments_.used() : acks_.used());
  }

 private:
  enum Timer { kStartOrStop, kSender, kReceiver };

  void StartOrStop(Timestamp now);
  void Pump(Timestamp now);
  void SendAck(const tcp::Ack& ack, Timestamp now);
  void UpdateSenderTimer();
  void UpdateReceiverTimer();

  Params tcp_params_;
  Random random_;
  tcp::Sender sender_;
  tcp::Receiver receiver_;
  bool running_ = false;
  // The times at which the timers will fire. If a deadline is postponed, its timer still fires at the earlier time, and
  // is then set again.
  Timestamp sender_timer_ = Timestamp::PlusInfinity();
  Timestamp receiver_timer_ = Timestamp::PlusInfinity();
  Pool<tcp::Segment> segments_;
  Pool<tcp::Ack> acks_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_TCP_FLOW_H_
