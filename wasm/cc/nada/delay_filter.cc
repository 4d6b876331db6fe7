#include "cc/nada/delay_filter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cc/nada/whole_numbers.h"

namespace ccscope::nada {
namespace {

// The interval between two frames is capped at this length. A longer interval is a pause or a gap, not a frame
// interval.
constexpr TimeDelta kLongestInterval = TimeDelta::Millis(100);
// The window of the baseline has ten parts; this is the shortest allowed part. The number of a part is the clock's time
// divided by the part's length. With shorter parts, the numbers could exceed the integers that doubles represent
// exactly.
constexpr TimeDelta kShortestPart = TimeDelta::Millis(1);

}  // namespace

void DelayFilter::Configure(const Parameters& parameters) {
  const TimeDelta window_of_base = TimeDelta::Seconds(parameters.base_delay_window_s);
  const TimeDelta base_part =
      window_of_base > TimeDelta::Zero() ? std::max(window_of_base / kParts, kShortestPart) : TimeDelta::Zero();
  if (base_part != base_part_) part_.reset();
  base_part_ = base_part;
  wait_ = parameters.sample_of_delay() == DelaySample::kWait;
  median_ = Choice<Filter>(parameters.filter) == Filter::kMedian;
  whole_ = parameters.is_whole();
  smoothing_ = parameters.delay_smoothing;
  const int window = static_cast<int>(parameters.filter_samples);
  if (window == window_) return;
  window_ = window;
  count_ = next_ = 0;
}

void DelayFilter::UpdateBase(TimeDelta one_way_delay, Timestamp now) {
  const double part = base_part_ > TimeDelta::Zero() ? std::floor(now.us() / base_part_.us()) : 0;
  if (!part_ || part - *part_ >= kParts) {
    part_minima_.fill(part_ ? TimeDelta::PlusInfinity() : base_);
    part_ = part;
  }
  const auto slot = [](double p) { return static_cast<std::size_t>(p - kParts * std::floor(p / kParts)); };
  for (; *part_ < part; ++*part_) part_minima_[slot(*part_ + 1)] = TimeDelta::PlusInfinity();
  TimeDelta& current = part_minima_[slot(*part_)];
  current = std::min(current, one_way_delay);
  base_ = *std::min_element(part_minima_.begin(), part_minima_.end());
}

TimeDelta DelayFilter::AboveBase(TimeDelta delay) const { return std::max(delay - base_, TimeDelta::Zero()); }

TimeDelta DelayFilter::Filtered() const {
  if (!median_) return *std::min_element(samples_.begin(), samples_.begin() + count_);
  std::array<TimeDelta, kMaxSamples> sorted;
  for (int i = 0; i < count_; ++i) {
    int place = i;
    for (; place > 0 && sorted[static_cast<std::size_t>(place - 1)] > samples_[static_cast<std::size_t>(i)]; --place) {
      sorted[static_cast<std::size_t>(place)] = sorted[static_cast<std::size_t>(place - 1)];
    }
    sorted[static_cast<std::size_t>(place)] = samples_[static_cast<std::size_t>(i)];
  }
  const TimeDelta middle =
      (sorted[static_cast<std::size_t>((count_ - 1) / 2)] + sorted[static_cast<std::size_t>(count_ / 2)]) / 2;
  return whole_ ? WholeMs(middle) : middle;
}

TimeDelta DelayFilter::OnArrival(Timestamp send_time, Timestamp arrival_time, Timestamp now) {
  const TimeDelta exact_delay = arrival_time - send_time;
  const TimeDelta one_way_delay = whole_ ? WholeMs(exact_delay) : exact_delay;
  UpdateBase(one_way_delay, now);
  // With DelaySample::kWait, the sample is the time that the next frame would wait if it left one interval after this
  // frame. A frame leaves as a burst, so its plain delay also contains its own transmission time, which is not queuing.
  const TimeDelta interval = std::clamp(send_time - last_send_, TimeDelta::Zero(), kLongestInterval);
  const TimeDelta sample = wait_ ? std::max(one_way_delay - interval, base_) : one_way_delay;
  last_send_ = send_time;
  samples_[static_cast<std::size_t>(next_)] = sample;
  next_ = (next_ + 1) % window_;
  count_ = std::min(count_ + 1, window_);
  if (smoothing_ < 1) {
    const TimeDelta filtered = AboveBase(Filtered());
    smoothed_ += (filtered - smoothed_) * smoothing_;
    if (whole_) smoothed_ = WholeMs(smoothed_);
  }
  return AboveBase(sample);
}

TimeDelta DelayFilter::queuing_delay() const {
  if (count_ == 0) return TimeDelta::Zero();
  return smoothing_ < 1 ? smoothed_ : AboveBase(Filtered());
}

}  // namespace ccscope::nada
