// What a path does to packets besides queueing them. Random loss acts before the queue. Jitter acts before the queue
// or, as in the simulator of nada-vs-gcc-2016, after it. Reordering acts after the queue.
#ifndef CCSCOPE_SIM_IMPAIRMENTS_H_
#define CCSCOPE_SIM_IMPAIRMENTS_H_

#include <algorithm>

#include "units/random.h"
#include "units/units.h"

namespace ccscope {

// Loses packets with a given overall ratio p, independently of one another or in bursts. This is the model of Gilbert
// ("Capacity of a burst-noise channel", 1960) in its simplest form (Hasslinger and Hohlfeld, "The Gilbert-Elliott
// model for packet loss in real time services on the Internet", 2008): a packet is lost if and only if the channel is
// in its bad state. Let r be the probability of leaving the bad state and q that of entering it. Then runs of lost
// packets have a mean length of 1 / r, and p = q / (q + r). The mean length is at least that of independent losses, 1
// / (1 - p).
class RandomLoss {
 public:
  // `burst`: mean length of a run of lost packets; 1: independent losses.
  explicit RandomLoss(double ratio = 0, double burst = 1) { Set(ratio, burst); }

  // Changes the parameters, but not the state of the channel: the next loss still depends on whether the previous
  // packet was lost.
  void Set(double ratio, double burst) {
    ratio_ = ratio;
    burst_ = burst;
    behind_lost_ = std::max(ratio, 1 - 1 / burst);
    // Without bursts both probabilities are the ratio itself, bit for bit.
    behind_good_ = behind_lost_ > ratio ? ratio * (1 - behind_lost_) / (1 - ratio) : ratio;
  }
  double ratio() const { return ratio_; }
  double burst() const { return burst_; }

  // Draws a random number only if the loss ratio is not zero, so that a link without loss uses no random numbers.
  bool Lose(Random& random) {
    if (ratio_ <= 0) return false;
    return lost_ = random.Uniform() < (lost_ ? behind_lost_ : behind_good_);
  }

 private:
  double ratio_;
  double burst_;
  double behind_lost_;  // probability of a loss after a lost packet: 1 - r
  double behind_good_;  // probability of a loss after a delivered packet, and for the first packet: q
  bool lost_ = false;
};

// Adds a delay of |N(0, sd)|, at most 3 sd: the truncated Gaussian of nada-vs-gcc-2016 (sd 5 ms, in [0, 15] ms) and
// of RFC 8868. No packet overtakes another.
class Jitter {
 public:
  explicit Jitter(TimeDelta sd = TimeDelta::Zero()) : sd_(sd) {}

  bool active() const { return sd_ > TimeDelta::Zero(); }
  // Returns the time at which a packet offered at `now` leaves the jitter stage. The returned times never decrease.
  Timestamp Release(Timestamp now, Random& random);
  // Changes the standard deviation. Packets that are already delayed keep their times.
  void SetDeviation(TimeDelta sd) { sd_ = sd; }

 private:
  TimeDelta sd_;
  Timestamp last_ = Timestamp::MinusInfinity();
};

// Delays packets after the bottleneck, each with the same probability and by the same time. Packets that leave the
// bottleneck within that time overtake the delayed packet. RFC 4737 (3.3) calls a packet reordered if it arrives after
// a packet that was sent later. The time between the two arrivals is the late time offset (4.2.2).
class Reordering {
 public:
  struct Params {
    double ratio = 0;  // 0: none
    TimeDelta delay = TimeDelta::Zero();
  };

  explicit Reordering(const Params& params) : params_(params) {}

  void Set(const Params& params) { params_ = params; }
  // Returns the delay of the next packet. Draws a random number only if the ratio is not zero, so that a link without
  // reordering uses no random numbers.
  TimeDelta Hold(Random& random) const;

 private:
  Params params_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_IMPAIRMENTS_H_
