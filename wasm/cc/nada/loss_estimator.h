// The receiver's estimates of losses (RFC 8698 5.1.2 and 4.2): the loss ratio over LOGWIN, its exponential average
// (eq. 10), and the mean loss interval loss_int of RFC 5348 5.4, in packets. loss_int decides how long losses count
// as recent.
#ifndef CCSCOPE_CC_NADA_LOSS_ESTIMATOR_H_
#define CCSCOPE_CC_NADA_LOSS_ESTIMATOR_H_

#include <array>

#include "cc/nada/parameters.h"
#include "units/ring_buffer.h"
#include "units/units.h"

namespace ccscope::nada {

class LossEstimator {
 public:
  explicit LossEstimator(const Parameters& parameters) { Configure(parameters); }
  void Configure(const Parameters& parameters);

  // Counts packets that arrived, and packets that are missing before them. `now` must not decrease from call to call.
  void OnPackets(double received, double lost, TimeDelta rtt, Timestamp now);
  // Updates p_loss, the exponential average of the loss ratio in the window. Call it once per feedback message.
  void Update(Timestamp now);

  double p_loss() const { return p_loss_; }
  // Whether a loss was seen within LOGWIN.
  bool RecentLoss(Timestamp now) const { return now - last_loss_ < window_; }
  // loss_int, in packets; 0 before the first loss.
  double LossInterval() const;
  // The weight of the warped queuing delay. It is 1 until loss_exp = MULTILOSS * loss_int packets after the last
  // loss, and then falls to 0 over another loss_int packets.
  double WarpingShare() const;

 private:
  static constexpr int kIntervals = 8;  // n of RFC 5348 5.4
  struct Bucket {
    Timestamp begin;
    double received;
    double lost;
  };

  void Advance(Timestamp now);
  void BeginLossEvent(double packets_before, Timestamp now);

  TimeDelta window_;
  double alpha_ = 1;
  double multiloss_ = 0;

  RingBuffer<Bucket> buckets_;  // of the window
  double received_ = 0;         // in the window
  double lost_ = 0;
  double p_loss_ = 0;
  std::array<double, kIntervals> intervals_;  // the closed intervals, latest first
  int interval_count_ = 0;
  double since_event_ = 0;  // packets since the latest loss event began, or since the session began: I_0
  double since_loss_ = 0;   // packets since the last loss
  Timestamp event_began_ = Timestamp::MinusInfinity();
  Timestamp last_loss_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_LOSS_ESTIMATOR_H_
