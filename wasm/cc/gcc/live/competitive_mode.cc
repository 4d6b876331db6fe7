#include "cc/gcc/live/competitive_mode.h"

#include <algorithm>
#include <utility>

#include "units/deterministic_math.h"

namespace ccscope::gcc {
namespace {

constexpr DataSize kPacketSize = DataSize::Bytes(1200);
constexpr TimeDelta kShortestRtt = TimeDelta::Millis(10);
constexpr TimeDelta kRecently = TimeDelta::Seconds(2);

}  // namespace

CompetitiveMode::Params::Params(const Parameters& p)
    : alpha(p.alpha),
      growth(p.fast_start_factor),
      packets(p.additive_packets),
      bound_factor(p.upper_bound_factor),
      bound_offset(DataRate::BitsPerSec(p.upper_bound_offset_bps)) {}

void CompetitiveMode::OnFrame(const Arrival& arrival) {
  competing_flow_.OnFrame(arrival);
  const bool was_on = is_on_;
  is_on_ = competing_flow_.IsPresent() && arrival.arrival_time - read_at_ < kRecently;
  if (!is_on_ || was_on) return;
  threshold_ = competing_flow_.DeliveredBefore() * 0.5;
  lost_ = false;  // losses from before the mode began do not count
}

void CompetitiveMode::OnCounters(double loss, Timestamp now) {
  read_at_ = now;
  lost_ = lost_ || loss > 0;
}

// Whether packets were lost since the previous rate was set. False if the rate was cut less than one RTT ago, so that
// several losses within one RTT count once.
bool CompetitiveMode::HasLost(TimeDelta rtt, Timestamp now) {
  return std::exchange(lost_, false) && now - cut_at_ >= rtt;
}

DataRate CompetitiveMode::Next(DataRate a_r, DataRate delivered, TimeDelta rtt, TimeDelta elapsed, Timestamp now) {
  rtt = std::max(rtt, kShortestRtt);
  const bool is_bounded = params_.bound_factor > 0;
  const DataRate most = is_bounded ? delivered * params_.bound_factor + params_.bound_offset : DataRate::PlusInfinity();
  if (HasLost(rtt, now)) {
    cut_at_ = now;
    return threshold_ = std::min(a_r, most) * params_.alpha;
  }
  const DataRate step = DataRate::BitsPerSec(params_.packets * kPacketSize.bits() / rtt.seconds());
  DataRate next = a_r + step * (elapsed / rtt);
  if (a_r < threshold_) next = std::max(next, std::min(threshold_, a_r * det::Pow(params_.growth, elapsed.seconds())));
  return std::min(next, most);
}

}  // namespace ccscope::gcc
