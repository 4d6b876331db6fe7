// Packet grouping: turns arrivals into groups and computes the deltas between successive complete groups (ToN III-A,
// eq. 3; pre-filter of GRP).
//
// A group is a video frame, recognised by its RTP timestamp, or all packets that were sent within group_length of the
// group's first packet. The deltas use the send time of a group's last packet. With the send time of the first packet
// (the paper's T_i), the sender's own spacing of packets within a merged burst would count as queuing.
#ifndef CCSCOPE_CC_GCC_PACKET_GROUPING_H_
#define CCSCOPE_CC_GCC_PACKET_GROUPING_H_

#include <optional>

#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

struct GroupDeltas {
  TimeDelta send;
  TimeDelta arrival;
  DataSize size;
  DataSize later_size;      // of the later group
  TimeDelta one_way_delay;  // of the later group, including the offset between the clocks

  // d_m (eq. 3).
  TimeDelta delay_variation() const { return arrival - send; }
};

class PacketGrouping {
 public:
  struct Params {
    bool by_frame;  // applies to arrivals that carry an RTP timestamp
    PreFilter pre_filter;
    TimeDelta group_length;
    TimeDelta burst_max_duration;  // zero: no limit
    int reordering_reset_count;    // zero: never
    TimeDelta arrival_jump_reset;  // zero: never
    explicit Params(const Parameters& p);
  };

  explicit PacketGrouping(const Parameters& parameters) : params_(parameters) {}
  void Configure(const Parameters& parameters) { params_ = Params(parameters); }

  // Processes one arrival. If it begins a new group, returns the deltas between the two groups before the new group.
  [[nodiscard]] std::optional<GroupDeltas> OnArrival(Timestamp send_time, Timestamp arrival_time, DataSize size,
                                                     std::optional<double> rtp_timestamp = std::nullopt);

 private:
  struct Group {
    bool empty = true;
    Timestamp first_send;
    Timestamp last_send;
    Timestamp first_arrival;
    Timestamp last_arrival;
    DataSize size;
    std::optional<double> rtp_timestamp;
  };

  bool BelongsToGroup(Timestamp send_time, Timestamp arrival_time, std::optional<double> rtp_timestamp) const;
  bool BelongsToBurst(Timestamp send_time, Timestamp arrival_time) const;
  void Reset();

  Params params_;
  Group current_;
  Group previous_;
  Timestamp last_packet_send_;
  int reordered_in_a_row_ = 0;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_PACKET_GROUPING_H_
