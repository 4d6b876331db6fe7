// How much of its target an encoder really sends: the rate on the wire, headers and retransmissions included, over
// the rate asked for. Encoders stay below their target by a fifth to a third for seconds after a rise (the share
// follows down to 0.8), or exceed it by the headers.
#ifndef CCSCOPE_CC_GCC_LIVE_ENCODER_SHARE_H_
#define CCSCOPE_CC_GCC_LIVE_ENCODER_SHARE_H_

#include "units/units.h"

namespace ccscope::gcc {

class EncoderShare {
 public:
  double value() const { return share_; }

  // Records that this rate was asked for during `elapsed`.
  void OnAsked(DataRate asked, TimeDelta elapsed);
  // Rates on the wire, over the last second and over its second half. `has_room`: they are far below the capacity;
  // `may_be_less`: nothing that was sent is lost or waits.
  struct Delivered {
    DataRate second;
    DataRate half;
    bool has_room;
    bool may_be_less;
  };
  void OnDelivered(const Delivered& delivered, TimeDelta elapsed);
  // A lasting queue shows that the encoder's share is larger than assumed: `length` is the excess over the usual
  // queue, and it lasted for `elapsed`.
  void OnQueue(TimeDelta length, TimeDelta elapsed);

 private:
  static constexpr double kLowest = 0.8;

  double share_ = kLowest;  // an encoder starts below its target
  DataRate asked_;  // averaged over about as long as the delivered rate
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LIVE_ENCODER_SHARE_H_
