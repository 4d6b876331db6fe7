// CUBIC (RFC 9438). The functions are named after the RFC's equations. Inside them, windows are in segments and time is
// in seconds.
#ifndef CCSCOPE_SIM_TCP_CUBIC_H_
#define CCSCOPE_SIM_TCP_CUBIC_H_

#include "sim/tcp/congestion_control.h"
#include "sim/tcp/hystart.h"
#include "sim/tcp/parameters.h"

namespace ccscope::tcp {

class Cubic final : public CongestionControl {
 public:
  struct State {
    double w_max = 0;       // window before the last reduction, possibly lowered by fast convergence; 0: unknown
    double cwnd_prior = 0;  // window before the last reduction
    bool in_epoch = false;  // a stage of congestion avoidance has begun
    Timestamp epoch;        // when that stage began
    double origin = 0;      // W_max of this stage
    double k = 0;           // seconds
    double w_est = 0;
    Timestamp last_ack;     // the last ACK in congestion avoidance
  };

  explicit Cubic(const Parameters& parameters);

  void Reset() override;
  void OnAck(const AckEvent& ack, Window& window) override;
  double OnCongestionEvent(Timestamp now, double flight, const Window& window) override;
  double OnTimeout(Timestamp now, double flight, const Window& window) override;
  void OnRestart() override { state_.in_epoch = false; }

  const State& state() const { return state_; }

  // Equation 1: W_cubic(t), t seconds after the stage began.
  double WCubic(double t) const;
  // Equation 2: the time after which W_cubic reaches W_max again.
  static double K(double w_max, double cwnd_epoch, double c);
  // Section 4.3: the additive increase that gives the same average window as Reno, if a decrease multiplies the window
  // by beta.
  static double AlphaCubic(double beta) { return 3 * (1 - beta) / (1 + beta); }

 private:
  void BeginEpoch(Timestamp now, double cwnd);
  void Avoid(const AckEvent& ack, double acked, Window& window);
  double Reduce(double flight, const Window& window);

  double c_;
  double beta_;
  double alpha_;
  double slow_start_limit_;
  double unknown_max_growth_;
  bool fast_convergence_;
  bool reno_friendly_;
  bool alpha_one_;
  bool ahead_minimum_rtt_;
  bool per_ack_;
  State state_;
  TimeDelta minimum_rtt_;
  HyStart hystart_;
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_CUBIC_H_
