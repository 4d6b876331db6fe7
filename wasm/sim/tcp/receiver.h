// A TCP receiver: cumulative and selective acknowledgements (RFC 2018), delayed ACKs (RFC 5681, section 4.2),
// timestamps (RFC 7323). The receive window is not limited. The receiver does not read a clock: the caller passes the
// time.
//
// Call OnTimer() at next_timer(); earlier calls do nothing.
#ifndef CCSCOPE_SIM_TCP_RECEIVER_H_
#define CCSCOPE_SIM_TCP_RECEIVER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/tcp/parameters.h"
#include "sim/tcp/segment.h"

namespace ccscope::tcp {

class Receiver {
 public:
  struct Stats {
    double segments = 0;    // segments that arrived
    double duplicates = 0;  // segments that arrived although they had arrived before
    double acks = 0;
  };

  // `kind` is the sender's kind: it decides what `sack: auto` means.
  explicit Receiver(const Parameters& parameters, CongestionControlKind kind = CongestionControlKind::kCubic);

  std::optional<Ack> OnSegment(const Segment& segment, Timestamp now);
  std::optional<Ack> OnTimer(Timestamp now);
  Timestamp next_timer() const { return timer_; }

  // All segments below this one were received.
  std::int64_t next_expected() const { return next_expected_; }
  const Stats& stats() const { return stats_; }

 private:
  // One more than the number of blocks in an ACK. So if the cumulative acknowledgement covers one of the blocks, the
  // others still fill an ACK.
  static constexpr std::size_t kRecentBlocks = kMaxSackBlocks + 1;
  static constexpr std::size_t kInitialSlots = 32;

  std::uint32_t& At(std::int64_t seq) { return runs_[static_cast<std::size_t>(seq) & (runs_.size() - 1)]; }
  bool Accept(std::int64_t seq);
  void StoreOutOfOrder(std::int64_t seq);
  void Grow(std::int64_t seq);
  void RememberBlock(SackBlock block);
  void ForgetBlocks();
  Ack MakeAck();

  const DataSize ack_size_;
  const bool sack_;
  const int delayed_ack_segments_;
  const TimeDelta delayed_ack_;
  int quick_acks_;

  std::int64_t next_expected_ = 0;
  std::int64_t highest_ = 0;  // one past the highest segment received
  // One entry for each segment from next_expected_ on: 0 for a missing segment; the length of the run at both ends of
  // a run of received segments; any value except 0 inside a run. The vector is a ring; its length is a power of two.
  std::vector<std::uint32_t> runs_;
  std::array<SackBlock, kRecentBlocks> recent_ = {};  // the most recent first
  std::size_t recent_count_ = 0;
  Timestamp echo_;                  // TS.Recent (RFC 7323, section 4.3)
  std::int64_t last_ack_sent_ = 0;  // Last.ACK.sent
  int unacknowledged_ = 0;          // segments in order since the last ACK
  Timestamp timer_ = Timestamp::PlusInfinity();
  Stats stats_;
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_RECEIVER_H_
