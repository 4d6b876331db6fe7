// Exploration: ccscope's own addition to LCC. The paper's law returns only averages of rates that were tried before, so
// it would keep the first rate forever and not notice an increase of the capacity. While the delay is low enough,
// exploration tries rates that are not in the density yet. It also varies each rate a little, since a single rate does
// not show how the delay depends on the rate.
#ifndef CCSCOPE_CC_LCC_EXPLORATION_H_
#define CCSCOPE_CC_LCC_EXPLORATION_H_

#include <cstdint>

#include "cc/lcc/parameters.h"
#include "units/random.h"
#include "units/units.h"

namespace ccscope::lcc {

class Exploration {
 public:
  Exploration(const Parameters& parameters, std::uint64_t seed) : params_(parameters), random_(seed) {}
  void Configure(const Parameters& parameters) { params_ = parameters; }

  bool on() const { return IsOn(params_.exploration); }
  // How far T_c may lie outside the range of the delays in the window; infinite without exploration.
  TimeDelta headroom() const {
    return on() ? TimeDelta::Millis(params_.exploration_delay_ms) : TimeDelta::PlusInfinity();
  }

  struct State {
    TimeDelta control;  // T_c
    TimeDelta largest;  // the largest delay in the window
    TimeDelta average;  // D_ave
    TimeDelta target;   // T_A
  };
  // Whether to explore: T_c is beyond the delays that were observed, or the delay is below its target.
  bool Wanted(const State& state) const {
    return on() && (state.control >= state.largest || state.average < state.target);
  }
  // Adds a step to the larger of two rates: `rate`, and the mean of `rate` and `expected`. The step is larger if frames
  // show unused capacity (`has_room`). The parameter exploration_bound limits the result to a multiple of `received`.
  DataRate Raise(DataRate rate, DataRate expected, DataRate received, bool has_room = false) const;
  DataRate Vary(DataRate rate);

 private:
  Parameters params_;
  Random random_;
};

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_EXPLORATION_H_
