// PIE, Proportional Integral controller Enhanced (RFC 8033): a FIFO that drops arriving packets with a probability
// that a PI controller sets from the queuing delay. pie.md describes it, and states for each rule whether it is RFC
// 8033's or Linux 3.16's.
#ifndef CCSCOPE_SIM_QUEUE_DISC_PIE_H_
#define CCSCOPE_SIM_QUEUE_DISC_PIE_H_

#include <cstdint>

#include "sim/queue_disc/departure_rate.h"
#include "sim/queue_disc/queue_disc.h"
#include "units/random.h"
#include "units/parameter.h"
#include "units/ring_buffer.h"

namespace ccscope {

class Pie final : public QueueDisc {
 public:
  struct Params {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/queue_disc/pie.def"
#undef PARAMETER

    enum class Variant { kLinux, kRfc8033 };
    bool is_linux() const { return Choice<Variant>(variant) == Variant::kLinux; }
    TimeDelta target() const { return TimeDelta::Millis(target_ms); }
    TimeDelta t_update() const { return TimeDelta::Millis(t_update_ms); }
    TimeDelta burst_allowance() const { return TimeDelta::Millis(burst_allowance_ms); }
  };
  struct State {
    RingBuffer<Packet> packets;
    double probability = 0;
    double accumulated = 0;  // sum of the probabilities since the last drop; RFC 8033 only
    TimeDelta delay;         // at the last update
    TimeDelta old_delay;     // at the update before that
    TimeDelta burst_allowance;
    Timestamp next_update = Timestamp::MinusInfinity();  // -inf before the first packet
  };
  struct Stats {
    double early_drops = 0;
    double updates = 0;
  };

  Pie(const Params& params, std::uint64_t seed);

  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override;
  std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) override;
  void OnCapacity(DataRate) override {}
  const QueueStats& stats() const override { return stats_; }

  const State& state() const { return state_; }
  const Stats& pie_stats() const { return pie_stats_; }

  // The factor for alpha and beta at a drop probability: the lower the probability, the smaller the factor.
  static double TuningFactor(const Params& params, double probability);

 private:
  void RunUpdates(Timestamp now);
  bool Update();  // returns whether it changed anything
  bool RestartWhenCalm();  // returns whether it restarted
  bool DropEarly();
  bool IsCalm() const;

  Params params_;
  State state_;
  DepartureRate departure_rate_;
  Random random_;
  QueueStats stats_;
  Stats pie_stats_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_PIE_H_
