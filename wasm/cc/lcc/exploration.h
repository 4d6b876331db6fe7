// Exploration, an addition of ccscope's own: the paper does not describe any. The paper's law only ever returns an
// average of rates that were tried before, so the first rate would stay forever, and an increase of the capacity
// would go unnoticed. Exploration tries rates that are not in the density yet while the delay allows it, and varies
// each rate a little, so that there is a relation between rate and delay to learn.
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
  // How far T_c may lie outside the range of the delays in the window; without exploration T_c is not limited.
  TimeDelta headroom() const {
    return on() ? TimeDelta::Millis(params_.exploration_delay_ms) : TimeDelta::PlusInfinity();
  }

  struct State {
    TimeDelta control;  // T_c
    TimeDelta largest;  // the largest delay in the window
    TimeDelta average;  // D_ave
    TimeDelta target;   // T_A
  };
  // Whether to explore: T_c is beyond the delays that were seen, or the delay is below its target.
  bool Wanted(const State& state) const {
    return on() && (state.control >= state.largest || state.average < state.target);
  }
  // A raised rate: a step above the present rate, or above the mean of the present and the expected rate if that is
  // higher. The step is larger where frames show room.
  DataRate Raise(DataRate rate, DataRate expected, DataRate received, bool has_room = false) const;
  DataRate Vary(DataRate rate);

 private:
  Parameters params_;
  Random random_;
};

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_EXPLORATION_H_
