// Sets the rate of a live call from the bottleneck capacity that the frames of the call show (frame_dispersion.h). The
// encoder should send a fraction of that capacity. The rate may exceed the capacity, since an encoder may leave part of
// its target unused (encoder_share.h). While a queue has to drain, the rate is lower. While another flow fills the
// queue, losses set the rate instead (competitive_mode.h). This rule is ccscope's own addition to GCC; it is off unless
// the parameter capacity_probe is on. While SetsRate() is false, Next() returns no value; then the paper's detector and
// rate controller set the rate.
//
// The rate grows towards the estimated capacity in limited steps: after a step, the encoder should send at most 1.5
// times the rate recently delivered. The more the frames disagree about the capacity, the smaller this factor; it is at
// least 1.1. The rate falls together with the estimate. If several frames in a row have long service times, late time
// stamps cannot be the cause; the rate then falls at once, before the next feedback is due. After a single such frame,
// the sender is asked for less only until the next frame.
#ifndef CCSCOPE_CC_GCC_LIVE_CAPACITY_PROBE_H_
#define CCSCOPE_CC_GCC_LIVE_CAPACITY_PROBE_H_

#include <optional>

#include "cc/controller.h"
#include "cc/live/encoder_share.h"
#include "cc/live/frame_capacity.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/live/competitive_mode.h"
#include "cc/gcc/receiver_hooks.h"
#include "cc/live/room_for_drops.h"
#include "cc/gcc/live/room_for_waits.h"
#include "units/units.h"

namespace ccscope::gcc {

class CapacityProbe {
 public:
  struct Params {
    bool on;
    double target;          // fraction of the capacity
    TimeDelta time;         // time constant of the growth of the rate
    TimeDelta drain_time;   // zero: no drain
    DataRate min_bitrate;
    DataRate max_bitrate;
    explicit Params(const Parameters& p);
  };
  using Conditions = ReceiverHooks::Conditions;
  using Rate = ReceiverHooks::Rate;

  explicit CapacityProbe(const Parameters& parameters) : params_(parameters), competitive_mode_(parameters) {}
  void Configure(const Parameters& parameters) {
    params_ = Params(parameters);
    competitive_mode_.Configure(parameters);
    if (params_.on) return;
    capacity_.Reset();
    competitive_mode_ = CompetitiveMode(parameters);
  }
  bool on() const { return params_.on; }

  void OnFrame(const Arrival& arrival);
  void OnCounters(double loss, Timestamp now) { competitive_mode_.OnCounters(loss, now); }
  FrameCapacity& frame_capacity() { return capacity_; }

  // The capacity that the frames of about the last second show.
  std::optional<DataRate> Capacity() const { return capacity_.capacity(); }
  // Whether frames wait longer than late time stamps can explain, so that there must be a queue.
  bool SeesQueue() const { return capacity_.SeesQueue(); }
  // How long the newest frames waited behind earlier ones.
  TimeDelta Wait() const { return capacity_.Wait(); }
  // Whether the queue was empty for several groups in a row, including this group. Call it once per pair of groups. The
  // queue is measured by the one-way delay, so it includes packets of other flows.
  bool QueueStaysEmpty(const GroupDeltas& deltas);

  // Whether the rate must be lowered before the next feedback is due, because the capacity has fallen or is suspected
  // to have fallen (FrameCapacity::IsUrgent()). False while the competitive mode is on, since losses then determine the
  // rate.
  bool IsUrgent(DataRate a_r) const {
    return params_.on && !SeesCompetingFlow() && capacity_.IsUrgent(a_r * encoder_share_.value());
  }
  // Whether another flow fills the queue (competitive_mode.h).
  bool SeesCompetingFlow() const { return competitive_mode_.IsOn(); }
  // Whether Next() returns a rate: a capacity is known, or another flow fills the queue.
  bool SetsRate() const { return Capacity() || SeesCompetingFlow(); }
  // The next rate, given the current rate `a_r`; no value unless SetsRate().
  std::optional<Rate> Next(DataRate a_r, const Conditions& conditions, Timestamp now);

 private:
  DataRate Trusted(DataRate capacity, Timestamp now) const;
  DataRate Fall(DataRate a_r, DataRate capacity, const Conditions& conditions, Timestamp now);
  Rate Beside(DataRate a_r, DataRate delivered, const Conditions& conditions, TimeDelta elapsed, Timestamp now);
  DataRate Risen(DataRate a_r, DataRate level, DataRate delivered, TimeDelta elapsed) const;
  DataRate Drain(DataRate a_r, bool is_sure, Timestamp now) const;
  DataRate FramesDelivered(Timestamp now) const;
  DataRate Retransmissions(const Conditions& conditions, Timestamp now) const;
  void ObserveEncoder(DataRate asked, const Conditions& conditions, TimeDelta elapsed, Timestamp now);

  Params params_;
  FrameCapacity capacity_;
  Timestamp first_;
  Timestamp last_next_ = Timestamp::MinusInfinity();
  DataRate drain_;
  CompetitiveMode competitive_mode_;
  EncoderShare encoder_share_;
  RoomForDrops room_;
  RoomForWaits room_for_waits_;
  double loss_ = 0;  // averaged over half a second
  int groups_of_empty_queue_ = 0;
  // The end of the drain after a fall of the capacity, or the last time at which the competitive mode was on.
  Timestamp drained_at_ = Timestamp::MinusInfinity();
  bool is_sure_ = false;  // whether, at that fall, it was certain that a queue existed, or the fall was suspected
  // Set when a queue builds up although the rate is well below the measured capacity (kPlausibleShare), which suggests
  // that other flows use part of the capacity. `rate`: the rate at that time.
  struct Doubt {
    DataRate rate;
    Timestamp since;
  };
  std::optional<Doubt> doubt_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_CAPACITY_PROBE_H_
