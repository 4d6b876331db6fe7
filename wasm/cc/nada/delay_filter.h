// Queuing delay from one-way delays (RFC 8698 5.1.1, CMP II-A): the smallest one-way delay is the baseline, and the
// excess of an arrival's delay over the baseline is its queuing delay. A filter over the latest arrivals removes
// delays that are not due to congestion. The filter is the minimum of 15 arrivals in RFC 8698, and the median of 5 with
// exponential smoothing in CMP.
#ifndef CCSCOPE_CC_NADA_DELAY_FILTER_H_
#define CCSCOPE_CC_NADA_DELAY_FILTER_H_

#include <array>
#include <optional>

#include "cc/nada/parameters.h"
#include "units/units.h"

namespace ccscope::nada {

class DelayFilter {
 public:
  explicit DelayFilter(const Parameters& parameters) { Configure(parameters); }
  void Configure(const Parameters& parameters);

  // `send_time`: the time from which the delay is measured. `now` must not decrease from call to call. Returns the
  // unfiltered queuing delay of this arrival.
  TimeDelta OnArrival(Timestamp send_time, Timestamp arrival_time, Timestamp now);

  TimeDelta base_delay() const { return base_; }
  TimeDelta queuing_delay() const;

 private:
  // The baseline's window moves in steps of a tenth of its length, as in RFC 6817 4.2.
  static constexpr int kParts = 10;
  static constexpr int kMaxSamples = 32;

  void UpdateBase(TimeDelta one_way_delay, Timestamp now);
  TimeDelta Filtered() const;
  TimeDelta AboveBase(TimeDelta delay) const;

  TimeDelta base_part_;  // length of a part of the baseline's window; zero: the window is the whole session
  bool wait_ = false;
  bool median_ = false;
  bool whole_ = false;
  int window_ = 1;
  double smoothing_ = 1;

  TimeDelta base_ = TimeDelta::PlusInfinity();
  std::array<TimeDelta, kParts> part_minima_;
  std::optional<double> part_;  // the number of the current part, counted from the clock's zero
  Timestamp last_send_ = Timestamp::MinusInfinity();
  std::array<TimeDelta, kMaxSamples> samples_;  // one-way delays, before the baseline is subtracted
  int count_ = 0;
  int next_ = 0;
  TimeDelta smoothed_;
};

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_DELAY_FILTER_H_
