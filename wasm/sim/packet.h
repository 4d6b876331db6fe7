// A packet in a link. For the bottleneck that ccscope emulates inside a page, the "packet" is a whole video frame.
#ifndef CCSCOPE_SIM_PACKET_H_
#define CCSCOPE_SIM_PACKET_H_

#include "units/units.h"

namespace ccscope {

struct Packet {
  double id = 0;             // given by the caller; an integer below 2^53
  int flow = 0;              // for disciplines that distinguish flows
  DataSize size = {};        // on the wire, headers included
  Timestamp offered = {};    // when the caller handed it to the link
  Timestamp queued = {};     // when it reached the queue (after jitter)
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_PACKET_H_
