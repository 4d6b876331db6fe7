// The arithmetic of Chromium's nada.cc of 2015 (the parameter `resolution`). Its delays are whole milliseconds, and
// its rates are whole kbps. The rounding has visible effects: a smoothed delay does not change while the new values
// differ from it by less than 5 ms, since 0.1 of such a difference rounds to zero.
#ifndef CCSCOPE_CC_NADA_WHOLE_NUMBERS_H_
#define CCSCOPE_CC_NADA_WHOLE_NUMBERS_H_

#include <cmath>

#include "units/units.h"

namespace ccscope::nada {

// Adds one half and drops the fraction, as a cast to an integer does: the nearest whole number if `x` is not negative.
inline double Rounded(double x) { return std::trunc(x + 0.5); }

inline TimeDelta WholeMs(TimeDelta t) { return TimeDelta::Millis(Rounded(t.ms())); }
inline DataRate WholeKbps(DataRate r) { return DataRate::KilobitsPerSec(Rounded(r.kbps())); }

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_WHOLE_NUMBERS_H_
