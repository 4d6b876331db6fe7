// Turns the wrapping send times of RTP into a clock that does not wrap. The send times are the abs-send-time header
// extension (24 bits, 6.18 fixed point, wraps every 64 s) and the 32-bit RTP timestamp at 90 kHz.
#ifndef CCSCOPE_CC_SEND_CLOCK_H_
#define CCSCOPE_CC_SEND_CLOCK_H_

#include <cmath>

#include "units/units.h"

namespace ccscope {

class SendClock {
 public:
  static constexpr double kAbsSendTimeModulus = 16777216.0;  // 2^24
  static constexpr double kRtpModulus = 4294967296.0;        // 2^32

  // Unwraps `ticks`, the value of a counter that wraps at `modulus`; one tick lasts `tick`. Of the possible steps since
  // the previous call, the one that is nearest to the step of the arrival times counts. So the clock continues after a
  // wrap and after a pause of several wraps, and goes back a little for a reordered packet.
  Timestamp Unwrap(double ticks, double modulus, TimeDelta tick, Timestamp arrival) {
    if (!started_) {
      started_ = true;
      unwrapped_ = ticks;
    } else {
      const double delta = ticks - last_;
      unwrapped_ += delta + modulus * std::nearbyint(((arrival - last_arrival_) / tick - delta) / modulus);
    }
    last_ = ticks;
    last_arrival_ = arrival;
    return Timestamp::Micros(unwrapped_ * tick.us());
  }

  Timestamp UnwrapAbsSendTime(double ticks, Timestamp arrival) {
    return Unwrap(ticks, kAbsSendTimeModulus, TimeDelta::Micros(1e6 / 262144), arrival);
  }
  Timestamp UnwrapRtp90kHz(double ticks, Timestamp arrival) {
    return Unwrap(ticks, kRtpModulus, TimeDelta::Micros(1e6 / 90000), arrival);
  }

 private:
  bool started_ = false;
  double last_ = 0;
  Timestamp last_arrival_;
  double unwrapped_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_SEND_CLOCK_H_
