#include "sim/tcp/receiver.h"

#include <algorithm>
#include <utility>

namespace ccscope::tcp {

Receiver::Receiver(const Parameters& parameters, CongestionControlKind kind)
    : ack_size_(DataSize::Bytes(parameters.ack_size_bytes)),
      sack_(parameters.UsesSack(kind)),
      delayed_ack_segments_(static_cast<int>(parameters.delayed_ack_segments)),
      delayed_ack_(TimeDelta::Millis(parameters.delayed_ack_ms)),
      quick_acks_(static_cast<int>(parameters.quick_ack_segments)),
      runs_(kInitialSlots) {}

// Records the segment in the stream. Returns whether the cumulative acknowledgement has advanced.
bool Receiver::Accept(std::int64_t seq) {
  if (seq != next_expected_) {
    StoreOutOfOrder(seq);
    return false;
  }
  ++next_expected_;
  if (next_expected_ < highest_ && At(next_expected_) != 0) {
    const std::int64_t end = next_expected_ + At(next_expected_);
    for (; next_expected_ < end; ++next_expected_) At(next_expected_) = 0;
    ForgetBlocks();
  }
  highest_ = std::max(highest_, next_expected_);
  return true;
}

void Receiver::StoreOutOfOrder(std::int64_t seq) {
  if (static_cast<std::size_t>(seq - next_expected_) >= runs_.size()) Grow(seq);
  const std::uint32_t left = seq > next_expected_ ? At(seq - 1) : 0;
  const std::uint32_t right = seq + 1 < highest_ ? At(seq + 1) : 0;
  const std::uint32_t run = left + 1 + right;
  At(seq) = run;
  At(seq - left) = run;
  At(seq + right) = run;
  highest_ = std::max(highest_, seq + 1);
  RememberBlock({seq - left, seq + right + 1});
}

void Receiver::Grow(std::int64_t seq) {
  std::size_t size = runs_.size();
  while (size <= static_cast<std::size_t>(seq - next_expected_)) size *= 2;
  std::vector<std::uint32_t> larger(size);
  for (std::int64_t s = next_expected_; s < highest_; ++s) larger[static_cast<std::size_t>(s) & (size - 1)] = At(s);
  runs_ = std::move(larger);
}

// RFC 2018, section 4: the block with the newest segment comes first, then the blocks that were reported before.
void Receiver::RememberBlock(SackBlock block) {
  std::array<SackBlock, kRecentBlocks> updated = {block};
  std::size_t count = 1;
  for (std::size_t i = 0; i < recent_count_ && count < kRecentBlocks; ++i) {
    const bool within = recent_[i].begin >= block.begin && recent_[i].end <= block.end;
    if (!within) updated[count++] = recent_[i];
  }
  recent_ = updated;
  recent_count_ = count;
}

void Receiver::ForgetBlocks() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < recent_count_; ++i)
    if (recent_[i].begin >= next_expected_) recent_[count++] = recent_[i];
  recent_count_ = count;
}

std::optional<Ack> Receiver::OnSegment(const Segment& segment, Timestamp now) {
  ++stats_.segments;
  // RFC 7323, section 4.3: an ACK echoes the timestamp of the earliest segment that it newly acknowledges. A duplicate
  // of an acknowledged segment also updates the timestamp; otherwise a lost ACK would make an RTT sample as long as the
  // RTO.
  if (segment.seq <= last_ack_sent_) echo_ = std::max(echo_, segment.sent);
  const bool known = segment.seq < next_expected_ || (segment.seq < highest_ && At(segment.seq) != 0);
  if (known) {
    ++stats_.duplicates;
    return MakeAck();
  }
  const bool had_holes = highest_ > next_expected_;
  const bool in_order = Accept(segment.seq);
  if (in_order) ++unacknowledged_;
  // RFC 5681, section 4.2: a segment is acknowledged at once if it is out of order, or if it fills a hole wholly or in
  // part.
  if (!in_order || had_holes || unacknowledged_ >= delayed_ack_segments_) return MakeAck();
  if (quick_acks_ > 0) return MakeAck();
  if (timer_ == Timestamp::PlusInfinity()) timer_ = now + delayed_ack_;
  return std::nullopt;
}

std::optional<Ack> Receiver::OnTimer(Timestamp now) {
  if (now < timer_) return std::nullopt;
  return MakeAck();
}

Ack Receiver::MakeAck() {
  Ack ack;
  ack.next_expected = last_ack_sent_ = next_expected_;
  ack.echo = echo_;
  ack.size = ack_size_;
  if (sack_ && recent_count_ > 0) {
    ack.sack_count = static_cast<int>(std::min<std::size_t>(recent_count_, kMaxSackBlocks));
    std::copy_n(recent_.begin(), ack.sack_count, ack.sack);
    // Two bytes of option header, two of padding, eight for each block (RFC 2018, section 3).
    ack.size += DataSize::Bytes(4 + 8.0 * ack.sack_count);
  }
  ++stats_.acks;
  quick_acks_ = std::max(0, quick_acks_ - unacknowledged_);
  unacknowledged_ = 0;
  timer_ = Timestamp::PlusInfinity();
  return ack;
}

}  // namespace ccscope::tcp
