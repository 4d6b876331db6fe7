// A browser-to-browser video call whose rate ccscope controls. On the sending side, an encoded transform stamps each
// frame of the encoder. The packets of a frame leave in a burst through the browser's pacer and a relay. The receiving
// side requests lost packets again, assembles the frames, and stamps them. Feedback returns over an unreliable data
// channel. The sending side sets the target through setParameters(). Each process on the way may handle its input late
// (lateness.h). The controller of a LiveFlow sees whole frames; the controller of a MediaFlow sees every packet, as the
// papers' senders and receivers do. live.md describes how close this model is to real calls.
#ifndef CCSCOPE_SIM_LIVE_LIVE_FLOW_H_
#define CCSCOPE_SIM_LIVE_LIVE_FLOW_H_

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "sim/flow.h"
#include "sim/live/frame_assembly.h"
#include "sim/live/lateness.h"
#include "sim/media_flow.h"
#include "sim/media_source.h"
#include "sim/pool.h"
#include "trace/recorder.h"
#include "units/parameter.h"
#include "units/random.h"
#include "units/ring_buffer.h"

namespace ccscope::live {

struct Parameters {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/live/parameters.def"
#undef PARAMETER

  DataSize payload() const { return DataSize::Bytes(payload_bytes); }
  DataSize header() const { return DataSize::Bytes(header_bytes); }
};

inline constexpr int kParameterCount = static_cast<int>(sizeof(Parameters) / sizeof(double));
extern const ParameterSpec kParameterSpecs[kParameterCount];

class LiveFlow final : public Flow {
 public:
  LiveFlow(const FlowParams& params, const MediaSource::Params& source, const Parameters& live,
           MediaFlow::Controller controller, int index, int windows, std::uint64_t seed, FlowNetwork& network,
           Recorder& recorder);

  void Begin() override;
  void OnTimer(int timer, Timestamp now) override;
  void OnDelivered(Leg leg, std::uint32_t id, TimeDelta queue_delay, Timestamp now) override;
  void OnDropped(Leg leg, std::uint32_t id, Timestamp now) override;
  const SenderHalf* sender() const override { return controller_.sender.get(); }
  void Configure(const double* values) override { controller_.Configure(values); }
  DataRate target() const override { return rate_.target; }
  bool is_loss_bound() const override { return rate_.a_s < rate_.a_r; }
  DataRate highest_rate() const override { return source_params_.max_rate(); }
  void Trace(Timestamp now, TimeDelta interval, Recorder& recorder) override;
  double packets_under_way(Leg leg) const override {
    return static_cast<double>(leg == Leg::kData ? data_.used() : messages_.used() - replying_.size() - hearing_.size());
  }

 private:
  enum class What { kVideo, kAudio, kReport };
  struct DataPacket {
    What what = What::kVideo;
    bool again = false;
    bool delivered = false;  // in history_: whether a copy of this packet has arrived
    FramePacket frame = {};
    DataSize payload = {};
    DataSize size = {};  // on the wire
    Timestamp encoded = {};
    Timestamp sent = {};
  };
  struct Arriving {
    DataPacket packet;
    TimeDelta queue_delay;
  };
  struct Echo {
    Timestamp report_sent;
  };
  struct KeyFrameRequest {};
  // The losses that RTCP reports. They are used while no feedback arrives.
  struct Losses {
    double packets_received;
    double packets_lost;
  };
  using Message = std::variant<Feedback, Echo, FrameAssembly::Request, KeyFrameRequest, Losses>;
  struct SizedMessage {
    Message message;
    DataSize size;
  };

  // The events within the two pages and the relay. At most one event of each kind is scheduled; the queues below hold
  // the items that wait for the event.
  enum Event { kCapture, kSend, kPace, kEnter, kArrive, kReply, kHear, kStats, kTick, kApply, kEncode, kAskAgain, kAudio, kReport, kEvents };
  template <class T>
  struct Due {
    Timestamp at;
    T what;
  };

  void Schedule(Event event, Timestamp at);
  void Run(Event event, Timestamp now);
  void OnCapture(Timestamp now);
  void OnSend(Timestamp now);
  void OnPace(Timestamp now);
  void OnEnter(Timestamp now);
  void OnArrive(Timestamp now);
  void OnReply(Timestamp now);
  void OnHear(Timestamp now);
  void OnStats(Timestamp now);
  void OnTick(Timestamp now);
  void OnApply(Timestamp now);
  void AskAgain(Timestamp now);

  void Packetise(const MediaSource::Frame& frame, Timestamp now);
  void SendAgain(const FrameAssembly::Request& request, Timestamp now);
  void Leave(const DataPacket& packet, Timestamp now);
  void OnFrame(const FrameAssembly::Frame& frame);
  void Show(const FramePacket& frame, Timestamp now);
  void SeeStill(Timestamp now);
  void Reply(const Message& message, DataSize size, Timestamp now);
  void Want(Timestamp now);

  MediaSource::Params source_params_;
  Parameters live_;
  MediaFlow::Controller controller_;
  Recorder& recorder_;
  Random random_;
  MediaSource source_;
  RateUpdate rate_;
  Lateness camera_;
  Lateness sender_;
  Lateness relay_in_;
  Lateness relay_out_;
  Lateness receiver_;
  Lateness receiver_page_;
  Lateness sender_page_;

  std::array<Timestamp, kEvents> due_;
  Timestamp next_frame_;
  double frames_ = 0;
  double next_seq_ = 0;
  RingBuffer<Due<int>> stamped_;          // for each frame that waits to be sent: its number of packets
  RingBuffer<DataPacket> encoded_;        // the packets of these frames
  RingBuffer<DataPacket> pacer_;          // packets that wait for the pacer
  RingBuffer<DataPacket> pacer_again_;    // retransmissions, which are sent first
  std::vector<DataPacket> history_;       // indexed by sequence number modulo kHistory
  RingBuffer<Due<DataPacket>> entering_;  // packets that the relay has not handled yet
  RingBuffer<Due<Arriving>> arriving_;
  RingBuffer<Due<Pool<SizedMessage>::Index>> replying_;
  RingBuffer<Due<Pool<SizedMessage>::Index>> hearing_;
  DataSize sent_;
  Timestamp last_feedback_;
  DataRate encoder_target_;
  DataRate wanted_;
  Timestamp last_applied_ = Timestamp::MinusInfinity();
  FrameAssembly assembly_;
  double packets_received_ = 0;
  DataSize bytes_received_;
  Timestamp last_shown_ = Timestamp::MinusInfinity();
  // Since when the same picture is shown or, before the first one, since when packets arrive.
  Timestamp still_since_ = Timestamp::PlusInfinity();
  bool is_still_ = false;  // whether a freeze that goes on has been counted
  TimeDelta playout_delay_;
  TimeDelta mean_interval_;
  Pool<DataPacket> data_;
  Pool<SizedMessage> messages_;
};

}  // namespace ccscope::live

#endif  // CCSCOPE_SIM_LIVE_LIVE_FLOW_H_
