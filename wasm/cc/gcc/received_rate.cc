#include "cc/gcc/received_rate.h"

#include <algorithm>
#include <cmath>

namespace ccscope::gcc {
namespace {

std::size_t Bucket(double ms, int buckets) {
  const double wrapped = std::fmod(ms, buckets);
  return static_cast<std::size_t>(wrapped < 0 ? wrapped + buckets : wrapped);
}

}  // namespace

// Empties the buckets between the newest one and `now_ms`.
void ArrivalRate::Advance(double now_ms) {
  if (now_ms - last_ms_ >= kBuckets) {
    buckets_.fill(DataSize::Zero());
  } else {
    for (double ms = last_ms_ + 1; ms <= now_ms; ++ms) buckets_[Bucket(ms, kBuckets)] = DataSize::Zero();
  }
  last_ms_ = std::max(last_ms_, now_ms);
}

void ArrivalRate::Add(DataSize size, Timestamp now) {
  const double now_ms = std::floor(now.ms());
  if (!started_) {
    started_ = true;
    first_ms_ = last_ms_ = now_ms;
  }
  Advance(now_ms);
  if (now_ms > last_ms_ - kBuckets) buckets_[Bucket(now_ms, kBuckets)] += size;
}

std::optional<DataRate> ArrivalRate::Rate(Timestamp now, TimeDelta window) {
  if (!started_) return std::nullopt;
  Advance(std::floor(now.ms()));
  const double span_ms = std::min({last_ms_ - first_ms_ + 1, window.ms(), static_cast<double>(kBuckets)});
  if (span_ms < 2) return std::nullopt;
  DataSize sum;
  for (double ms = last_ms_ - span_ms + 1; ms <= last_ms_; ++ms) sum += buckets_[Bucket(ms, kBuckets)];
  return sum / TimeDelta::Millis(span_ms);
}

void WireRate::Add(const InboundCounters& counters) {
  readings_[static_cast<std::size_t>(next_)] = counters;
  next_ = (next_ + 1) % kReadings;
  count_ = std::min(count_ + 1, kReadings);
}

std::optional<DataRate> WireRate::Rate(TimeDelta window) const {
  if (count_ < 2) return std::nullopt;
  const auto back = [this](int k) -> const InboundCounters& {
    return readings_[static_cast<std::size_t>((next_ - 1 - k + 2 * kReadings) % kReadings)];
  };
  const InboundCounters& latest = back(0);
  int k = 1;
  while (k + 1 < count_ && latest.time - back(k).time < window) ++k;
  const TimeDelta span = latest.time - back(k).time;
  if (span < window / 4) return std::nullopt;
  return (latest.received - back(k).received) / span;
}

}  // namespace ccscope::gcc
