// SFQ, Stochastic Fairness Queueing (McKenney 1990): flows are hashed into queues. The queues take turns, each
// sending a quantum of bytes. If the discipline is full, the last packet of the longest queue is dropped. sfq.md
// describes it.
#ifndef CCSCOPE_SIM_QUEUE_DISC_SFQ_H_
#define CCSCOPE_SIM_QUEUE_DISC_SFQ_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/queue_disc/flow_buckets.h"
#include "sim/queue_disc/packet_pool.h"
#include "sim/queue_disc/queue_disc.h"
#include "units/parameter.h"
#include "units/random.h"

namespace ccscope {

class Sfq final : public QueueDisc {
 public:
  struct Params {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/queue_disc/sfq.def"
#undef PARAMETER
  };
  static constexpr int kNone = -1;
  struct FlowQueue {
    PacketList packets;
    double allotment = 0;  // bytes that the queue may still send in this turn; negative: overdrawn
    int next = kNone;      // the next queue in the round, a circular list; the queue after State::last is served next
    int peer_next = kNone;  // the next queue in the list of queues of this length
    int peer_previous = kNone;
  };
  struct State {
    PacketPool pool = {};
    FlowBuckets<FlowQueue> queues;
    int last = kNone;                 // the last queue of the round; kNone while nothing waits
    int active = 0;                   // queues in the round
    std::vector<int> first_of_length = {};  // for each length: the queue that reached it last
    int longest = 0;
    DataSize time_limit = DataSize::PlusInfinity();  // limit_ms in bytes at the current capacity
  };
  struct Stats {
    double depth_drops = 0;  // the flow's queue was full
    double limit_drops = 0;  // the discipline was full
  };

  Sfq(const Params& params, std::uint64_t seed);

  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override;
  std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) override;
  void OnCapacity(DataRate capacity) override;
  const QueueStats& stats() const override { return stats_; }

  const Stats& sfq_stats() const { return sfq_stats_; }
  int BucketOf(int flow) const { return state_.queues.BucketOf(flow); }

 private:
  void PerturbIfDue(Timestamp now, DropSink& drops);
  void Rehash(Timestamp now, DropSink& drops);
  void Append(int index, const Packet& packet);
  bool IsOverLimit() const;
  void DropFromLongest(Timestamp now, DropSink& drops);
  void JoinRound(int index);
  void LeaveRound(int index);  // the queue must be the next to be served
  int NextInTurn();
  void SkipIdleRounds();
  void LinkByLength(int index);
  void UnlinkByLength(int index);

  Params params_;
  State state_;
  QueueStats stats_;
  Stats sfq_stats_;
  Random random_;
  std::optional<Timestamp> next_perturbation_;  // no value until the first packet
  std::vector<Packet> rehashed_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_SFQ_H_
