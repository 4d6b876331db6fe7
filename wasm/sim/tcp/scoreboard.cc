#include "sim/tcp/scoreboard.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace ccscope::tcp {

void Scoreboard::Append() {
  if (static_cast<std::size_t>(outstanding()) == slots_.size()) Grow();
  At(next_++) = {};
}

void Scoreboard::Grow() {
  std::vector<Slot> larger(slots_.size() * 2);
  for (std::int64_t seq = una_; seq < next_; ++seq)
    larger[static_cast<std::size_t>(seq) & (larger.size() - 1)] = At(seq);
  slots_ = std::move(larger);
}

void Scoreboard::Clear(Slot& slot) {
  if (slot.flags == 0) return;
  if (slot.flags & kSacked) --sacked_;
  if (slot.flags & kLost) --lost_;
  if (slot.flags & kRetransmitted) --retransmitted_;
  slot.flags = 0;
}

void Scoreboard::AckUpTo(std::int64_t to) {
  assert(una_ <= to && to <= next_);
  for (; una_ < to; ++una_) Clear(At(una_));
}

void Scoreboard::Restart(std::int64_t at) {
  una_ = next_ = loss_edge_ = lost_hint_ = at;
  sacked_ = lost_ = retransmitted_ = 0;
  highest_ = {kNone, kNone, kNone};
  retransmissions_.Clear();
}

void Scoreboard::Sack(std::int64_t begin, std::int64_t end) {
  begin = std::max(begin, una_);
  end = std::min(end, next_);
  for (std::int64_t seq = begin; seq < end;) {
    if (!IsSacked(seq)) {
      SackOne(seq++);
    } else if (seq > una_ && IsSacked(seq - 1)) {
      ++seq;  // inside a run, where its length is not stored
    } else {
      seq += At(seq).run;
    }
  }
}

void Scoreboard::SackOne(std::int64_t seq) {
  Slot& slot = At(seq);
  Clear(slot);
  slot.flags = kSacked;
  ++sacked_;
  // Joins the runs on both sides; their lengths are stored at their ends.
  const std::uint32_t left = seq > una_ && IsSacked(seq - 1) ? At(seq - 1).run : 0;
  const std::uint32_t right = seq + 1 < next_ && IsSacked(seq + 1) ? At(seq + 1).run : 0;
  const std::uint32_t run = left + 1 + right;
  slot.run = run;
  At(seq - left).run = run;
  At(seq + right).run = run;

  for (std::int64_t& high : highest_)
    if (seq > high) std::swap(seq, high);
}

void Scoreboard::DetectLosses() {
  // A segment is lost if three segments above it were received. With FACK, it is lost if a segment that is at least
  // three above it was received.
  const std::int64_t edge = fack_ ? highest_[0] - (kDupThresh - 1) : highest_[2];
  for (loss_edge_ = std::max(loss_edge_, una_); loss_edge_ < edge; ++loss_edge_)
    if (!IsSacked(loss_edge_)) MarkLost(loss_edge_);
  if (fack_) DetectLostRetransmissions();
}

// A retransmission is also lost if a segment that was first sent after the retransmission has been received.
void Scoreboard::DetectLostRetransmissions() {
  while (!retransmissions_.empty() && retransmissions_.front().next <= highest_[0]) {
    const std::int64_t seq = retransmissions_.PopFront().seq;
    if (seq < una_ || (At(seq).flags & kRetransmitted) == 0) continue;
    At(seq).flags = kLost;
    --retransmitted_;
    lost_hint_ = std::min(lost_hint_, seq);
  }
}

void Scoreboard::CountDuplicates(std::int64_t change) {
  // At most this many segments can have caused duplicate ACKs. The first missing segment and all segments known to be
  // lost have not arrived, so they caused none.
  const std::int64_t most = std::max<std::int64_t>(outstanding() - std::max<std::int64_t>(lost_, 1), 0);
  sacked_ = std::clamp<std::int64_t>(sacked_ + change, 0, most);
}

void Scoreboard::MarkLost(std::int64_t seq) {
  Slot& slot = At(seq);
  if (slot.flags != 0) return;
  slot.flags = kLost;
  ++lost_;
  lost_hint_ = std::min(lost_hint_, seq);
}

void Scoreboard::MarkAllLost() {
  lost_ = retransmitted_ = 0;
  for (std::int64_t seq = una_; seq < next_; ++seq) {
    if (IsSacked(seq)) continue;
    At(seq).flags = kLost;
    ++lost_;
  }
  sacked_ = outstanding() - lost_;  // without SACK: 0, since duplicate ACKs do not count after a timeout
  loss_edge_ = next_;
  lost_hint_ = una_;
  retransmissions_.Clear();
}

std::int64_t Scoreboard::NextLost() {
  if (lost_ == retransmitted_) return kNone;
  for (lost_hint_ = std::max(lost_hint_, una_); lost_hint_ < next_; ++lost_hint_)
    if (At(lost_hint_).flags == kLost) return lost_hint_;
  return kNone;
}

void Scoreboard::MarkRetransmitted(std::int64_t seq) {
  assert(At(seq).flags == kLost);
  At(seq).flags |= kRetransmitted;
  ++retransmitted_;
  if (!fack_) return;
  while (!retransmissions_.empty() && retransmissions_.front().seq < una_) retransmissions_.PopFront();
  retransmissions_.PushBack({seq, next_});
}

}  // namespace ccscope::tcp
