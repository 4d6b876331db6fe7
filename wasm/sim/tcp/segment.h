// What a TCP sender and a TCP receiver exchange. Sequence numbers count full-sized segments.
#ifndef CCSCOPE_SIM_TCP_SEGMENT_H_
#define CCSCOPE_SIM_TCP_SEGMENT_H_

#include <cstdint>

#include "units/units.h"

namespace ccscope::tcp {

struct Segment {
  std::int64_t seq = 0;
  DataSize size = {};   // on the wire
  Timestamp sent = {};  // timestamp option (RFC 7323)
  bool retransmission = false;
};

// Segments begin..end-1 were received.
struct SackBlock {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// With the timestamp option there is room for three SACK blocks (RFC 2018, section 3).
inline constexpr int kMaxSackBlocks = 3;

struct Ack {
  std::int64_t next_expected = 0;  // cumulative: everything below was received
  Timestamp echo = {};                  // timestamp of the earliest segment acknowledged (RFC 7323, section 4)
  int sack_count = 0;
  SackBlock sack[kMaxSackBlocks] = {};  // the most recent first
  DataSize size = {};                   // on the wire
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_SEGMENT_H_
