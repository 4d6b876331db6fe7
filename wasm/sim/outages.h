// Outages of a wireless channel (gcc-packet-grouping-2016): for random times the channel carries packets, and for
// random times between them it does not. Packets wait in the buffer in front of it during an outage, and are sent one
// after the other at its end: a burst. Means of 100 ms on and 20 ms off at 5 Mbps reproduce that paper's gain.
//
// The times between outages are exponentially distributed. Outages with one phase are, too; outages with k phases are
// the sum of k exponential times (Erlang), like a channel access that takes several attempts.
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

  // At time 0 the channel carries packets. Outages use their own generator, so that they leave all other draws from
  // the seed unchanged.
  Outages(const Params& params, std::uint64_t seed);
  // Replaces the outages; at `now` the channel carries packets.
  void Restart(const Params& params, Timestamp now);

  bool down() const { return down_; }
  // When the channel goes up or down next; infinity without outages.
  Timestamp next() const { return next_; }
  // Toggles the channel; call at next().
  void Toggle();

  // The most changes that are caught up on at once. After a silence with more changes (10 s at the shortest means, 10
  // minutes at 100 ms on and 20 ms off) the channel carries, and outages start again.
  static constexpr int kMostAtOnce = 10'000;
  void StartAgain(Timestamp now) { Restart(params_, now); }

  // When a packet that reaches the channel at `now` gets through if nothing waits before it: at once, or at the end
  // of the outage. Times must not go back.
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
