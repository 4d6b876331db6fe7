// Outages of a wireless channel (gcc-packet-grouping-2016): for random times the channel carries, or it
// does not. What would come through within an outage waits in buffers behind the bottleneck and comes
// in a burst at its end. Means of 100 ms on and 20 ms off at 5 Mbps reproduce that paper's gain.
//
// Times on are exponentially distributed. So are outages with one phase; with k phases they are the sum
// of k exponential times (Erlang), as of a channel access that takes several attempts.
#ifndef CCSCOPE_SIM_OUTAGES_H_
#define CCSCOPE_SIM_OUTAGES_H_

#include <cstdint>

#include "units/random.h"
#include "units/units.h"

namespace ccscope {

class Outages {
 public:
  struct Params {
    TimeDelta mean_on;
    TimeDelta mean_off;  // zero: no outages
    int off_phases = 1;
  };

  // The channel carries at first, at time 0.
  Outages(const Params& params, std::uint64_t seed);

  // When what reaches the channel at `now` gets through: at once, or at the end of the outage. Times
  // must not go back.
  Timestamp Release(Timestamp now) {
    while (now >= end_) DrawNext();
    return now < begin_ ? now : end_;
  }

 private:
  TimeDelta Draw(TimeDelta mean, int phases);
  void DrawNext();

  Params params_;
  Random random_;
  // The latest outage that was drawn.
  Timestamp begin_;
  Timestamp end_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_OUTAGES_H_
