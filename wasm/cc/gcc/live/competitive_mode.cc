#include "cc/gcc/live/competitive_mode.h"

#include <algorithm>
#include <utility>

#include "units/deterministic_math.h"

namespace ccscope::gcc {
namespace {

constexpr DataSize kPacketSize = DataSize::Bytes(1200);
constexpr TimeDelta kRecently = TimeDelta::Seconds(2);
// The rate is at most this multiple of the delivered rate, plus the offset.
constexpr double kBeyondDelivered = 1.5;
constexpr DataRate kBeyondDeliveredOffset = DataRate::BitsPerSec(10e3);

}  // namespace

CompetitiveMode::Params::Params(const Parameters& p)
    : alpha(p.alpha),
      growth(p.fast_start_factor),
      packets(p.additive_packets),
      response_offset(TimeDelta::Millis(p.response_time_offset_ms)) {}

void CompetitiveMode::OnFrame(const Arrival& arrival) {
  competing_flow_.OnFrame(arrival);
  const bool was_on = is_on_;
  is_on_ = competing_flow_.IsPresent() && arrival.arrival_time - read_at_ < kRecently;
  if (is_on_ && !was_on) threshold_ = competing_flow_.DeliveredBefore() * 0.5;
}

void CompetitiveMode::OnCounters(double loss, Timestamp now) {
  read_at_ = now;
  lost_ = lost_ || loss > 0;
}

// Whether packets were lost since the previous rate, and the rate has not fallen within the last response time: several
// losses within one response time count once.
bool CompetitiveMode::HasLost(TimeDelta response, Timestamp now) {
  return std::exchange(lost_, false) && now - cut_at_ >= response;
}

DataRate CompetitiveMode::Next(DataRate a_r, DataRate delivered, TimeDelta rtt, TimeDelta elapsed, Timestamp now) {
  const TimeDelta response = std::max(rtt + params_.response_offset, TimeDelta::Millis(1));
  const DataRate most = delivered * kBeyondDelivered + kBeyondDeliveredOffset;
  if (HasLost(response, now)) {
    cut_at_ = now;
    return threshold_ = std::min(a_r, most) * params_.alpha;
  }
  const DataRate step = DataRate::BitsPerSec(params_.packets * kPacketSize.bits() / response.seconds());
  DataRate next = a_r + step * (elapsed / response);
  if (a_r < threshold_) next = std::max(next, std::min(threshold_, a_r * det::Pow(params_.growth, elapsed.seconds())));
  return std::min(next, most);
}

}  // namespace ccscope::gcc
