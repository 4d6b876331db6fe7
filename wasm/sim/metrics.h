// The measurements of a simulation: the metrics of RFC 8868 section 3 and of the papers (ToN V, AQM 3, CMP, LCC),
// per window of time, per flow and per path.
#ifndef CCSCOPE_SIM_METRICS_H_
#define CCSCOPE_SIM_METRICS_H_

#include <array>
#include <vector>

#include "sim/histogram.h"
#include "sim/queue_disc/queue_disc.h"
#include "units/units.h"

namespace ccscope {

// A span of time, [begin, end): a measured window, or a pause of a flow.
struct Window {
  Timestamp begin;
  Timestamp end;
  bool Contains(Timestamp t) const { return t >= begin && t < end; }
};

// Mean and standard deviation of equally weighted samples.
class RunningMean {
 public:
  void Add(double sample) {
    ++count_;
    const double off = sample - mean_;
    mean_ += off / count_;
    squares_ += off * (sample - mean_);
  }
  double count() const { return count_; }
  // NaN if there are no samples.
  double mean() const;
  double sd() const;  // population standard deviation

 private:
  double count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
};

// What one flow did within a window. Packets are counted when they are sent, when they arrive, and when they are lost.
struct FlowWindow {
  double sent_packets = 0;
  DataSize sent;
  double received_packets = 0;
  DataSize received;
  double lost_packets = 0;
  DataSize lost;
  DataSize goodput;  // payload that arrived for the first time
  // In a live call: frames that could be shown, how often the picture froze, and the longest freeze.
  double frames = 0;
  double freezes = 0;
  TimeDelta longest_freeze;
  RunningMean target_bps;
  RunningMean loss_bound;  // one sample per rate interval: 1 if A_s < A_r at its end, else 0
  RunningMean received_bps;  // over the rate intervals
  RunningMean capacity_share;  // received_bps divided by the capacity at the beginning of the rate interval
  Histogram probe_queue_delay_us;
  Histogram rtt_us;
  Histogram queue_delay_us;
  Histogram owd_queue_delay_us;  // one-way delay less propagation: waiting, transmission, jitter
  Histogram e2e_queue_delay_us;  // like owd_queue_delay_us, but measured from the encoding of the packet
};

// What one path carried within a window.
struct PathWindow {
  Histogram queue_delay_us;
  double delivered_packets = 0;
  DataSize delivered;
  std::array<double, kDropReasonCount> drops{};
};

// Jain's index, (sum x)^2 / (n sum x^2), of the rates x that were passed to Add().
class JainIndex {
 public:
  void Add(double x) {
    ++count_;
    sum_ += x;
    squares_ += x * x;
  }
  double count() const { return count_; }
  // NaN without flows; 1 if all rates are 0.
  double value() const;

 private:
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_METRICS_H_
