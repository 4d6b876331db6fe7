// FQ-CoDel (RFC 8290): flows are hashed into queues, each controlled by CoDel. The queues share the link by deficit
// round robin; queues that have just begun to send are served before the others. fq_codel.md describes it.
#ifndef CCSCOPE_SIM_QUEUE_DISC_FQ_CODEL_H_
#define CCSCOPE_SIM_QUEUE_DISC_FQ_CODEL_H_

#include <cstdint>

#include "sim/queue_disc/codel_law.h"
#include "sim/queue_disc/flow_buckets.h"
#include "sim/queue_disc/packet_pool.h"
#include "sim/queue_disc/queue_disc.h"
#include "units/parameter.h"

namespace ccscope {

class FqCoDel final : public QueueDisc {
 public:
  struct Params {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/queue_disc/fq_codel.def"
#undef PARAMETER

    CoDelLaw::Params law() const {
      return {TimeDelta::Millis(target_ms), TimeDelta::Millis(interval_ms), DataSize::Bytes(mtu_bytes)};
    }
    enum class BacklogOf { kAll, kOwn };
    bool whole_backlog() const { return Choice<BacklogOf>(backlog_of) == BacklogOf::kAll; }
  };
  static constexpr int kNone = -1;
  struct FlowQueue {
    PacketList packets;
    CoDelLaw law;
    double deficit = 0;  // bytes that the queue may still send in this turn; negative: overdrawn
    bool listed = false;
    int next = kNone;  // the next queue in its list
  };
  // Queues in the order in which they are served.
  struct FlowList {
    int first = kNone;
    int last = kNone;
    bool empty() const { return first == kNone; }
  };
  struct State {
    PacketPool pool = {};
    FlowBuckets<FlowQueue> queues;
    FlowList new_flows = {};
    FlowList old_flows = {};
    int listed = 0;  // number of queues in both lists
  };
  struct Stats {
    double codel_drops = 0;
    double limit_drops = 0;
    double new_flows = 0;  // how often a queue began to send
  };

  FqCoDel(const Params& params, std::uint64_t seed);

  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override;
  std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) override;
  void OnCapacity(DataRate) override {}
  const QueueStats& stats() const override { return stats_; }

  const Stats& fq_stats() const { return fq_stats_; }
  int BucketOf(int flow) const { return state_.queues.BucketOf(flow); }

 private:
  class Head;  // the queue being served, with the interface that CoDelLaw expects

  void DropFromLongest(Timestamp now, DropSink& drops);
  void PushBack(FlowList& list, int index);
  void PopFront(FlowList& list);
  int NextInTurn();
  void SkipIdleRounds();

  Params params_;
  CoDelLaw::Params law_params_;
  State state_;
  QueueStats stats_;
  Stats fq_stats_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_FQ_CODEL_H_
