#include "cc/gcc/live/competitive_mode.h"

#include <algorithm>

#include "units/deterministic_math.h"

namespace ccscope::gcc {
namespace {

constexpr DataSize kPacketSize = DataSize::Bytes(1200);
// Losses are reported several times per second. An older report says nothing about the present.
constexpr TimeDelta kRecentReport = TimeDelta::Seconds(2);
// The rate grows to at most this multiple of the delivered rate.
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
  is_on_ = competing_flow_.IsPresent() && arrival.arrival_time - reported_at_ < kRecentReport;
}

void CompetitiveMode::OnOtherMode(DataRate delivered) {
  if (!competing_flow_.IsQueueFilled()) half_ = delivered * 0.5;
}

DataRate CompetitiveMode::Next(DataRate a_r, DataRate delivered, const ReceiverHooks::Conditions& conditions,
                               TimeDelta elapsed, Timestamp now) {
  const TimeDelta response = conditions.rtt + params_.response_offset;
  if (conditions.loss > 0) {
    if (now - cut_at_ < response) return a_r;
    cut_at_ = now;
    return half_ = a_r * params_.alpha;
  }
  const double responses = elapsed / response;
  DataRate next = a_r + DataRate::BitsPerSec(params_.packets * kPacketSize.bits() / response.seconds() * responses);
  if (a_r < half_) next = std::max(next, std::min(half_, a_r * det::Pow(params_.growth, elapsed.seconds())));
  return std::max(a_r, std::min(next, delivered * kBeyondDelivered + kBeyondDeliveredOffset));
}

}  // namespace ccscope::gcc
