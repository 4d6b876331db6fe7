// Packets received and lost so far, for feedback. In a simulation the numbers are derived from sequence numbers. In a
// call, arrivals are whole frames, which do not show individual packets, so the numbers come from packet counters
// (InboundCounters). From the first reading of the counters on, arrivals no longer change the numbers.
#ifndef CCSCOPE_CC_PACKET_COUNTER_H_
#define CCSCOPE_CC_PACKET_COUNTER_H_

#include <algorithm>
#include <optional>

#include "cc/controller.h"

namespace ccscope {

class PacketCounter {
 public:
  void OnArrival(double seq) {
    const bool newest = !highest_seq_ || seq > *highest_seq_;
    if (!has_counters_) {
      ++received_;
      if (newest && highest_seq_) lost_ = std::min(lost_ + (seq - *highest_seq_ - 1), kMost);
      if (!newest && lost_ > 0) --lost_;  // late, not lost
    }
    if (newest) highest_seq_ = seq;
  }
  void OnCounters(const InboundCounters& counters) {
    has_counters_ = true;
    received_ = counters.packets_received;
    lost_ = counters.packets_lost;
  }

  double received() const { return received_; }
  double lost() const { return lost_; }
  bool has_counters() const { return has_counters_; }
  std::optional<double> highest_seq() const { return highest_seq_; }

 private:
  // The largest number that a message can contain (2^53). The count of lost packets is limited to it, because the gap
  // between two sequence numbers may be larger.
  static constexpr double kMost = 9007199254740992.0;

  bool has_counters_ = false;
  double received_ = 0;
  double lost_ = 0;
  std::optional<double> highest_seq_;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_PACKET_COUNTER_H_
