// Retransmission of lost media packets on request, as in WebRTC. The receiver requests missing packets with generic
// NACKs (RFC 4585 6.2.1): as soon as a later packet has arrived, and again after each round trip. The sender sends
// requested packets before all packets that wait in its pacer. If a packet has not arrived after ten requests, the
// receiver gives up on it and requests a key frame instead (PLI, RFC 4585 6.3.1).
#ifndef CCSCOPE_SIM_RETRANSMISSION_H_
#define CCSCOPE_SIM_RETRANSMISSION_H_

#include <optional>
#include <vector>

#include "units/units.h"

namespace ccscope {

// Missing packets with consecutive sequence numbers.
struct MissingRun {
  double first = 0;
  double count = 0;
};

// The packets that a receiver is missing.
class NackList {
 public:
  // Processes the arrival of packet `seq`. Returns whether the packet is new.
  bool OnArrival(double seq);
  // The next run of packets to request at `now`; no value if there is none.
  std::optional<MissingRun> Due(TimeDelta rtt, Timestamp now);
  // Whether the receiver has given up on a packet since the previous TakeGivenUp().
  bool TakeGivenUp();

 private:
  struct Missing {
    double seq;
    int requests;
    Timestamp next_request;
  };

  std::optional<double> highest_;
  std::vector<Missing> missing_;  // in the order of their sequence numbers
  bool has_given_up_ = false;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_RETRANSMISSION_H_
