// A video call in one direction: encoder -> pacer -> network -> receiver half -> feedback -> sender half -> encoder
// (ToN Fig. 1), with RTCP sender reports whose echo measures the RTT (ToN V). Depending on the source's parameters,
// there are also receiver reports, with their own intervals, and retransmissions.
#ifndef CCSCOPE_SIM_MEDIA_FLOW_H_
#define CCSCOPE_SIM_MEDIA_FLOW_H_

#include <memory>
#include <variant>
#include <vector>

#include "cc/controller.h"
#include "cc/packet_counter.h"
#include "cc/pacer.h"
#include "sim/flow.h"
#include "sim/media_source.h"
#include "sim/pool.h"
#include "sim/retransmission.h"
#include "units/random.h"
#include "trace/recorder.h"
#include "units/ring_buffer.h"

namespace ccscope {

class MediaFlow final : public Flow {
 public:
  // The two halves of the flow's controller.
  struct Controller {
    std::unique_ptr<ReceiverHalf> receiver;
    std::unique_ptr<SenderHalf> sender;

    void Configure(const double* values) {
      receiver->Configure(values);
      sender->Configure(values);
    }
  };

  MediaFlow(const FlowParams& params, const MediaSource::Params& source, std::vector<Window> pauses,
            Controller controller, int index, int windows, std::uint64_t seed, FlowNetwork& network,
            Recorder& recorder);

  void Begin() override;
  void OnTimer(int timer, Timestamp now) override;
  void OnDelivered(Leg leg, std::uint32_t id, TimeDelta queue_delay, Timestamp now) override;
  void OnDropped(Leg leg, std::uint32_t id, Timestamp now) override;
  bool ActiveThrough(Timestamp begin, Timestamp end) const override;
  const SenderHalf* sender() const override { return controller_.sender.get(); }
  void Configure(const double* values) override { controller_.Configure(values); }
  DataRate target() const override { return rate_.target; }
  bool is_loss_bound() const override { return rate_.a_s < rate_.a_r; }
  DataRate highest_rate() const override { return source_params_.max_rate(); }
  void Trace(Timestamp now, TimeDelta interval, Recorder& recorder) override;
  double packets_under_way(Leg leg) const override {
    return static_cast<double>(leg == Leg::kData ? data_.used() : messages_.used());
  }

 private:
  enum Timer { kFrame, kPacer, kProbe, kReport };

  // A media packet that waits in the pacer or is on its way; or a sender report.
  struct DataPacket {
    bool probe = false;
    bool key_frame = false;
    double seq = 0;
    double rtp_timestamp = 0;
    DataSize payload = {};
    DataSize size = {};   // on the wire
    Timestamp encoded = {};
    Timestamp sent = {};
    Timestamp first_sent = {};  // time of the first transmission; retransmissions do not change it
    TimeDelta rtt = {};   // the sender's latest RTT measurement when the packet was sent
  };
  struct Echo {
    Timestamp probe_sent;
  };
  struct ReceiverReport {
    double packets_received;
    double packets_lost;
  };
  struct Nack {
    MissingRun run;
  };
  struct PictureLoss {};
  using Message = std::variant<Feedback, Echo, ReceiverReport, Nack, PictureLoss>;

  void OnFrame(Timestamp now);
  void StartPacer(Timestamp now);
  void OnPacer(Timestamp now);
  void OnProbe(Timestamp now);
  void OnReport(Timestamp now);
  void OnMessage(const Message& message, Timestamp now);
  void Repeat(const MissingRun& run, Timestamp now);
  void AskForMissing(TimeDelta rtt, Timestamp now);
  bool may_repeat() const { return source_params_.retransmits(); }
  void SendData(DataPacket packet, Timestamp now);
  void SendMessage(const Message& message, DataSize size, Timestamp now);
  void OnArrival(const DataPacket& packet, TimeDelta queue_delay, Timestamp now);
  void ApplyRate(Timestamp now);
  bool Paused(Timestamp now) const;

  MediaSource::Params source_params_;
  std::vector<Window> pauses_;
  Controller controller_;
  Recorder& recorder_;
  Random random_;
  MediaSource source_;
  Pacer pacer_;
  RateUpdate rate_;
  RingBuffer<DataPacket> repeats_;  // retransmissions, which are sent before the packets in `paced_`
  RingBuffer<DataPacket> paced_;
  DataSize paced_size_;  // in `repeats_` and `paced_` together
  RingBuffer<DataPacket> sent_packets_;  // the latest packets sent, in the order of their sequence numbers
  DataSize sent_;  // total, on the wire
  Timestamp next_pacer_ = Timestamp::MinusInfinity();  // earliest start of the next pacer interval
  bool pacing_ = false;
  double next_seq_ = 0;
  NackList nacks_;
  PacketCounter arrived_;
  Pool<DataPacket> data_;
  Pool<Message> messages_;
};

// Records the rows of a media flow; `rate`: the rates of its controller.
void TraceRates(Flow& flow, const RateUpdate& rate, Timestamp now, TimeDelta interval, Recorder& recorder);

}  // namespace ccscope

#endif  // CCSCOPE_SIM_MEDIA_FLOW_H_
