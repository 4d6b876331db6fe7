// What a path does to packets besides queueing them: random loss and jitter. Both act before the
// queue, as in the comparison of NADA and GCC (nada-vs-gcc-2016, the simulator).
#ifndef CCSCOPE_SIM_IMPAIRMENTS_H_
#define CCSCOPE_SIM_IMPAIRMENTS_H_

#include "units/random.h"
#include "units/units.h"

namespace ccscope {

// Independent loss of each packet with the same probability.
class RandomLoss {
 public:
  explicit RandomLoss(double ratio = 0) : ratio_(ratio) {}
  // Draws only if there is loss at all, so that a link without it uses no random numbers.
  bool Lose(Random& random) const { return ratio_ > 0 && random.Uniform() < ratio_; }

 private:
  double ratio_;
};

// An extra delay of |N(0, sd)|, at most 3 sd, that never lets a packet pass another: the
// truncated Gaussian of nada-vs-gcc-2016 (sd 5 ms, in [0, 15] ms) and of RFC 8868.
class Jitter {
 public:
  explicit Jitter(TimeDelta sd = TimeDelta::Zero()) : sd_(sd) {}

  bool active() const { return sd_ > TimeDelta::Zero(); }
  // When a packet offered at `now` gets through, not before the one offered before it.
  Timestamp Release(Timestamp now, Random& random);
  // Another sd; packets under way keep their places.
  void SetDeviation(TimeDelta sd) { sd_ = sd; }

 private:
  TimeDelta sd_;
  Timestamp last_ = Timestamp::MinusInfinity();
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_IMPAIRMENTS_H_
