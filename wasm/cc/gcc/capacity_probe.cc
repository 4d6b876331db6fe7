#include "cc/gcc/capacity_probe.h"

#include <algorithm>

namespace ccscope::gcc {
namespace {

// Frames looked at: to grow by, and to notice a fall with.
constexpr TimeDelta kHorizon = TimeDelta::Seconds(1);
constexpr int kFrames = 6;
constexpr TimeDelta kFallHorizon = TimeDelta::Millis(150);
constexpr int kFallFrames = 3;
// A capacity below this share of what is sent has fallen, if the newest frame waited for longer than
// this; smaller excesses are the over-use detector's.
constexpr double kFallenTo = 0.85;
constexpr TimeDelta kWaitOfFall = TimeDelta::Millis(12);
// An empty queue: the one-way delay is within this of propagation and own serialisation.
constexpr TimeDelta kEmptyQueue = TimeDelta::Millis(5);
constexpr int kGroupsOfEmptyQueue = 4;
// How long an encoder takes to follow a new target, beyond the RTT.
constexpr TimeDelta kEncoderResponse = TimeDelta::Millis(100);
// A wait below this is within the burst of one frame; draining more leaves at least this share of A_r.
constexpr TimeDelta kWaitToDrain = TimeDelta::Millis(30);
constexpr double kDrainFloor = 0.12;

}  // namespace

CapacityProbe::Params::Params(const Parameters& p)
    : on(p.capacity_probe != 0),
      drain_time(TimeDelta::Seconds(p.burst_drain_s)),
      alpha(p.alpha),
      min_bitrate(p.min_bitrate()) {}

void CapacityProbe::OnFrame(const Arrival& arrival) {
  if (params_.on) dispersion_.OnFrame(arrival);
}

std::optional<DataRate> CapacityProbe::Capacity(std::optional<DataRate> delivered) const {
  if (!params_.on) return std::nullopt;
  const auto estimate = dispersion_.Capacity(kHorizon, kFrames);
  if (!estimate) return std::nullopt;
  return std::max(estimate->lower, delivered.value_or(DataRate::Zero()));
}

std::optional<DataRate> CapacityProbe::LatestCapacity(std::optional<DataRate> delivered, bool behind_losses) const {
  if (!params_.on) return std::nullopt;
  const auto estimate = dispersion_.Capacity(kFallHorizon, kFallFrames);
  if (!estimate) return std::nullopt;
  return behind_losses ? std::max(estimate->upper, delivered.value_or(DataRate::Zero())) : estimate->upper;
}

bool CapacityProbe::HasFallenBelow(DataRate sent, std::optional<DataRate> latest_capacity) const {
  return latest_capacity && *latest_capacity < sent * kFallenTo && Wait() > kWaitOfFall;
}

bool CapacityProbe::QueueStaysEmpty(const GroupDeltas& deltas, std::optional<DataRate> capacity) {
  if (!params_.on) return false;
  const std::optional<TimeDelta> base = dispersion_.Base();
  if (!base || !capacity) return false;
  const TimeDelta excess = deltas.one_way_delay - *base - deltas.later_size / *capacity;
  groups_of_empty_queue_ = excess < kEmptyQueue ? groups_of_empty_queue_ + 1 : 0;
  return groups_of_empty_queue_ >= kGroupsOfEmptyQueue;
}

void CapacityProbe::ExpectBacklog(DataRate sent, DataRate capacity, TimeDelta rtt, Timestamp now) {
  if (!(capacity < sent * kFallenTo)) return;
  const TimeDelta unseen = Wait() + rtt + kEncoderResponse;
  expected_backlog_ = Wait() + unseen * (sent / capacity - 1);
  expected_at_ = now;
}

// Behind a fall the cut goes to the floor at once: an encoder fills its own buffer first, as large as
// 0.4 s of the new rate (VP8), so that a moderate cut makes frames larger before smaller.
DataRate CapacityProbe::Drain(DataRate a_r, std::optional<DataRate> capacity, Timestamp now) const {
  if (params_.drain_time == TimeDelta::Zero() || !capacity) return DataRate::Zero();
  const DataRate most = std::max(DataRate::Zero(), a_r - std::max(a_r * kDrainFloor, params_.min_bitrate));
  if (now - expected_at_ < expected_backlog_) return most;
  const TimeDelta excess = std::max(TimeDelta::Zero(), Wait() - kWaitToDrain);
  const DataRate drain = std::min(*capacity, a_r / params_.alpha) * (excess / params_.drain_time);
  return std::min(drain, most);
}

}  // namespace ccscope::gcc
