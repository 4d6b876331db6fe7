// Arrival filter: the Kalman filter that splits the measured one-way delay variation d_m into the transmission time
// variation dL/C and the queuing delay variation m (ToN III-A, eq. 4-10).
//   theta = [1/C, m]'   H = [dL, 1]   z = d_m - H theta   (eq. 4, 6)
//   K = (P + Q) H' / (H (P + Q) H' + sigma^2)   P = (I - K H)(P + Q)   (eq. 7, 8)
// The units inside are milliseconds and bytes, since the published Q and P(0) refer to these units.
#ifndef CCSCOPE_CC_GCC_ARRIVAL_FILTER_H_
#define CCSCOPE_CC_GCC_ARRIVAL_FILTER_H_

#include <array>

#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

enum class Signal { kNormal = 0, kUnderuse = 1, kOveruse = 2 };

class ArrivalFilter {
 public:
  struct Params {
    double q_inverse_capacity;
    double q_m;
    bool literal_noise_variance;  // true: eq. 10; false: the time-scaled variance of libwebrtc of 2016
    double noise_beta;
    double noise_a_initial;
    double noise_a;
    int noise_a_initial_groups;
    double noise_variance_floor;
    double noise_clip_sigmas;
    int frame_interval_history;
    double covariance_boost;
    bool restart_on_negative;
    double inverse_capacity_init;
    double p0_inverse_capacity;
    double p0_m;
    explicit Params(const Parameters& p);
  };

  explicit ArrivalFilter(const Parameters& parameters);
  void Configure(const Parameters& parameters) { params_ = Params(parameters); }

  // Updates the estimate with one pair of consecutive packet groups (packet_grouping.h). `previous` is the signal of
  // the detector before this pair.
  void Update(TimeDelta arrival_delta, TimeDelta send_delta, DataSize size_delta, Signal previous);

  // Restarts m from 0. Call it when m does not describe the queue. There are two such cases: the queue is empty; or
  // some pairs were withheld from the filter, and the queue is again as long as before these pairs.
  void OnQueueRestored();

  TimeDelta m() const { return TimeDelta::Millis(m_); }
  double inverse_capacity_ms_per_byte() const { return inverse_capacity_; }
  double noise_variance_ms2() const { return noise_variance_; }
  // Number of pairs seen, at most 1000.
  int num_deltas() const { return num_deltas_; }

 private:
  double FrameIntervalMs(double send_delta_ms);
  void UpdateNoise(double residual, double frame_interval_ms, Signal previous);
  void UpdateNoiseTimeScaled(double residual, double frame_interval_ms);

  Params params_;
  double inverse_capacity_;
  double m_ = 0;
  double previous_m_ = 0;
  double p_[2][2];
  double noise_variance_;
  double noise_mean_ = 0;
  int num_deltas_ = 0;
  // The beta of UpdateNoiseTimeScaled(), and the inputs that it was computed from.
  double beta_ = 1;
  double beta_of_a_ = 0;
  double beta_of_interval_ms_ = 0;
  std::array<double, 60> send_deltas_{};
  double shortest_send_delta_ = 0;  // the smallest send delta in the history
  int send_delta_count_ = 0;
  int send_delta_next_ = 0;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_ARRIVAL_FILTER_H_
