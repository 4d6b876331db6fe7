#include "cc/gcc/receiver.h"

#include <limits>
#include <utility>

#include "cc/feedback_row.h"

namespace ccscope::gcc {
namespace {

constexpr TimeDelta kDeliveredWindow = TimeDelta::Seconds(1);

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder, std::unique_ptr<ReceiverHooks> hooks)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      hooks_(std::move(hooks)),
      stream_(parameters.received_rate_window()),
      grouping_(parameters),
      controller_(parameters, flow, recorder),
      rtt_(parameters.rtt_before_known()) {
  BeginPairs(pairs_);
}

void Receiver::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  grouping_.Configure(params_);
  controller_.Configure(params_);
  if (!sender_filters()) BeginPairs(pairs_);
  hooks_->Configure(params_);
  stream_.SetRateWindow(params_.received_rate_window());
}

std::optional<DataRate> Receiver::ReceivedRate() {
  return stream_.ReceivedRate(params_.rate_source(), params_.received_rate_window());
}

// Lets the hooks (receiver_hooks.h) update A_r. Returns false if the hooks leave A_r to the paper's rate controller.
bool Receiver::FollowHooks() {
  const auto delivered = stream_.ReceivedRate(params_.rate_source(), kDeliveredWindow);
  const auto next = hooks_->NextRate(controller_.a_r(), {delivered, loss_, rtt_}, stream_.now());
  drain_ = next ? next->drain : DataRate::Zero();
  if (next) controller_.Follow(next->a_r, stream_.now());
  return next.has_value();
}

// Lets the paper's rate controller update A_r.
void Receiver::UpdateRate(Signal signal) {
  if (signal == Signal::kOveruse && !controller_.MayDecreaseAgain(ReceivedRate(), rtt_, stream_.now())) return;
  drain_ = DataRate::Zero();
  controller_.UpdateRate(signal, Conditions(), stream_.now());
}

void Receiver::OnGroups(const GroupDeltas& deltas) {
  if (sender_filters()) return KeepForSender(deltas);
  const ReceiverHooks::Use use = hooks_->OnGroups(deltas, controller_.signal(), stream_.now());
  if (use.queue_is_restored) controller_.OnQueueRestored();
  if (use.is_filtered) controller_.OnGroups(deltas, stream_.now());
  if (hooks_->IsUrgent(controller_.a_r())) {
    FollowHooks();
  } else if (controller_.signal() == Signal::kOveruse && use.is_filtered && !hooks_->SetsRate()) {
    UpdateRate(Signal::kOveruse);
  }
  if (!controller_.records()) return;
  const DelayBasedController::LiveColumns live{hooks_->Capacity(), !use.is_filtered, hooks_->SeesCompetingFlow()};
  controller_.Record(deltas, Conditions(), live, stream_.now());
}

void Receiver::KeepForSender(const GroupDeltas& deltas) {
  const Timestamp now = stream_.now();
  pairs_.values[kOneWayDelay] = SentValue(deltas.one_way_delay.us());
  AddPair(pairs_, {deltas.delay_variation(), deltas.send, deltas.size, now - last_pair_.value_or(now)});
  last_pair_ = now;
}

void Receiver::UpdateRatePeriodically() {
  if (!FollowHooks() && !hooks_->IsPaused()) UpdateRate(controller_.signal());
}

std::optional<Feedback> Receiver::FeedbackIfDue() {
  const bool periodic =
      !last_feedback_ || stream_.now() - *last_feedback_ >= TimeDelta::Millis(params_.feedback_interval_ms);
  if (sender_filters()) {
    if (!periodic && PairCount(pairs_) < kMaxPairs) return std::nullopt;
    return MakeFeedback();
  }
  if (periodic) UpdateRatePeriodically();
  const DataRate requested = controller_.a_r() - drain_;
  if (!periodic && requested >= last_sent_rate_ * (1 - params_.feedback_fall_fraction)) return std::nullopt;
  last_sent_rate_ = requested;
  return MakeFeedback();
}

Feedback Receiver::MakeFeedback() {
  last_feedback_ = stream_.now();
  Feedback feedback = stream_.Message(ReceivedRate().value_or(DataRate::Zero()));
  if (sender_filters()) {
    feedback.value_count = pairs_.value_count;
    feedback.values = pairs_.values;
    BeginPairs(pairs_);
    RecordFeedback(feedback, flow_, recorder_);
  } else {
    feedback.Add(controller_.a_r().bps());
    feedback.Add(drain_.bps());
    RecordFeedback(feedback, flow_, recorder_, controller_.a_r(), drain_);
  }
  return feedback;
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  const std::optional<double> highest_seq = stream_.highest_seq();
  stream_.OnArrival(arrival);
  if (arrival.rtt) rtt_ = *arrival.rtt;
  hooks_->OnArrival(arrival, highest_seq, stream_.now());
  const auto deltas =
      grouping_.OnArrival(arrival.send_time, arrival.arrival_time, arrival.size, arrival.rtp_timestamp);
  if (deltas) OnGroups(*deltas);
  return FeedbackIfDue();
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  const auto counted = stream_.OnCounters(counters);
  const bool has_lost = counted && counted->lost > 0 && counted->received >= 0;
  loss_ = has_lost ? counted->lost / (counted->lost + counted->received) : 0;
  hooks_->OnCounters(loss_, stream_.now());
  if (!stream_.has_arrivals() || !last_feedback_) return std::nullopt;
  return FeedbackIfDue();
}

}  // namespace ccscope::gcc
