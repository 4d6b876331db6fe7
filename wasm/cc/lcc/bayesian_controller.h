// Bayesian controller (LCC II-C): the delay target T_A, the delay control parameter T_c (eq. 5), and the condition for
// a cut (eq. 8). DensityFitter::ConditionalMean() gives the rate that is expected to have caused a delay of T_c (eq. 6
// and 7). Sender::Decide() combines these into the next rate, S_{i+1} = f(D_ave,i, P(S, D)) (eq. 1).
#ifndef CCSCOPE_CC_LCC_BAYESIAN_CONTROLLER_H_
#define CCSCOPE_CC_LCC_BAYESIAN_CONTROLLER_H_

#include "cc/lcc/density_fitter.h"
#include "cc/lcc/parameters.h"
#include "units/units.h"

namespace ccscope::lcc {

// The order must match the names of the column `action` in trace/columns.def.
enum class Action { kExpectation, kCut, kExploration };

class BayesianController {
 public:
  explicit BayesianController(const Parameters& parameters) : params_(parameters) {}
  void Configure(const Parameters& parameters) { params_ = parameters; }
  void Clear() { started_ = false; }

  // The delays from the tracker include an unknown offset between the clocks. `propagation` is an estimate of the
  // smallest delay without that offset.
  struct Delays {
    TimeDelta average;  // D_ave,i
    TimeDelta smallest;
    TimeDelta propagation;
  };
  // Computes T_A and T_c,i (eq. 5). T_c starts at T_A and stays within [lowest, highest].
  void Update(const Delays& delays, TimeDelta lowest, TimeDelta highest);

  // Whether eq. 8 holds: D_ave,i > R T_A.
  bool Exorbitant(const Delays& delays) const;

  TimeDelta delay_target() const { return target_; }    // T_A
  TimeDelta control_delay() const { return control_; }  // T_c,i

 private:
  Parameters params_;
  bool started_ = false;
  TimeDelta target_;
  TimeDelta control_;
};

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_BAYESIAN_CONTROLLER_H_
