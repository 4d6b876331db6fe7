// LCC's receiver half: it sends the one-way delays of each epoch (LCC II-A) as soon as the epoch has ended. The
// sender half interprets them.
#ifndef CCSCOPE_CC_LCC_RECEIVER_H_
#define CCSCOPE_CC_LCC_RECEIVER_H_

#include <optional>

#include "cc/live/capacity_bound.h"
#include "cc/controller.h"
#include "cc/inbound_stream.h"
#include "cc/lcc/delay_rate_tracker.h"
#include "cc/lcc/parameters.h"
#include "trace/recorder.h"

namespace ccscope::lcc {

// The values of LCC's feedback. The one-way delays of an epoch are in us; they include the offset between the clocks.
// kBound is the upper bound of the rate (capacity_bound.h) in bps; 0: no bound.
enum FeedbackValue { kMeanDelay, kSmallestDelay, kBound, kFeedbackValues };

class Receiver final : public ReceiverHalf {
 public:
  // Feedback rows go to `recorder`, which must outlive the receiver.
  Receiver(const Parameters& parameters, double flow, Recorder& recorder);
  void Configure(const double* values) override;

  [[nodiscard]] std::optional<Feedback> OnArrival(const Arrival& arrival) override;
  [[nodiscard]] std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) override;
  FrameCapacity* frame_capacity() override { return &bound_.frame_capacity(); }

 private:
  std::optional<Feedback> Message(const std::optional<EpochDelays>& epoch);
  TimeDelta Sample(const Arrival& arrival);

  Parameters params_;
  double flow_;
  Recorder& recorder_;
  InboundStream stream_;
  EpochCollector epochs_;
  CapacityBound bound_;
  TimeDelta smallest_delay_ = TimeDelta::PlusInfinity();
};

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_RECEIVER_H_
