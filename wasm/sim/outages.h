// Outages of a wireless channel (gcc-packet-grouping-2016): random times in which the channel carries packets
// alternate with random times in which it does not (outages). During an outage packets wait in the buffer in front of
// the channel; at its end they are sent in a burst. Means of 100 ms on and 20 ms off at 5 Mbps reproduce that paper's
// gain.
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
  // Replaces the outages; at `now` the channel carries packets.
  void Restart(const Params& params, Timestamp now);

  bool down() const { return down_; }
  // When the channel goes up or down next; infinity without outages.
  Timestamp next() const { return next_; }
  // Toggles the channel; call at next().
  void Toggle();

  // The most changes that are computed at once after a silence. This many changes occur in 10 s at the shortest
  // means, and in 10 minutes at 100 ms on and 20 ms off. After a longer silence, the channel carries packets, and
  // outages start anew.
  static constexpr int kMostAtOnce = 10'000;
  void StartAgain(Timestamp now) { Restart(params_, now); }

  // The time at which a packet that reaches the channel at `now` gets through, if no other packet waits: at once, or
  // at the end of the outage. `now` must not decrease from call to call.
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
