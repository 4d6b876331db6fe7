// GCC's receiver half (ToN Fig. 1): packet grouping -> delay-based controller -> feedback, with A_r; or,
// if the sender half is to filter (CMP Fig. 3), packet grouping -> feedback, with d_m. The rules for live
// calls (warm-up, hold, capacity probe) belong to the first.
#ifndef CCSCOPE_CC_GCC_RECEIVER_H_
#define CCSCOPE_CC_GCC_RECEIVER_H_

#include <optional>

#include "cc/controller.h"
#include "cc/gcc/capacity_probe.h"
#include "cc/gcc/delay_based_controller.h"
#include "cc/gcc/feedback_values.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"
#include "cc/packet_counter.h"
#include "cc/received_rate.h"
#include "trace/recorder.h"
#include "units/units.h"

namespace ccscope::gcc {

class Receiver final : public ReceiverHalf {
 public:
  // Group and feedback rows go to `recorder`, which outlives the receiver.
  Receiver(const Parameters& parameters, double flow, Recorder& recorder);
  void Configure(const double* values) override;

  [[nodiscard]] std::optional<Feedback> OnArrival(const Arrival& arrival) override;
  [[nodiscard]] std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) override;

 private:
  void AdvanceClock(Timestamp now);
  void BeginHold();
  void HoldIfDisturbed(const Arrival& arrival);
  bool Settled(const GroupDeltas& deltas) const;
  bool Held(const GroupDeltas& deltas);
  void OnGroups(const GroupDeltas& deltas);
  void KeepForSender(const GroupDeltas& deltas);
  bool sender_filters() const { return params_.filter_at != 0; }
  std::optional<DataRate> ReceivedRate();
  std::optional<DataRate> DeliveredRate();
  bool FollowFrames();
  void UpdateRate(Signal signal);
  void UpdateRatePeriodically();
  std::optional<Feedback> FeedbackIfDue();
  Feedback MakeFeedback();

  Parameters params_;
  double flow_;
  Recorder& recorder_;
  PacketGrouping grouping_;
  DelayBasedController controller_;
  CapacityProbe probe_;
  ArrivalRate arrival_rate_;         // R_r
  WireRate wire_rate_;

  Timestamp now_ = Timestamp::MinusInfinity();  // the latest time of any input
  Timestamp started_;
  TimeDelta rtt_;
  Timestamp last_send_time_;
  Timestamp last_arrival_time_;

  PacketCounter packets_;
  double loss_ = 0;  // fraction lost between the last two readings of the counters

  // Hold behind a key frame or a gap.
  std::optional<Timestamp> hold_since_;
  int groups_held_ = 0;
  std::optional<TimeDelta> one_way_delay_before_;
  std::optional<TimeDelta> last_one_way_delay_;

  Feedback pairs_;  // its values are those of the next message, if the sender half filters
  std::optional<Timestamp> last_pair_;

  DataRate drain_;

  std::optional<Timestamp> last_feedback_;
  DataRate last_sent_rate_ = DataRate::PlusInfinity();
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_RECEIVER_H_
