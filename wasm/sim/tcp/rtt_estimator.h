// Smoothed round-trip time and retransmission timeout (RFC 6298). Samples come from the timestamp option, so that
// retransmissions also yield samples and Karn's rule is not needed (section 3).
#ifndef CCSCOPE_SIM_TCP_RTT_ESTIMATOR_H_
#define CCSCOPE_SIM_TCP_RTT_ESTIMATOR_H_

#include "sim/tcp/parameters.h"
#include "units/units.h"

namespace ccscope::tcp {

class RttEstimator {
 public:
  explicit RttEstimator(const Parameters& parameters);

  // Forgets everything, for a new connection.
  void Reset();
  // Processes an RTT sample (section 2.2 for the first sample, section 2.3 for all others). Also ends a backoff.
  void OnSample(TimeDelta rtt);
  // Doubles the RTO (section 5.5). Call it when the timer has expired.
  void Backoff();

  bool has_sample() const { return has_sample_; }
  TimeDelta rto() const { return rto_; }
  TimeDelta srtt() const { return srtt_; }
  TimeDelta rttvar() const { return rttvar_; }
  TimeDelta latest() const { return latest_; }
  TimeDelta minimum() const { return minimum_; }

 private:
  TimeDelta initial_;
  TimeDelta min_;
  TimeDelta max_;
  TimeDelta floor_;  // the minimum of RTO - SRTT
  bool has_sample_ = false;
  TimeDelta rto_;
  TimeDelta srtt_;
  TimeDelta rttvar_;
  TimeDelta latest_;
  TimeDelta minimum_;
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_RTT_ESTIMATOR_H_
