// How late a process handles what reaches it on a machine that does other things: it waits for the
// processor now and then, and what came meanwhile is handled at once when it runs again. So stamps
// are only ever late, and come in bunches (live.md).
#ifndef CCSCOPE_SIM_LIVE_LATENESS_H_
#define CCSCOPE_SIM_LIVE_LATENESS_H_

#include <cstdint>

#include "units/random.h"
#include "units/units.h"

namespace ccscope::live {

class Lateness {
 public:
  struct Params {
    TimeDelta usual;      // mean of an exponential delay of each item
    double stalls_per_s;  // how often a wait begins, by a Poisson process between the waits
    TimeDelta stall;      // a wait is this times an exponential variate
    double tail;          // to this power
  };
  Lateness(const Params& params, std::uint64_t seed);

  // When an item that is there at `at` is handled: never before one that was there earlier. Times
  // do not go back from one call to the next.
  Timestamp Handled(Timestamp at);

 private:
  double Exponential();
  void NextStall(Timestamp from);

  Params params_;
  Random random_;
  Timestamp stall_begin_ = Timestamp::PlusInfinity();
  Timestamp stall_end_;
  bool begun_ = false;
  Timestamp last_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope::live

#endif  // CCSCOPE_SIM_LIVE_LATENESS_H_
