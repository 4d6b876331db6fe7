// DropTail: first in, first out; an arriving packet is dropped if the queue is not empty and would exceed its limit.
// drop_tail.md describes it.
#ifndef CCSCOPE_SIM_QUEUE_DISC_DROP_TAIL_H_
#define CCSCOPE_SIM_QUEUE_DISC_DROP_TAIL_H_

#include "sim/queue_disc/queue_disc.h"
#include "units/parameter.h"
#include "units/ring_buffer.h"

namespace ccscope {

class DropTail final : public QueueDisc {
 public:
  // If several limits are set, each of them applies.
  struct Params {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/queue_disc/drop_tail.def"
#undef PARAMETER

    // Parameters with a single limit: a time, a number of bytes, or a number of packets. A time T_q at capacity C is
    // a limit of T_q * C / 8 bytes (gcc-ton-2017, section V, the testbed).
    static Params Time(TimeDelta limit) { return {limit.ms(), 0, 0}; }
    static Params Bytes(DataSize limit) { return {0, limit.bytes(), 0}; }
    static Params Packets(double limit) { return {0, 0, limit}; }
  };
  struct State {
    RingBuffer<Packet> packets;
    DataSize time_limit = DataSize::PlusInfinity();  // limit_ms in bytes at the current capacity
    DataSize byte_limit;
    double packet_limit;
  };

  explicit DropTail(const Params& params);

  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override;
  std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) override;
  void OnCapacity(DataRate capacity) override;
  const QueueStats& stats() const override { return stats_; }

  DataSize byte_limit() const;

 private:
  Params params_;
  State state_;
  QueueStats stats_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_DROP_TAIL_H_
