// Proportional rate reduction with the slow start reduction bound (RFC 6937, section 3). During fast recovery the
// window follows the delivered data, so that sending continues evenly and the window ends at ssthresh. Linux has used
// it since version 3.2, with and without SACK.
#ifndef CCSCOPE_SIM_TCP_PRR_H_
#define CCSCOPE_SIM_TCP_PRR_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ccscope::tcp {

class ProportionalRateReduction {
 public:
  // Fast recovery begins with `flight` segments outstanding (RecoverFS).
  void Begin(std::int64_t flight) {
    recover_flight_ = static_cast<double>(std::max<std::int64_t>(flight, 1));
    delivered_ = out_ = 0;
  }
  void OnSent() { ++out_; }
  // Call it for each ACK of fast recovery. `delivered`: the segments that this ACK newly reports as received. Returns
  // the window.
  double OnAck(std::int64_t delivered, std::int64_t pipe, double ssthresh) {
    delivered_ += static_cast<double>(delivered);
    const double in_flight = static_cast<double>(pipe);
    double send;
    if (in_flight > ssthresh) {
      send = std::ceil(delivered_ * ssthresh / recover_flight_) - out_;
    } else {
      const double limit = std::max(delivered_ - out_, static_cast<double>(delivered)) + 1;
      send = std::min(ssthresh - in_flight, limit);
    }
    return in_flight + std::max(send, 0.0);
  }

 private:
  double recover_flight_ = 1;
  double delivered_ = 0;  // prr_delivered
  double out_ = 0;        // prr_out
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_PRR_H_
