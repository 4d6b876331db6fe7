// GCC's receiver half (ToN Fig. 1): packet grouping -> delay-based controller -> feedback with A_r. Additional rules
// can act through hooks (receiver_hooks.h). If the arrival filter runs in the sender half (CMP Fig. 3), this half only
// groups packets and sends d_m, and the hooks set no rate.
#ifndef CCSCOPE_CC_GCC_RECEIVER_H_
#define CCSCOPE_CC_GCC_RECEIVER_H_

#include <memory>
#include <optional>

#include "cc/controller.h"
#include "cc/gcc/delay_based_controller.h"
#include "cc/gcc/feedback_values.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/receiver_hooks.h"
#include "cc/inbound_stream.h"
#include "trace/recorder.h"
#include "units/units.h"

namespace ccscope::gcc {

class Receiver final : public ReceiverHalf {
 public:
  // Group and feedback rows go to `recorder`, which must outlive the receiver.
  Receiver(const Parameters& parameters, double flow, Recorder& recorder,
           std::unique_ptr<ReceiverHooks> hooks = std::make_unique<ReceiverHooks>());
  void Configure(const double* values) override;

  [[nodiscard]] std::optional<Feedback> OnArrival(const Arrival& arrival) override;
  [[nodiscard]] std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) override;
  FrameCapacity* frame_capacity() override { return hooks_->frame_capacity(); }

 private:
  void OnGroups(const GroupDeltas& deltas);
  void KeepForSender(const GroupDeltas& deltas);
  bool sender_filters() const { return params_.filters_at() == FilterAt::kSender; }
  std::optional<DataRate> ReceivedRate();
  DelayBasedController::Conditions Conditions() { return {ReceivedRate(), loss_, rtt_}; }
  bool FollowHooks();
  void UpdateRate(Signal signal);
  void UpdateRatePeriodically();
  std::optional<Feedback> FeedbackIfDue();
  Feedback MakeFeedback();

  Parameters params_;
  double flow_;
  Recorder& recorder_;
  std::unique_ptr<ReceiverHooks> hooks_;
  InboundStream stream_;
  PacketGrouping grouping_;
  DelayBasedController controller_;

  TimeDelta rtt_;
  double loss_ = 0;  // fraction lost between the last two readings of the counters

  Feedback pairs_;  // the pairs of groups for the next message, if the filter runs in the sender half
  std::optional<Timestamp> last_pair_;

  DataRate drain_;  // the part of A_r that must not be used, as set by the hooks

  std::optional<Timestamp> last_feedback_;
  DataRate last_sent_rate_ = DataRate::PlusInfinity();
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_RECEIVER_H_
