// How much of its target an encoder really sends: the rate on the wire, headers and retransmissions included, divided
// by the rate requested. Chromium gives an encoder 1 / 1.2 of each new target (wasm/sim/media_source.md), and the
// headers come on top; an encoder that is given the whole target exceeds it by the headers.
#ifndef CCSCOPE_CC_LIVE_ENCODER_SHARE_H_
#define CCSCOPE_CC_LIVE_ENCODER_SHARE_H_

#include "units/units.h"

namespace ccscope {

class EncoderShare {
 public:
  double value() const { return share_; }

  // Records that this rate was asked for during `elapsed`.
  void OnAsked(DataRate asked, TimeDelta elapsed);
  // Rates on the wire, over the last second and over its second half. `has_room`: they are far below the capacity;
  // `may_be_less`: they may lower the share, since neither losses in a queue nor waiting frames hide part of what was
  // sent.
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

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_ENCODER_SHARE_H_
