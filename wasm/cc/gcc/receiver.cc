#include "cc/gcc/receiver.h"

#include <algorithm>
#include <limits>

namespace ccscope::gcc {
namespace {

constexpr TimeDelta kDeliveredWindow = TimeDelta::Seconds(1);
// Deltas lag by one group: the first of a hold are those of the groups before it.
constexpr int kGroupsBeforeSettled = 2;
// Losses with a wait beyond this come from a full queue, not from the path.
constexpr TimeDelta kOverflowingWait = TimeDelta::Millis(50);

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      grouping_(parameters),
      controller_(parameters, flow, recorder),
      probe_(parameters),
      arrival_rate_(TimeDelta::Millis(parameters.received_rate_window_ms)),
      rtt_(parameters.rtt_before_known()) {
  BeginPairs(pairs_);
}

void Receiver::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  grouping_.Configure(params_);
  controller_.Configure(params_);
  if (!sender_filters()) BeginPairs(pairs_);
  probe_.Configure(params_);
  arrival_rate_.SetWindow(TimeDelta::Millis(params_.received_rate_window_ms));
}

void Receiver::AdvanceClock(Timestamp now) {
  if (!now_.IsFinite()) started_ = now;
  now_ = std::max(now_, now);
}

// A key frame's own serialisation fits the filter's model; the small frames that wait behind it do
// not (dL is large and negative while d_m is not), and after a loss d_m spans what is missing or
// what was sent again.
void Receiver::BeginHold() {
  if (params_.hold_max_ms == 0 || hold_since_) return;
  hold_since_ = now_;
  groups_held_ = 0;
  one_way_delay_before_ = last_one_way_delay_;
}

// The first frame has nothing behind it to disturb, and the start must not wait.
void Receiver::HoldIfDisturbed(const Arrival& arrival) {
  const std::optional<double> highest_seq = packets_.highest_seq();
  if (!highest_seq) return;
  if (arrival.key_frame || arrival.seq > *highest_seq + 1) BeginHold();
}

// Whether the queue is back to what it was before the disturbance.
bool Receiver::Settled(const GroupDeltas& deltas) const {
  const TimeDelta margin = TimeDelta::Millis(params_.hold_release_ms);
  if (probe_.on()) return probe_.Wait() <= margin;
  return one_way_delay_before_ && deltas.one_way_delay <= *one_way_delay_before_ + margin;
}

bool Receiver::Held(const GroupDeltas& deltas) {
  if (!hold_since_) return false;
  const bool settled = ++groups_held_ > kGroupsBeforeSettled && Settled(deltas);
  if (!settled && now_ - *hold_since_ < TimeDelta::Millis(params_.hold_max_ms)) return true;
  hold_since_.reset();
  if (settled) controller_.OnQueueRestored();
  return true;  // this pair still spans the disturbance
}

std::optional<DataRate> Receiver::ReceivedRate() {
  if (params_.received_rate_source == 1) {
    if (const auto rate = wire_rate_.Rate(TimeDelta::Millis(params_.received_rate_window_ms))) return rate;
  }
  return arrival_rate_.Rate(now_);
}

// What came through in the last second; only the probe asks for it.
std::optional<DataRate> Receiver::DeliveredRate() {
  if (params_.received_rate_source == 1) {
    if (const auto rate = wire_rate_.Rate(kDeliveredWindow)) return rate;
  }
  return arrival_rate_.Rate(now_);
}

// One update of A_r by what the frames show; false where they show nothing.
bool Receiver::FollowFrames() {
  const auto next = probe_.Next(controller_.a_r(), {DeliveredRate(), loss_, rtt_}, now_);
  drain_ = next ? next->drain : DataRate::Zero();
  if (next) controller_.Follow(next->a_r, now_);
  return next.has_value();
}

void Receiver::UpdateRate(Signal signal) {
  if (FollowFrames()) return;
  controller_.UpdateRate(signal, {ReceivedRate(), loss_, rtt_}, now_);
}

void Receiver::OnGroups(const GroupDeltas& deltas) {
  if (sender_filters()) return KeepForSender(deltas);
  last_one_way_delay_ = deltas.one_way_delay;
  const bool warming_up = now_ - started_ < TimeDelta::Millis(params_.warm_up_ms);
  const bool held = Held(deltas);
  // A queue that stays empty does not grow, whatever m still says.
  const bool empty = probe_.QueueStaysEmpty(deltas);
  if (empty && controller_.signal() == Signal::kOveruse) controller_.OnQueueRestored();
  if (!warming_up && !held) controller_.OnGroups(deltas, now_);
  if (probe_.HasFallen(controller_.a_r())) {
    FollowFrames();
  } else if (controller_.signal() == Signal::kOveruse && !held && !probe_.Capacity() &&
             controller_.MayDecreaseAgain(ReceivedRate(), rtt_, now_)) {
    UpdateRate(Signal::kOveruse);
  }
  if (!controller_.records()) return;
  controller_.Record(deltas, {ReceivedRate(), loss_, rtt_}, probe_.Capacity(), warming_up || held, now_);
}

void Receiver::KeepForSender(const GroupDeltas& deltas) {
  pairs_.values[kOneWayDelay] = SentValue(deltas.one_way_delay.us());
  AddPair(pairs_, {deltas.delay_variation(), deltas.send, deltas.size, now_ - last_pair_.value_or(now_)});
  last_pair_ = now_;
}

void Receiver::UpdateRatePeriodically() {
  if (FollowFrames() || hold_since_) return;
  const Signal signal = controller_.signal();
  if (signal != Signal::kOveruse || controller_.MayDecreaseAgain(ReceivedRate(), rtt_, now_)) UpdateRate(signal);
}

std::optional<Feedback> Receiver::FeedbackIfDue() {
  const bool periodic =
      !last_feedback_ || now_ - *last_feedback_ >= TimeDelta::Millis(params_.feedback_interval_ms);
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
  last_feedback_ = now_;
  Feedback feedback;
  feedback.time = now_;
  feedback.received_rate = ReceivedRate().value_or(DataRate::Zero());
  feedback.packets_received = packets_.received();
  feedback.packets_lost = packets_.lost();
  feedback.echo_send_time = last_send_time_;
  feedback.echo_delay = now_ - last_arrival_time_;
  DataRate a_r = controller_.a_r();
  DataRate drain = drain_;
  if (sender_filters()) {
    feedback.value_count = pairs_.value_count;
    feedback.values = pairs_.values;
    BeginPairs(pairs_);
    constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
    a_r = drain = DataRate::BitsPerSec(kAbsent);
  } else {
    feedback.Add(a_r.bps());
    feedback.Add(drain.bps());
  }
  recorder_.Output(FeedbackRow{
      .flow = flow_,
      .time_us = feedback.time.us(),
      .a_r_bps = a_r.bps(),
      .received_rate_bps = feedback.received_rate.bps(),
      .packets_received = feedback.packets_received,
      .packets_lost = feedback.packets_lost,
      .echo_send_time_us = feedback.echo_send_time.us(),
      .echo_delay_us = feedback.echo_delay.us(),
      .drain_bps = drain.bps(),
  });
  return feedback;
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  AdvanceClock(arrival.arrival_time);
  if (arrival.rtt) rtt_ = *arrival.rtt;
  last_send_time_ = arrival.send_time;
  last_arrival_time_ = arrival.arrival_time;
  HoldIfDisturbed(arrival);
  packets_.OnArrival(arrival.seq);
  arrival_rate_.Add(arrival.size, arrival.arrival_time);
  probe_.OnFrame(arrival);
  const auto deltas =
      grouping_.OnArrival(arrival.send_time, arrival.arrival_time, arrival.size, arrival.rtp_timestamp);
  if (deltas) OnGroups(*deltas);
  return FeedbackIfDue();
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  AdvanceClock(counters.time);
  wire_rate_.Add(counters);
  const double lost = counters.packets_lost - packets_.lost();
  const double received = counters.packets_received - packets_.received();
  loss_ = packets_.has_counters() && lost > 0 && received >= 0 ? lost / (lost + received) : 0;
  if (loss_ > 0 && probe_.Wait() > kOverflowingWait) BeginHold();
  packets_.OnCounters(counters);
  if (!last_arrival_time_.IsFinite() || !last_feedback_) return std::nullopt;
  return FeedbackIfDue();
}

}  // namespace ccscope::gcc
