// Retransmission of lost media packets on request, as WebRTC does it: the receiver asks for what is missing with generic
// NACKs (RFC 4585 6.2.1), at once when a later packet comes and again after each round trip, and the sender sends it
// again, ahead of everything that waits in its pacer. A packet that does not come after ten requests is given up, and a
// key frame is asked for instead (PLI, RFC 4585 6.3.1).
#ifndef CCSCOPE_SIM_RETRANSMISSION_H_
#define CCSCOPE_SIM_RETRANSMISSION_H_

#include <optional>
#include <vector>

#include "units/units.h"

namespace ccscope {

// Consecutive sequence numbers.
struct MissingRun {
  double first = 0;
  double count = 0;
};

// What a receiver misses.
class NackList {
 public:
  // Takes the number of a packet that came. Whether it had not come before.
  bool OnArrival(double seq);
  // The next run that is to be asked for at `now`; nothing where none is.
  std::optional<MissingRun> Due(TimeDelta rtt, Timestamp now);
  // Whether a packet was given up since the last call.
  bool TakeGivenUp();

 private:
  struct Missing {
    double seq;
    int requests;
    Timestamp next_request;
  };

  std::optional<double> highest_;
  std::vector<Missing> missing_;  // in the order of their numbers
  bool has_given_up_ = false;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_RETRANSMISSION_H_
