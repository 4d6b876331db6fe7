// What a live call knows of the bottleneck beside the paper's filter, from the dispersion of its own
// frames: the capacity to grow by, a fall of it within a few frames, whether the queue is empty, and
// how much of A_r to leave unused until a backlog is drained. ccscope's own addition to GCC; every
// rule is off unless the parameter capacity_probe is on.
#ifndef CCSCOPE_CC_GCC_CAPACITY_PROBE_H_
#define CCSCOPE_CC_GCC_CAPACITY_PROBE_H_

#include <optional>

#include "cc/controller.h"
#include "cc/gcc/frame_dispersion.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

class CapacityProbe {
 public:
  struct Params {
    bool on;
    TimeDelta drain_time;  // zero: no drain
    double alpha;
    DataRate min_bitrate;
    explicit Params(const Parameters& p);
  };

  explicit CapacityProbe(const Parameters& parameters) : params_(parameters) {}
  void Configure(const Parameters& parameters) { params_ = Params(parameters); }
  bool on() const { return params_.on; }

  void OnFrame(const Arrival& arrival);

  // The capacity to grow by. `delivered`, what came through lately, is surely there.
  std::optional<DataRate> Capacity(std::optional<DataRate> delivered) const;
  // The capacity to fall by: the most that the latest few frames allow for. Behind losses, frames
  // wait for what is sent again, and `delivered` tells more.
  std::optional<DataRate> LatestCapacity(std::optional<DataRate> delivered, bool behind_losses) const;
  // Whether that is far below what is sent, and frames queue: no need to wait for m.
  bool HasFallenBelow(DataRate sent, std::optional<DataRate> latest_capacity) const;

  // How long the newest frame waited behind earlier ones.
  TimeDelta Wait() const { return dispersion_.Wait(); }
  // Whether the queue was empty for several groups in a row, these included; once per pair of groups.
  // From the one-way delay, so that queues that others fill count as well.
  bool QueueStaysEmpty(const GroupDeltas& deltas, std::optional<DataRate> capacity);

  // Behind a fall: what left at the old rate since the newest frame did, and will until the new rate
  // is in force, is not seen yet, but on its way into the queue.
  void ExpectBacklog(DataRate sent, DataRate capacity, TimeDelta rtt, Timestamp now);
  // What to leave of A_r to drain the backlog that the sender's own burst or a fall left.
  DataRate Drain(DataRate a_r, std::optional<DataRate> capacity, Timestamp now) const;

 private:
  Params params_;
  FrameDispersion dispersion_;
  int groups_of_empty_queue_ = 0;
  TimeDelta expected_backlog_;
  Timestamp expected_at_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_CAPACITY_PROBE_H_
