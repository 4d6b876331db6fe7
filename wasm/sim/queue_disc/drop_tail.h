// DropTail: first in, first out; a packet that would take the queue over its limit is dropped.
//
// References: the limit as a time is that of the GCC papers, T_q * C / 8 bytes
// (gcc-ton-2017, section V, the testbed). Attributes: Params. Two points the papers leave open:
//  - A limit given as a time follows the capacity when that changes; packets that already wait stay.
//    During an outage it is that of the capacity before.
//  - An empty queue takes any packet, so that no limit shuts the link for good (a whole video
//    frame may be larger than 300 ms of a slow link).
#ifndef CCSCOPE_SIM_QUEUE_DISC_DROP_TAIL_H_
#define CCSCOPE_SIM_QUEUE_DISC_DROP_TAIL_H_

#include <variant>

#include "sim/queue_disc/queue_disc.h"
#include "sim/ring_buffer.h"

namespace ccscope {

class DropTail final : public QueueDisc {
 public:
  struct Packets {
    double count = 0;
  };
  struct Params {
    std::variant<TimeDelta, DataSize, Packets> limit = TimeDelta::Millis(300);
  };
  struct State {
    RingBuffer<Packet> packets;
    DataSize byte_limit = DataSize::PlusInfinity();
    double packet_limit = kInfinity;
  };

  explicit DropTail(const Params& params);

  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override;
  std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) override;
  void OnCapacity(DataRate capacity) override;
  const QueueStats& stats() const override { return stats_; }

  DataSize byte_limit() const { return state_.byte_limit; }

 private:
  Params params_;
  State state_;
  QueueStats stats_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_DROP_TAIL_H_
