#include "cc/received_rate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ccscope {

void ArrivalRate::Clear() {
  buckets_.Clear();
  sum_ = DataSize::Zero();
}

void ArrivalRate::SetWindow(TimeDelta window) {
  const int window_ms = std::clamp(static_cast<int>(window.ms()), 1, kLongestWindowMs);
  if (window_ms == window_ms_) return;
  window_ms_ = window_ms;
  Clear();
  started_ = false;
}

// Moves the end of the window to `now_ms`, and subtracts the buckets that leave the window from the sum.
void ArrivalRate::Advance(double now_ms) {
  if (now_ms <= last_ms_) return;
  if (now_ms - last_ms_ >= window_ms_) Clear();
  last_ms_ = now_ms;
  while (!buckets_.empty() && buckets_.front().ms <= now_ms - window_ms_) sum_ -= buckets_.PopFront().size;
}

// Adds an arrival that is within the window, but not later than the newest bucket.
void ArrivalRate::AddLate(DataSize size, double ms) {
  std::size_t place = buckets_.size();
  while (place > 0 && buckets_[place - 1].ms > ms) --place;
  if (place > 0 && buckets_[place - 1].ms == ms) {
    buckets_[place - 1].size += size;
    return;
  }
  buckets_.PushBack({});
  for (std::size_t i = buckets_.size() - 1; i > place; --i) buckets_[i] = buckets_[i - 1];
  buckets_[place] = {ms, size};
}

void ArrivalRate::Add(DataSize size, Timestamp now) {
  const double now_ms = std::floor(now.ms());
  if (!started_) {
    started_ = true;
    first_ms_ = last_ms_ = now_ms;
  }
  Advance(now_ms);
  if (now_ms < first_ms_ || now_ms <= last_ms_ - window_ms_) return;  // older than the window
  if (buckets_.empty() || buckets_.back().ms < now_ms) {
    buckets_.PushBack({now_ms, size});
  } else {
    AddLate(size, now_ms);
  }
  sum_ += size;
}

std::optional<DataRate> ArrivalRate::Rate(Timestamp now) {
  if (!started_) return std::nullopt;
  Advance(std::floor(now.ms()));
  const double span_ms = std::min(last_ms_ - first_ms_ + 1, static_cast<double>(window_ms_));
  if (span_ms < 2) return std::nullopt;
  return sum_ / TimeDelta::Millis(span_ms);
}

void WireRate::Add(const InboundCounters& counters) {
  const auto latest = static_cast<std::size_t>((next_ - 1 + kReadings) % kReadings);
  if (counters.received < readings_[latest].received) count_ = 0;
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

}  // namespace ccscope
