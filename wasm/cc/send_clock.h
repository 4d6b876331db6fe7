// Turns the wrapping send times of RTP into a clock that does not wrap. The send times are the abs-send-time header
// extension (24 bits, 6.18 fixed point, wraps every 64 s) and the 32-bit RTP timestamp at 90 kHz.
#ifndef CCSCOPE_CC_SEND_CLOCK_H_
#define CCSCOPE_CC_SEND_CLOCK_H_

#include "units/units.h"

namespace ccscope {

class SendClock {
 public:
  static constexpr double kAbsSendTimeModulus = 16777216.0;  // 2^24
  static constexpr double kRtpModulus = 4294967296.0;        // 2^32

  // Unwraps `ticks`, the value of a counter that wraps at `modulus`; one tick lasts `tick`. Returns the possible result
  // that is nearest to the previous result. So the clock continues after a wrap, and goes back a little for a reordered
  // packet.
  Timestamp Unwrap(double ticks, double modulus, TimeDelta tick) {
    if (!started_) {
      started_ = true;
      unwrapped_ = ticks;
    } else {
      double delta = ticks - last_;
      if (delta < -modulus / 2) delta += modulus;
      if (delta >= modulus / 2) delta -= modulus;
      unwrapped_ += delta;
    }
    last_ = ticks;
    return Timestamp::Micros(unwrapped_ * tick.us());
  }

  Timestamp UnwrapAbsSendTime(double ticks) {
    return Unwrap(ticks, kAbsSendTimeModulus, TimeDelta::Micros(1e6 / 262144));
  }
  Timestamp UnwrapRtp90kHz(double ticks) {
    return Unwrap(ticks, kRtpModulus, TimeDelta::Micros(1e6 / 90000));
  }

 private:
  bool started_ = false;
  double last_ = 0;
  double unwrapped_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_SEND_CLOCK_H_
