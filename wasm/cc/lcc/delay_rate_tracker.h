// Delay-rate tracker (LCC II-A): the mean one-way delay D_i of each epoch, its weighted average D_ave,i (eq. 2), and
// the smallest one-way delay. The delay target is relative to the smallest delay. A one-way delay includes the unknown
// offset between two clocks, so only differences of delays are meaningful.
#ifndef CCSCOPE_CC_LCC_DELAY_RATE_TRACKER_H_
#define CCSCOPE_CC_LCC_DELAY_RATE_TRACKER_H_

#include <optional>

#include "cc/lcc/parameters.h"
#include "units/units.h"

namespace ccscope::lcc {

// One-way delays of an epoch, as the receiver half sends them.
struct EpochDelays {
  TimeDelta mean;
  TimeDelta smallest;
};

// The receiver's side: collects the one-way delays of an epoch.
class EpochCollector {
 public:
  explicit EpochCollector(TimeDelta epoch) : epoch_(epoch) {}
  void SetEpoch(TimeDelta epoch) { epoch_ = epoch; }

  // Adds an arrival; `now` must not decrease from call to call. If an epoch has ended since the previous call and had
  // arrivals, returns its delays.
  std::optional<EpochDelays> Add(TimeDelta one_way_delay, Timestamp now);
  // Like Add(), but without an arrival.
  std::optional<EpochDelays> Advance(Timestamp now);

 private:
  TimeDelta epoch_;
  Timestamp end_ = Timestamp::MinusInfinity();  // of the current epoch
  double arrivals_ = 0;
  EpochDelays delays_;  // of the current epoch; `mean` is a running mean
};

// The sender's side.
class DelayRateTracker {
 public:
  explicit DelayRateTracker(const Parameters& parameters) { Configure(parameters); }
  void Configure(const Parameters& parameters);

  // Returns false if the delays show that a clock was adjusted, which is only possible if `may_be_clock`. Everything
  // learnt before is then invalid.
  bool OnEpoch(const EpochDelays& delays, bool may_be_clock);

  bool started() const { return started_; }
  TimeDelta average() const { return average_; }    // D_ave
  TimeDelta smallest() const { return smallest_; }

 private:
  double alpha_ = 1;
  TimeDelta jump_;
  bool started_ = false;
  TimeDelta average_;
  TimeDelta smallest_;
};

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_DELAY_RATE_TRACKER_H_
