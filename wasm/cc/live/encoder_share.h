// The encoder's share: the rate that an encoder actually sends, on the wire with headers and retransmissions, divided
// by the rate requested. Chromium at first gives an encoder only 1 / 1.2 of each new target (wasm/sim/media_source.md),
// which lowers the share. An encoder that gets its whole target exceeds the target, since the headers are added to the
// output of the encoder.
#ifndef CCSCOPE_CC_LIVE_ENCODER_SHARE_H_
#define CCSCOPE_CC_LIVE_ENCODER_SHARE_H_

#include "units/units.h"

namespace ccscope {

class EncoderShare {
 public:
  double value() const { return share_; }

  // Records that the rate `asked` was requested during `elapsed`.
  void OnAsked(DataRate asked, TimeDelta elapsed);
  // Rates on the wire over the last second and over the last half second. `has_room`: these rates are far below the
  // capacity. `may_be_less`: whether these rates may lower the share. It is false if losses in a queue or waiting
  // frames make these rates lower than the rate sent.
  struct Delivered {
    DataRate second;
    DataRate half;
    bool has_room;
    bool may_be_less;
  };
  void OnDelivered(const Delivered& delivered, TimeDelta elapsed);
  // Raises the share, since a queue that lasts shows that the encoder sends more than assumed. `length`: the part of
  // the queue that has to drain; `elapsed`: how long it lasted.
  void OnQueue(TimeDelta length, TimeDelta elapsed);

 private:
  static constexpr double kLowest = 0.8;

  double share_ = kLowest;  // an encoder starts below its target
  DataRate asked_;  // averaged over about the same time as the delivered rate
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_ENCODER_SHARE_H_
