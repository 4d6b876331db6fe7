// Outages of a wireless channel (gcc-packet-grouping-2016): periods of random length in which the channel carries
// packets alternate with periods of random length in which it does not (outages). During an outage packets wait in the
// buffer in front of the channel; at the end of the outage they are sent in a burst. Mean lengths of 100 ms on and 20
// ms off at 5 Mbps reproduce the throughput gain that the paper reports for packet grouping.
//
// The times between outages are exponentially distributed. The duration of an outage with k phases is the sum of k
// exponential times (Erlang), like a channel access that takes several attempts.
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

  // At time 0 the channel carries packets. Outages have their own random number generator, so that they do not change
  // other random numbers that come from the same seed.
  Outages(const Params& params, std::uint64_t seed);
  // Starts outages with new parameters. At `now` the channel carries packets.
  void Restart(const Params& params, Timestamp now);

  bool down() const { return down_; }
  // When the channel goes up or down next; infinity without outages.
  Timestamp next() const { return next_; }
  // Toggles the channel; call at next().
  void Toggle();

  // After a long time without calls, one call computes at most this many changes between on and off. This many changes
  // occur in 10 s at the shortest means, and in 10 minutes at 100 ms on and 20 ms off. All further changes are skipped:
  // the channel carries packets, and the next outage begins after the time of the call.
  static constexpr int kMostAtOnce = 10'000;
  void StartAgain(Timestamp now) { Restart(params_, now); }

  // The time at which the channel carries a packet that reaches it at `now`, if no other packet waits. It is `now` or,
  // during an outage, the end of the outage. `now` must not decrease from call to call.
  Timestamp Release(Timestamp now) {
    for (int toggles = 0; now >= next_; ++toggles) {
      if (toggles < kMostAtOnce) {
        Toggle();
      } else {
        StartAgain(now);
      }
    }
    return down_ ? next_ : now;
  }

 private:
  TimeDelta Draw(TimeDelta mean, int phases);

  Params params_;
  Random random_;
  bool down_ = false;
  Timestamp next_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_OUTAGES_H_
