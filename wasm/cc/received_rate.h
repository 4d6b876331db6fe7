// Received rate R_r over a sliding window (CMP Fig. 4: 500 ms), measured from the arrivals or, in a call, from the
// cumulative counters of the packets on the wire (InboundCounters). In a call, only complete frames are arrivals. So
// when packets are lost, the rate of the arrivals is too low.
#ifndef CCSCOPE_CC_RECEIVED_RATE_H_
#define CCSCOPE_CC_RECEIVED_RATE_H_

#include <array>
#include <optional>

#include "cc/controller.h"
#include "units/ring_buffer.h"
#include "units/units.h"

namespace ccscope {

// kArrivals: always measured from the arrivals. kWire: measured from the cumulative counters once they yield a rate,
// and from the arrivals before that.
enum class RateSource { kArrivals, kWire };

// The bytes that arrived in the last `window` (at most 2 s), counted per millisecond, with a running sum.
class ArrivalRate {
 public:
  explicit ArrivalRate(TimeDelta window) { SetWindow(window); }
  // Sets the window. A different window discards everything counted so far.
  void SetWindow(TimeDelta window);
  void Add(DataSize size, Timestamp now);
  // The rate over the window or, if that is shorter, over the time since the first arrival; no value within the
  // millisecond of the first arrival.
  std::optional<DataRate> Rate(Timestamp now);

 private:
  static constexpr int kLongestWindowMs = 2000;
  // What arrived within one millisecond.
  struct Bucket {
    double ms;
    DataSize size;
  };
  void Clear();
  void Advance(double now_ms);
  void AddLate(DataSize size, double ms);

  RingBuffer<Bucket> buckets_;  // one for each millisecond with arrivals, in time order
  DataSize sum_;
  int window_ms_ = 0;
  bool started_ = false;
  double first_ms_ = 0;
  double last_ms_ = 0;  // the time to which the window has advanced
};

// The rate between two readings of the cumulative counters: the newest reading, and a reading about one window earlier.
// If the counter of the bytes was restarted, the readings from before that are not used.
class WireRate {
 public:
  void Add(const InboundCounters& counters);
  std::optional<DataRate> Rate(TimeDelta window) const;

 private:
  static constexpr int kReadings = 64;
  std::array<InboundCounters, kReadings> readings_{};
  int count_ = 0;
  int next_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_RECEIVED_RATE_H_
