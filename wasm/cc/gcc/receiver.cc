#include "cc/gcc/receiver.h"

#include <algorithm>
#include <limits>

namespace ccscope::gcc {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
// Horizons of the capacity from frame dispersion: one to grow by, one to notice a fall with.
constexpr TimeDelta kCapacityHorizon = TimeDelta::Seconds(1);
constexpr int kCapacityFrames = 6;
constexpr TimeDelta kCapacityFallHorizon = TimeDelta::Millis(150);
constexpr int kCapacityFallFrames = 3;
constexpr TimeDelta kDeliveredWindow = TimeDelta::Millis(250);
// A wait below the first is within the burst of one frame; below the second no fall is believed.
constexpr TimeDelta kWaitThatCounts = TimeDelta::Millis(30);
constexpr TimeDelta kWaitOfFall = TimeDelta::Millis(12);
// A capacity below this share of A_r has fallen; smaller excesses are the over-use detector's.
constexpr double kFallenTo = 0.85;
constexpr int kGroupsBeforeSettled = 2;
// A queue that was empty for so many groups in a row does not grow, whatever m still says.
constexpr TimeDelta kEmptyQueue = TimeDelta::Millis(5);
constexpr int kGroupsOfEmptyQueue = 4;
// Losses with a wait beyond this come from a full queue, not from the path.
constexpr TimeDelta kOverflowingWait = TimeDelta::Millis(50);
// How long an encoder takes to follow a new target, beyond the RTT.
constexpr TimeDelta kEncoderResponse = TimeDelta::Millis(100);
// Draining a backlog leaves at least this share of A_r.
constexpr double kDrainFloor = 0.12;

}  // namespace

Receiver::Receiver(const Parameters& parameters, double flow, Recorder& recorder)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      grouping_(parameters),
      filter_(parameters),
      detector_(parameters),
      rate_controller_(parameters),
      arrival_rate_(TimeDelta::Millis(parameters.received_rate_window_ms)),
      latest_arrival_rate_(kDeliveredWindow),
      rtt_(parameters.rtt_before_known()) {}

void Receiver::Configure(const Parameters& parameters) {
  params_ = parameters;
  grouping_.Configure(parameters);
  filter_.Configure(parameters);
  detector_.Configure(parameters);
  rate_controller_.Configure(parameters);
  arrival_rate_.SetWindow(TimeDelta::Millis(parameters.received_rate_window_ms));
}

void Receiver::AdvanceClock(Timestamp now) {
  if (!now_.IsFinite()) started_ = now;
  now_ = std::max(now_, now);
}

void Receiver::CountPacket(double seq) {
  const bool newest = !highest_seq_ || seq > *highest_seq_;
  if (!has_counters_) {
    ++packets_received_;
    if (newest && highest_seq_) packets_lost_ += seq - *highest_seq_ - 1;
    if (!newest && packets_lost_ > 0) --packets_lost_;  // late, not lost
  }
  if (newest) highest_seq_ = seq;
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
  if (!highest_seq_) return;
  if (arrival.key_frame || arrival.seq > *highest_seq_ + 1) BeginHold();
}

// Whether the queue is back to what it was before the disturbance.
bool Receiver::Settled(const GroupDeltas& deltas) const {
  const TimeDelta margin = TimeDelta::Millis(params_.hold_release_ms);
  if (params_.capacity_probe != 0) return dispersion_.Wait() <= margin;
  return one_way_delay_before_ && deltas.one_way_delay <= *one_way_delay_before_ + margin;
}

// The queue is what it was, or empty: neither m nor the signal speaks of it any more.
void Receiver::OnQueueRestored() {
  filter_.OnQueueRestored();
  detector_.OnQueueRestored();
}

bool Receiver::Held(const GroupDeltas& deltas) {
  if (!hold_since_) return false;
  // The deltas lag by one group: the first of a hold are those of the groups before it.
  const bool settled = ++groups_held_ > kGroupsBeforeSettled && Settled(deltas);
  if (!settled && now_ - *hold_since_ < TimeDelta::Millis(params_.hold_max_ms)) return true;
  hold_since_.reset();
  if (settled) OnQueueRestored();
  return true;  // this pair still spans the disturbance
}

std::optional<DataRate> Receiver::ReceivedRate() {
  if (params_.received_rate_source == 1) {
    if (const auto rate = wire_rate_.Rate(TimeDelta::Millis(params_.received_rate_window_ms))) return rate;
  }
  return arrival_rate_.Rate(now_);
}

// What came through lately: a lower bound of the capacity.
std::optional<DataRate> Receiver::DeliveredRate() {
  if (params_.received_rate_source == 1) {
    if (const auto rate = wire_rate_.Rate(kDeliveredWindow)) return rate;
  }
  return latest_arrival_rate_.Rate(now_);
}

