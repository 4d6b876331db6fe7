#include "cc/gcc/live/capacity_probe.h"

#include <algorithm>

#include "cc/live/drain_limits.h"
#include "units/deterministic_math.h"

namespace ccscope::gcc {
namespace {

// The delivered rate is measured over the last kHorizon. For kHorizon after the start and after each drain, this
// includes frames that were sent at an earlier rate. So the delivered rate is not yet compared with the requested rate.
constexpr TimeDelta kHorizon = TimeDelta::Seconds(1);
// The queue counts as empty if the one-way delay exceeds its minimum by less than this. The minimum is the propagation
// delay plus the transmission time of the group.
constexpr TimeDelta kEmptyQueue = TimeDelta::Millis(5);
constexpr int kGroupsOfEmptyQueue = 4;
// How long an encoder takes to follow a new target, in addition to the RTT.
constexpr TimeDelta kEncoderResponse = TimeDelta::Millis(100);
// A rate that grows may exceed the delivered rate by at most the fraction kBeyondDelivered. The more the frames
// disagree about the capacity (kDoubtPerSpread), the smaller the fraction, down to kLeastBeyondDelivered. The delivered
// rate is the higher of the rates over the last kNewest and over the last kHorizon.
constexpr TimeDelta kNewest = TimeDelta::Millis(250);
constexpr double kBeyondDelivered = 0.5;
constexpr double kLeastBeyondDelivered = 0.1;
constexpr double kDoubtPerSpread = 3;
// A higher delivered rate counts as this multiple of the requested rate.
constexpr double kMostOfAsked = 1.5;
constexpr DataRate kBeyondDeliveredOffset = DataRate::BitsPerSec(10e3);
// If a queue builds up while the flow sends less than this fraction of the measured capacity, other flows probably use
// part of the capacity. The capacity is then assumed to be at most the rate at which the queue built up. This limit
// rises with the cube of time, like CUBIC's window, and doubles within kDoubt.
constexpr double kPlausibleShare = 0.8;
constexpr TimeDelta kDoubt = TimeDelta::Seconds(8);
// The encoder's share is the rate sent divided by the target (encoder_share.h). It is measured over the last second and
// over the last kLatest. If the delivered rate is below the fraction kFarBelow of the capacity, the encoder could send
// more without causing a queue.
constexpr TimeDelta kLatest = TimeDelta::Millis(500);
constexpr double kFarBelow = 0.87;
// The rate is at most (kOfDelivered - fraction lost) times the delivered rate in two cases: if losses, averaged over
// kLossTime, are heavy, or if no frame has arrived for kNoFrames. But while it is not certain that there is a queue,
// kLeastOfDelivered (drain_limits.h) limits the cut.
constexpr TimeDelta kLossTime = TimeDelta::Millis(500);
constexpr TimeDelta kNoFrames = TimeDelta::Millis(500);
constexpr double kOfDelivered = 0.9;
// If packets were retransmitted, the counters report a higher rate than the frames show. But counters and frames are
// not measured over exactly the same second, so a difference of up to this fraction is ignored.
constexpr double kUnexplained = 0.1;

}  // namespace

CapacityProbe::Params::Params(const Parameters& p)
    : on(IsOn(p.capacity_probe)),
      target(p.capacity_probe_target),
      time(TimeDelta::Millis(p.capacity_probe_time_ms)),
      drain_time(TimeDelta::Seconds(p.burst_drain_s)),
      min_bitrate(p.min_bitrate()),
      max_bitrate(std::max(p.min_bitrate(), p.max_bitrate())) {}

void CapacityProbe::OnFrame(const Arrival& arrival) {
  if (!params_.on) return;
  capacity_.OnFrame(arrival);
  competitive_mode_.OnFrame(arrival);
  if (arrival.arrival_time <= drained_at_ + kHorizon) return room_for_waits_.Restart(arrival.arrival_time);
  room_for_waits_.OnFrame(Wait(), capacity_.frames().IsBunched(), arrival.arrival_time);
}

void CapacityProbe::ObserveEncoder(DataRate asked, const Conditions& conditions, TimeDelta elapsed, Timestamp now) {
  encoder_share_.OnAsked(asked, elapsed);
  if (now < drained_at_ + kHorizon || !conditions.delivered || now - first_ < kHorizon) return;
  const DataRate latest = capacity_.frames().Delivered(kLatest).value_or(DataRate::Zero());
  const bool has_room = *conditions.delivered < *Capacity() * kFarBelow;
  // A low delivered rate may lower the estimate of the encoder's share only if the encoder is the cause. A queue, or
  // losses in a full queue, also make the delivered rate lower than the rate sent. Random losses on the path do not
  // matter here, since their fraction is the same at every rate.
  const bool may_be_less = (!room_.LostIn(FrameCapacity::kLossShows, now) || room_.AreOfThePath(now)) && !SeesQueue();
  encoder_share_.OnDelivered({*conditions.delivered, latest, has_room, may_be_less}, elapsed);
  encoder_share_.OnQueue(capacity_.WaitToDrain(), elapsed);
}

bool CapacityProbe::QueueStaysEmpty(const GroupDeltas& deltas) {
  const std::optional<DataRate> capacity = Capacity();
  const std::optional<TimeDelta> base = capacity_.frames().Base();
  if (!base || !capacity) return false;
  const TimeDelta excess = deltas.one_way_delay - *base - deltas.later_size / *capacity;
  groups_of_empty_queue_ = excess < kEmptyQueue ? groups_of_empty_queue_ + 1 : 0;
  return groups_of_empty_queue_ >= kGroupsOfEmptyQueue;
}

DataRate CapacityProbe::Trusted(DataRate capacity, Timestamp now) const {
  if (!doubt_) return capacity;
  const double t = (now - doubt_->since) / kDoubt;
  return std::min(capacity, doubt_->rate * (1 + t * t * t));
}

// Returns the rate after a fall of the capacity, and sets the time until which the backlog is drained. The backlog
// includes data that the frames do not show yet: everything that is sent at the old rate after the newest frame, until
// the new rate takes effect.
DataRate CapacityProbe::Fall(DataRate a_r, DataRate capacity, const Conditions& conditions, Timestamp now) {
  const DataRate sent = a_r * encoder_share_.value();
  const TimeDelta unseen = Wait() + conditions.rtt + kEncoderResponse;
  const TimeDelta backlog = Wait() + unseen * std::max(0.0, sent / capacity - 1);
  drained_at_ = now + std::min(backlog, kLongestDrain);
  is_sure_ = capacity_.IsSureOfQueue(conditions.loss) || capacity_.Suspected();
  capacity_.OnFall(now);
  if (sent < *Capacity() * kPlausibleShare) doubt_ = Doubt{a_r, now};
  return capacity * (params_.target / encoder_share_.value());
}

DataRate CapacityProbe::Risen(DataRate a_r, DataRate level, DataRate delivered, TimeDelta elapsed) const {
  // While the rate grows, the newest frames show the delivered rate better than those of a whole second.
  delivered = std::max(delivered, capacity_.frames().Delivered(kNewest).value_or(DataRate::Zero()));
  // A delivered rate above this multiple of a_r is caused by a key frame or by frames that were stamped late.
  delivered = std::min(delivered, a_r * kMostOfAsked);
  const double beyond = std::max(kLeastBeyondDelivered, kBeyondDelivered * (1 - kDoubtPerSpread * capacity_.spread()));
  const DataRate risen = a_r + (level - a_r) * (1 - det::Exp(-(elapsed / params_.time)));
  return std::min(risen, std::max((delivered * (1 + beyond) + kBeyondDeliveredOffset) * (1 / encoder_share_.value()), a_r));
}

// The part of A_r that the sender must leave unused, so that the queue drains.
DataRate CapacityProbe::Drain(DataRate a_r, bool is_sure, Timestamp now) const {
  if (params_.drain_time == TimeDelta::Zero()) return DataRate::Zero();
  const auto all_but = [this, a_r](DataRate left) {
    return std::max(DataRate::Zero(), a_r - std::max(left * kLeftWhileDraining, params_.min_bitrate));
  };
  const DataRate most = all_but(a_r);
  if (now < drained_at_) return std::min(most, is_sure_ ? most : a_r * (1 - kLeastOfDelivered));
  if (const auto suspected = capacity_.Suspected()) return all_but(*suspected);
  const double share = is_sure ? kMostOfDrain : 1 - kLeastOfDelivered;
  return std::min(a_r * std::min(share, capacity_.WaitToDrain() / params_.drain_time), most);
}

DataRate CapacityProbe::FramesDelivered(Timestamp now) const {
  if (now - capacity_.latest_frame() > kHorizon) return DataRate::Zero();
  return capacity_.frames().Delivered(kHorizon).value_or(DataRate::Zero());
}

// The rate of the retransmissions: the rate on the wire less the rate of the frames. When a queue drops packets, the
// sender retransmits them in addition to its target rate. If the target rate leaves no room for the retransmissions,
// the queue drops them too.
DataRate CapacityProbe::Retransmissions(const Conditions& conditions, Timestamp now) const {
  const DataRate delivered = conditions.delivered.value_or(DataRate::Zero());
  return std::max(DataRate::Zero(), delivered * (1 - kUnexplained) - FramesDelivered(now));
}

// The rate while another flow fills the queue. Waits and losses that the other flow causes are discarded, so that they
// do not lower the rate after that flow has ended.
CapacityProbe::Rate CapacityProbe::Beside(DataRate a_r, DataRate delivered, const Conditions& conditions,
                                          TimeDelta elapsed, Timestamp now) {
  encoder_share_.OnAsked(a_r - drain_, elapsed);
  drain_ = DataRate::Zero();
  drained_at_ = now;
  loss_ = 0;
  room_for_waits_ = RoomForWaits();
  const DataRate next = competitive_mode_.Next(a_r, delivered, conditions.rtt, elapsed, now);
  return Rate{std::clamp(next, params_.min_bitrate, params_.max_bitrate), drain_};
}

std::optional<CapacityProbe::Rate> CapacityProbe::Next(DataRate a_r, const Conditions& conditions, Timestamp now) {
  if (!SetsRate()) return std::nullopt;
  const TimeDelta elapsed = std::clamp(now - last_next_, TimeDelta::Zero(), kHorizon);
  if (!last_next_.IsFinite()) first_ = now;
  last_next_ = now;
  // Counters arrive late, and incomplete frames are not counted as frames, so the larger of the two delivered rates is
  // used.
  const DataRate delivered = std::max(conditions.delivered.value_or(DataRate::Zero()), FramesDelivered(now));
  if (conditions.loss > 0) capacity_.OnLoss(now);
  if (SeesCompetingFlow()) return Beside(a_r, delivered, conditions, elapsed, now);
  room_.Update(conditions.loss > 0, now);
  ObserveEncoder(a_r - drain_, conditions, elapsed, now);
  DataRate level = Trusted(*Capacity(), now) * ((params_.target - room_.room()) * (1 - room_for_waits_.room()) / encoder_share_.value());
  if (conditions.loss > 0) level = std::max(level - Retransmissions(conditions, now), level * kLeastOfDelivered);
  if (const auto fallen = capacity_.FallenBelow(a_r * encoder_share_.value())) level = Fall(a_r, *fallen, conditions, now);
  // With heavy losses, or without frames, the delivered rate is more reliable than the capacity that frames show.
  loss_ += (conditions.loss - loss_) * (1 - det::Exp(-(elapsed / kLossTime)));
  const bool no_frames = now - capacity_.latest_frame() > kNoFrames;
  if (loss_ > FrameCapacity::kHeavyLoss || no_frames) level = std::min(level, delivered * (kOfDelivered - loss_));
  DataRate next = level > a_r ? Risen(a_r, level, delivered, elapsed) : level;
  const bool is_sure = capacity_.IsSureOfQueue(conditions.loss);
  if (!is_sure) {
    next = std::max(next, std::min(a_r, std::max(delivered, *Capacity()) * kLeastOfDelivered));
  }
  next = std::clamp(next, params_.min_bitrate, params_.max_bitrate);
  drain_ = Drain(next, is_sure, now);
  return Rate{next, drain_};
}

}  // namespace ccscope::gcc
