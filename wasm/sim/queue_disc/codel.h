// CoDel, Controlled Delay (RFC 8289): a FIFO that drops packets from its head while the delay stays above a target. The
// intervals between the drops become shorter and shorter. codel.md describes it; the law itself is in codel_law.h.
#ifndef CCSCOPE_SIM_QUEUE_DISC_CODEL_H_
#define CCSCOPE_SIM_QUEUE_DISC_CODEL_H_

#include "sim/queue_disc/codel_law.h"
#include "sim/queue_disc/queue_disc.h"
#include "units/parameter.h"
#include "units/ring_buffer.h"

namespace ccscope {

class CoDel final : public QueueDisc {
 public:
  struct Params {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/queue_disc/codel.def"
#undef PARAMETER

    CoDelLaw::Params law() const {
      return {TimeDelta::Millis(target_ms), TimeDelta::Millis(interval_ms), DataSize::Bytes(mtu_bytes),
              Choice<LeastBacklog>(least_backlog) == LeastBacklog::kLargest};
    }
    enum class LeastBacklog { kMtu, kLargest };
  };
  struct State {
    RingBuffer<Packet> packets;
    CoDelLaw law;
  };

  explicit CoDel(const Params& params) : params_(params), law_params_(params.law()) {}

  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override;
  std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) override;
  void OnCapacity(DataRate) override {}
  const QueueStats& stats() const override { return stats_; }

  const CoDelLaw& law() const { return state_.law; }

 private:
  Params params_;
  CoDelLaw::Params law_params_;
  State state_;
  QueueStats stats_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_CODEL_H_
