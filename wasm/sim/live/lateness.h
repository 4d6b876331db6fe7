// How late a process handles its input on a machine that is also busy with other work: now and then it waits for the
// processor, and the input of that time is handled at once when it runs again. So time stamps are late, never early,
// and several may be stamped at once (live.md).
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
    double stalls_per_s;  // how often a wait begins: a Poisson process that pauses during a wait
    TimeDelta stall;      // a wait is `stall` times X to the power `tail`,
    double tail;          // where X is an exponential variate with mean 1
  };
  Lateness(const Params& params, std::uint64_t seed);

  // When an item that is there at `at` is handled: never before an earlier item. `at` must not decrease from one call
  // of Handled() to the next.
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