// The capacity to grow by; what came through is surely there.
std::optional<DataRate> Receiver::Capacity() {
  if (params_.capacity_probe == 0) return std::nullopt;
  const auto estimate = dispersion_.Capacity(kCapacityHorizon, kCapacityFrames);
  if (!estimate) return std::nullopt;
  return std::max(estimate->lower, DeliveredRate().value_or(DataRate::Zero()));
}

// The capacity to fall by: the most that the latest frames allow for.
std::optional<DataRate> Receiver::LatestCapacity() {
  if (params_.capacity_probe == 0) return std::nullopt;
  const auto estimate = dispersion_.Capacity(kCapacityFallHorizon, kCapacityFallFrames);
  if (!estimate) return std::nullopt;
  // Behind losses frames wait for what is sent again; what came through meanwhile tells more.
  return hold_since_ ? std::max(estimate->upper, DeliveredRate().value_or(DataRate::Zero())) : estimate->upper;
}

// The capacity has fallen below what is asked for and frames queue: no need to wait for m.
bool Receiver::QueueGrowsBeyondCapacity() {
  const std::optional<DataRate> capacity = LatestCapacity();
  return capacity && *capacity < rate_controller_.expected_sent() * kFallenTo && dispersion_.Wait() > kWaitOfFall;
}

// From the one-way delay, so that queues that others fill count as well.
bool Receiver::QueueStaysEmpty(const GroupDeltas& deltas) {
  const std::optional<TimeDelta> base = dispersion_.Base();
  const std::optional<DataRate> capacity = Capacity();
  if (!base || !capacity) return false;
  const TimeDelta excess = deltas.one_way_delay - *base - deltas.later_size / *capacity;
  groups_of_empty_queue_ = excess < kEmptyQueue ? groups_of_empty_queue_ + 1 : 0;
  return groups_of_empty_queue_ >= kGroupsOfEmptyQueue;
}

void Receiver::UpdateRate(Signal signal) {
  const std::optional<DataRate> capacity = signal == Signal::kOveruse ? LatestCapacity() : Capacity();
  const DataRate before = rate_controller_.expected_sent();
  rate_controller_.Update({signal, ReceivedRate(), capacity, loss_, rtt_}, now_);
  if (signal == Signal::kOveruse && capacity && *capacity < before * kFallenTo) ExpectBacklog(before, *capacity);
}

// What was sent at the old rate since the newest frame left, and will be until the new one is in
// force, is not seen yet, but it is on its way into the queue.
void Receiver::ExpectBacklog(DataRate sent, DataRate capacity) {
  const TimeDelta unseen = dispersion_.Wait() + rtt_ + kEncoderResponse;
  expected_backlog_ = dispersion_.Wait() + unseen * (sent / capacity - 1);
  expected_at_ = now_;
}

bool Receiver::ExpectsBacklog() const { return now_ - expected_at_ < expected_backlog_; }

void Receiver::OnGroups(const GroupDeltas& deltas) {
  last_one_way_delay_ = deltas.one_way_delay;
  const bool warming_up = now_ - started_ < TimeDelta::Millis(params_.warm_up_ms);
  const bool held = Held(deltas);
  if (QueueStaysEmpty(deltas) && detector_.signal() == Signal::kOveruse) OnQueueRestored();
  if (!warming_up && !held) {
    filter_.Update(deltas.arrival, deltas.send, deltas.size, detector_.signal());
    detector_.Detect(filter_.m(), deltas.send, filter_.num_deltas(), now_);
  }
  const bool overuse = (detector_.signal() == Signal::kOveruse && !held) || QueueGrowsBeyondCapacity();
  if (overuse && rate_controller_.MayDecreaseAgain(ReceivedRate(), rtt_, now_)) UpdateRate(Signal::kOveruse);
  RecordGroup(deltas, warming_up || held);
}

void Receiver::RecordGroup(const GroupDeltas& deltas, bool held) {
  const std::optional<DataRate> received = ReceivedRate();
  const std::optional<DataRate> capacity = Capacity();
  recorder_.Output(GroupRow{
      .flow = flow_,
      .time_us = now_.us(),
      .send_delta_us = deltas.send.us(),
      .arrival_delta_us = deltas.arrival.us(),
      .size_delta_bytes = deltas.size.bytes(),
      .delay_variation_ms = deltas.delay_variation().ms(),
      .m_ms = filter_.m().ms(),
      .inverse_capacity_ms_per_byte = filter_.inverse_capacity_ms_per_byte(),
      .noise_variance_ms2 = filter_.noise_variance_ms2(),
      .gamma_ms = detector_.gamma().ms(),
      .detector_input_ms = detector_.detector_input().ms(),
      .signal = static_cast<double>(detector_.signal()),
      .state = static_cast<double>(rate_controller_.acted_state()),
      .received_rate_bps = received ? received->bps() : kAbsent,
      .a_r_bps = rate_controller_.a_r().bps(),
      .num_deltas = static_cast<double>(filter_.num_deltas()),
      .one_way_delay_us = deltas.one_way_delay.us(),
      .capacity_estimate_bps = capacity ? capacity->bps() : kAbsent,
      .held = held ? 1.0 : 0.0,
  });
}

