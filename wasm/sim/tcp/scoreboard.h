// The state of each outstanding segment, as the sender knows it (RFC 6675): received selectively, lost, retransmitted.
// The scoreboard is a ring of one small record per segment. Its counts are always up to date, so an ACK takes constant
// time on average. The pipe follows from these counts:
//
//   pipe = outstanding - sacked - lost + retransmitted        (RFC 6675, SetPipe)
//
// Without SACK, each duplicate ACK counts as one segment received above the first missing segment. `pipe` becomes
// smaller, which has the same effect as NewReno's inflated window (RFC 6582, section 3.2).
#ifndef CCSCOPE_SIM_TCP_SCOREBOARD_H_
#define CCSCOPE_SIM_TCP_SCOREBOARD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/ring_buffer.h"

namespace ccscope::tcp {

class Scoreboard {
 public:
  // A segment counts as lost when this many segments above it were received (RFC 6675, DupThresh).
  static constexpr int kDupThresh = 3;
  static constexpr std::int64_t kNone = -1;

  // `fack`: detect losses by forward acknowledgement (FACK), as Linux 3.16 does.
  explicit Scoreboard(bool fack) : fack_(fack), slots_(kInitialSlots) {}

  std::int64_t una() const { return una_; }    // the first unacknowledged segment
  std::int64_t next() const { return next_; }  // the next new segment
  std::int64_t outstanding() const { return next_ - una_; }
  std::int64_t sacked() const { return sacked_; }
  std::int64_t pipe() const { return outstanding() - sacked_ - lost_ + retransmitted_; }

  // Records that a new segment was sent.
  void Append();
  // Records a cumulative acknowledgement, una() <= to <= next().
  void AckUpTo(std::int64_t to);
  // Starts again with nothing outstanding; `at` is the next segment to send.
  void Restart(std::int64_t at);

  // Records that the segments begin..end-1 were received.
  void Sack(std::int64_t begin, std::int64_t end);
  // Marks the segments that must be lost, given the segments received (RFC 6675, IsLost).
  void DetectLosses();
  // Without SACK: changes the number of segments that are assumed received because of duplicate ACKs, or sets it to 0.
  void CountDuplicates(std::int64_t change);
  void ForgetDuplicates() { sacked_ = 0; }

  void MarkLost(std::int64_t seq);
  // After a timeout: everything that was not received is lost, and no retransmission is in flight.
  void MarkAllLost();
  bool IsLost(std::int64_t seq) const { return seq < next_ && (At(seq).flags & kLost) != 0; }

  // The first lost segment without a retransmission in flight, or kNone.
  std::int64_t NextLost();
  void MarkRetransmitted(std::int64_t seq);

 private:
  enum Flag : std::uint8_t { kSacked = 1, kLost = 2, kRetransmitted = 4 };
  static constexpr std::size_t kInitialSlots = 32;

  struct Slot {
    // Length of the run of received segments that begins or ends here; undefined inside a run.
    std::uint32_t run = 0;
    std::uint8_t flags = 0;
  };
  struct Retransmission {
    std::int64_t seq = 0;
    std::int64_t next = 0;  // value of next() at the time of the retransmission
  };

  Slot& At(std::int64_t seq) { return slots_[static_cast<std::size_t>(seq) & (slots_.size() - 1)]; }
  const Slot& At(std::int64_t seq) const { return slots_[static_cast<std::size_t>(seq) & (slots_.size() - 1)]; }
  bool IsSacked(std::int64_t seq) const { return (At(seq).flags & kSacked) != 0; }
  // Removes the segment from the counts.
  void Clear(Slot& slot);
  void Grow();
  void SackOne(std::int64_t seq);
  void DetectLostRetransmissions();

  bool fack_;
  std::vector<Slot> slots_;  // a ring; its length is a power of two
  std::int64_t una_ = 0;
  std::int64_t next_ = 0;
  std::int64_t sacked_ = 0;         // without SACK: the segments assumed received because of duplicate ACKs
  std::int64_t lost_ = 0;
  std::int64_t retransmitted_ = 0;
  std::int64_t loss_edge_ = 0;      // DetectLosses() has examined all segments below this
  std::int64_t lost_hint_ = 0;      // no lost segment below this waits for its retransmission
  // The three highest segments received, the highest first.
  std::array<std::int64_t, kDupThresh> highest_ = {kNone, kNone, kNone};
  RingBuffer<Retransmission> retransmissions_;  // retransmissions in flight, in the order of sending; with FACK only
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_SCOREBOARD_H_
