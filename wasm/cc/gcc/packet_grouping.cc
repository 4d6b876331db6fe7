#include "cc/gcc/packet_grouping.h"

#include <algorithm>

namespace ccscope::gcc {
namespace {

// The longest time between two successive arrivals of a burst (as in libwebrtc; equal to GRP's Delta T).
constexpr TimeDelta kBurstArrivalSpacing = TimeDelta::Millis(5);

// If the send time goes back by more than this, the sender's clock was restarted. A smaller step back is reordering.
constexpr TimeDelta kSendClockRestart = TimeDelta::Seconds(32);

}  // namespace

PacketGrouping::Params::Params(const Parameters& p)
    : by_frame(Choice<GroupBy>(p.group_by) == GroupBy::kFrame),
      pre_filter(Choice<PreFilter>(p.pre_filter)),
      group_length(TimeDelta::Millis(p.group_length_ms)),
      burst_max_duration(TimeDelta::Millis(p.burst_max_duration_ms)),
      reordering_reset_count(static_cast<int>(p.reordering_reset_count)),
      arrival_jump_reset(TimeDelta::Millis(p.arrival_jump_reset_ms)) {}

void PacketGrouping::Reset() {
  current_ = Group();
  previous_ = Group();
  reordered_in_a_row_ = 0;
}

bool PacketGrouping::BelongsToBurst(Timestamp send_time, Timestamp arrival_time) const {
  const TimeDelta send_delta = send_time - current_.last_send;
  // Like libwebrtc, rounds the difference of the send times to whole milliseconds. If it is then 0, the packets form
  // one burst.
  if (send_delta < TimeDelta::Millis(0.5) && send_delta >= TimeDelta::Zero()) return true;
  const TimeDelta arrival_delta = arrival_time - current_.last_arrival;
  const TimeDelta rounded_send = TimeDelta::Millis(static_cast<double>(static_cast<long long>(send_delta.ms() + 0.5)));
  const bool young = params_.burst_max_duration == TimeDelta::Zero() ||
                     arrival_time - current_.first_arrival < params_.burst_max_duration;
  return arrival_delta - rounded_send < TimeDelta::Zero() && arrival_delta <= kBurstArrivalSpacing && young;
}

bool PacketGrouping::BelongsToGroup(Timestamp send_time, Timestamp arrival_time,
                                    std::optional<double> rtp_timestamp) const {
  switch (params_.pre_filter) {
    case PreFilter::kGrp: {
      const TimeDelta arrival_delta = arrival_time - current_.last_arrival;
      const TimeDelta send_delta = send_time - last_packet_send_;
      if (arrival_delta < params_.group_length && arrival_delta < send_delta) return true;
      return send_delta < params_.group_length;
    }
    case PreFilter::kBurst:
      if (BelongsToBurst(send_time, arrival_time)) return true;
      break;
    case PreFilter::kOff:
      break;
  }
  if (params_.by_frame && rtp_timestamp && current_.rtp_timestamp) return *rtp_timestamp == *current_.rtp_timestamp;
  return send_time - current_.first_send <= params_.group_length;
}

std::optional<GroupDeltas> PacketGrouping::OnArrival(Timestamp send_time, Timestamp arrival_time, DataSize size,
                                                     std::optional<double> rtp_timestamp) {
  std::optional<GroupDeltas> deltas;
  if (!current_.empty && send_time - current_.first_send < -kSendClockRestart) Reset();
  if (current_.empty) {
    current_ = {false, send_time, send_time, arrival_time, arrival_time, DataSize::Zero(), rtp_timestamp};
  } else if (send_time < current_.first_send) {
    return std::nullopt;  // sent before the group began, and reordered on the way
  } else if (!BelongsToGroup(send_time, arrival_time, rtp_timestamp)) {
    if (!previous_.empty) {
      deltas = GroupDeltas{current_.last_send - previous_.last_send, current_.last_arrival - previous_.last_arrival,
                           current_.size - previous_.size, current_.size, current_.last_arrival - current_.last_send};
      if (params_.arrival_jump_reset > TimeDelta::Zero() && deltas->delay_variation() >= params_.arrival_jump_reset) {
        Reset();
        return std::nullopt;
      }
      if (deltas->arrival < TimeDelta::Zero()) {
        if (params_.reordering_reset_count > 0 && ++reordered_in_a_row_ >= params_.reordering_reset_count) Reset();
        return std::nullopt;
      }
      reordered_in_a_row_ = 0;
    }
    previous_ = current_;
    current_ = {false, send_time, send_time, arrival_time, arrival_time, DataSize::Zero(), rtp_timestamp};
  } else {
    current_.last_send = std::max(current_.last_send, send_time);
  }
  current_.size += size;
  current_.last_arrival = arrival_time;
  last_packet_send_ = send_time;
  return deltas;
}

}  // namespace ccscope::gcc