// What to leave of A_r to drain the backlog that the sender's own burst or a fall of the capacity
// left. Behind a fall the cut goes to the floor at once: an encoder fills its own buffer first, as
// large as 0.4 s of the new rate (VP8), so that a moderate cut makes frames larger before smaller.
DataRate Receiver::Drain() {
  const DataRate a_r = rate_controller_.a_r();
  const std::optional<DataRate> capacity = Capacity();
  if (params_.burst_drain_s == 0 || !capacity) return DataRate::Zero();
  const DataRate most = std::max(DataRate::Zero(), a_r - std::max(a_r * kDrainFloor, params_.min_bitrate()));
  if (ExpectsBacklog()) return most;
  const TimeDelta excess = std::max(TimeDelta::Zero(), dispersion_.Wait() - kWaitThatCounts);
  const DataRate drain = std::min(*capacity, a_r / params_.alpha) * (excess / TimeDelta::Seconds(params_.burst_drain_s));
  return std::min(drain, most);
}

std::optional<Feedback> Receiver::FeedbackIfDue() {
  const bool periodic =
      !last_feedback_ || now_ - *last_feedback_ >= TimeDelta::Millis(params_.feedback_interval_ms);
  if (periodic && !hold_since_) {
    const bool overuse = detector_.signal() == Signal::kOveruse || QueueGrowsBeyondCapacity();
    if (!overuse || rate_controller_.MayDecreaseAgain(ReceivedRate(), rtt_, now_)) {
      UpdateRate(overuse ? Signal::kOveruse : detector_.signal());
    }
  }
  const DataRate drain = Drain();
  const DataRate requested = rate_controller_.a_r() - drain;
  if (!periodic && requested >= last_sent_rate_ * (1 - params_.feedback_fall_fraction)) return std::nullopt;
  last_feedback_ = now_;
  last_sent_rate_ = requested;
  const Feedback feedback{now_, rate_controller_.a_r(), ReceivedRate().value_or(DataRate::Zero()), packets_received_,
                          packets_lost_, last_send_time_, now_ - last_arrival_time_, drain};
  recorder_.Output(FeedbackRow{
      .flow = flow_,
      .time_us = feedback.time.us(),
      .a_r_bps = feedback.a_r.bps(),
      .received_rate_bps = feedback.received_rate.bps(),
      .packets_received = feedback.packets_received,
      .packets_lost = feedback.packets_lost,
      .echo_send_time_us = feedback.echo_send_time.us(),
      .echo_delay_us = feedback.echo_delay.us(),
      .drain_bps = feedback.drain.bps(),
  });
  return feedback;
}

std::optional<Feedback> Receiver::OnArrival(const Arrival& arrival) {
  AdvanceClock(arrival.arrival_time);
  if (arrival.rtt) rtt_ = *arrival.rtt;
  last_send_time_ = arrival.send_time;
  last_arrival_time_ = arrival.arrival_time;
  HoldIfDisturbed(arrival);
  CountPacket(arrival.seq);
  arrival_rate_.Add(arrival.size, arrival.arrival_time);
  latest_arrival_rate_.Add(arrival.size, arrival.arrival_time);
  if (params_.capacity_probe != 0) dispersion_.OnFrame(arrival);
  if (const auto deltas = grouping_.OnArrival(arrival.send_time, arrival.arrival_time, arrival.size)) OnGroups(*deltas);
  return FeedbackIfDue();
}

std::optional<Feedback> Receiver::OnInboundCounters(const InboundCounters& counters) {
  AdvanceClock(counters.time);
  wire_rate_.Add(counters);
  const double lost = counters.packets_lost - packets_lost_;
  const double received = counters.packets_received - packets_received_;
  loss_ = has_counters_ && lost > 0 && received >= 0 ? lost / (lost + received) : 0;
  if (loss_ > 0 && dispersion_.Wait() > kOverflowingWait) BeginHold();
  has_counters_ = true;
  packets_received_ = counters.packets_received;
  packets_lost_ = counters.packets_lost;
  if (!last_arrival_time_.IsFinite() || !last_feedback_) return std::nullopt;
  return FeedbackIfDue();
}

}  // namespace ccscope::gcc
