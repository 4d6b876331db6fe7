// What an encoder makes of its target: what comes on the wire, headers and retransmissions included, over
// what is asked for. Encoders stay below by a fifth to a third for seconds after a rise, which is followed down
// to 0.8, or above it with the headers.
#ifndef CCSCOPE_CC_GCC_LIVE_ENCODER_SHARE_H_
#define CCSCOPE_CC_GCC_LIVE_ENCODER_SHARE_H_

#include "units/units.h"

namespace ccscope::gcc {

class EncoderShare {
 public:
  double value() const { return share_; }

  // So much was asked for, for `elapsed`.
  void OnAsked(DataRate asked, TimeDelta elapsed);
  // On the wire, in the last second and in the last half of one. `has_room`: it is far below the capacity;
  // `may_be_less`: nothing of what was sent is lost or waits.
  struct Delivered {
    DataRate second;
    DataRate half;
    bool has_room;
    bool may_be_less;
  };
  void OnDelivered(const Delivered& delivered, TimeDelta elapsed);
  // A queue that stays says that the encoder makes more of its target than is thought: `length` beyond what
  // is usual, for `elapsed`.
  void OnQueue(TimeDelta length, TimeDelta elapsed);

 private:
  static constexpr double kLowest = 0.8;

  double share_ = kLowest;  // an encoder starts below its target
  DataRate asked_;  // averaged over about as long as what is delivered
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_ENCODER_SHARE_H_
