// How late a process handles its input on a machine that is also busy with other work. Now and then the process waits
// for the processor (a stall). After a stall, the process handles all waiting input at once. So time stamps are late,
// never early, and several items may get the same stamp (live.md).
#ifndef CCSCOPE_SIM_LIVE_LATENESS_H_
#define CCSCOPE_SIM_LIVE_LATENESS_H_

#include <cstdint>

#include "units/random.h"
#include "units/units.h"

namespace ccscope::live {

class Lateness {
 public:
  struct Params {
    TimeDelta usual;      // mean of the exponential delay of each item
    double stalls_per_s;  // stalls per second: a Poisson process that pauses during a stall
    TimeDelta stall;      // a stall takes stall * X^tail; X: exponential with mean 1
    double tail;          // exponent in the duration of a stall
  };
  Lateness(const Params& params, std::uint64_t seed);

  // Returns the time at which an item that arrives at `at` is handled. Items are handled in the order of their
  // arrival. `at` must not decrease from call to call.
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
