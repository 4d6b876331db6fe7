// HyStart: leaves slow start before the queue overflows (Ha and Rhee, "Taming the elephants: New TCP slow start", 2011,
// in the form of Linux 3.16). It has two detectors, and both work in rounds of one window:
// - ACK train: ACKs have followed one another closely for longer than half the minimum RTT. Then a window of segments
//   fills the forward path.
// - Delay: the smallest of the round's first RTT samples exceeds the minimum RTT by more than an eighth of the minimum
//   RTT (within bounds).
#ifndef CCSCOPE_SIM_TCP_HYSTART_H_
#define CCSCOPE_SIM_TCP_HYSTART_H_

#include <cstdint>

#include "sim/tcp/congestion_control.h"
#include "sim/tcp/parameters.h"

namespace ccscope::tcp {

class HyStart {
 public:
  explicit HyStart(const Parameters& parameters);

  void Reset();
  // Call it for each ACK in slow start. Returns whether to leave slow start.
  bool ShouldExit(const AckEvent& ack, double cwnd);
  // Call it for each ACK, except in the first second of a stage of congestion avoidance.
  void OnRtt(TimeDelta rtt);

 private:
  bool ack_train_;
  bool delay_;
  double low_window_;
  int min_samples_;
  TimeDelta delay_min_;
  TimeDelta delay_max_;
  TimeDelta ack_delta_;

  TimeDelta minimum_rtt_;
  std::int64_t round_end_ = -1;
  Timestamp round_start_;
  Timestamp last_ack_;
  TimeDelta round_rtt_;
  int samples_ = 0;
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_HYSTART_H_
