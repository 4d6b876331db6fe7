#include "sim/live/frame_assembly.h"

#include <algorithm>

namespace ccscope::live {
namespace {

// A browser's receiver requests a key frame again if none has arrived within this time.
constexpr TimeDelta kKeyFrameRetry = TimeDelta::Millis(500);

}  // namespace

// Records a packet and the gap before it, and returns whether the packet is new. The packets in a gap count as lost.
// If one of them arrives late and is not a retransmission, it was only reordered and no longer counts as lost.
bool FrameAssembly::IsNew(double seq, bool again, Timestamp now) {
  if (seq <= highest_seq_.value_or(-1)) {
    const bool was_missing = std::erase_if(missing_, [seq](const Missing& missing) { return missing.seq == seq; }) > 0;
    // Without NACK, missing_ is empty and nothing is retransmitted, so every late packet is new.
    if (!was_missing && params_.nack) return false;
    if (!again) --packets_lost_;
    return true;
  }
  const double first = highest_seq_.value_or(-1) + 1;
  for (double lost = first; lost < seq; ++lost) {
    ++packets_lost_;
    if (params_.nack) missing_.push_back({lost, now});
  }
  if (!params_.nack && seq > first) GiveUp();
  highest_seq_ = seq;
  return true;
}

// Returns the frame's slot. Creates this slot and the slots of earlier frames if necessary. Null if the frame was
// already decoded or skipped.
FrameAssembly::Slot* FrameAssembly::SlotOf(const FramePacket& packet) {
  if (packet.frame < next_frame_) return nullptr;
  const auto index = static_cast<std::size_t>(packet.frame - next_frame_);
  while (slots_.size() <= index) slots_.PushBack({});
  return &slots_[index];
}

std::optional<FrameAssembly::Frame> FrameAssembly::OnPacket(const FramePacket& packet, bool again, Timestamp now) {
  if (!IsNew(packet.seq, again, now)) return std::nullopt;
  Slot* slot = SlotOf(packet);
  if (slot == nullptr) return std::nullopt;
  slot->known = true;
  slot->frame.of = packet;
  slot->frame.arrived = std::max(slot->frame.arrived, now);
  if (++slot->received != packet.packets) return std::nullopt;
  return slot->frame;
}

// After the receiver gave up on a packet, skips all frames before the next complete key frame.
void FrameAssembly::SkipToKeyFrame() {
  std::size_t first = 0;
  while (first < slots_.size() && !(slots_[first].complete() && slots_[first].frame.of.key_frame)) ++first;
  if (first == slots_.size()) return;
  for (; first > 0; --first, ++next_frame_) slots_.Pop();
  awaits_key_frame_ = false;
  const double seq = slots_.front().frame.of.seq;
  std::erase_if(missing_, [seq](const Missing& missing) { return missing.seq < seq; });
}

std::optional<FrameAssembly::Frame> FrameAssembly::NextFrame() {
  if (awaits_key_frame_) SkipToKeyFrame();
  if (awaits_key_frame_ || slots_.empty() || !slots_.front().complete()) return std::nullopt;
  ++next_frame_;
  return slots_.PopFront().frame;
}

void FrameAssembly::GiveUp() {
  if (!awaits_key_frame_) ask_for_key_frame_at_ = Timestamp::MinusInfinity();
  awaits_key_frame_ = true;
}

FrameAssembly::Request FrameAssembly::TakeRequest(Timestamp now) {
  Request request;
  for (std::size_t i = 0; i < missing_.size() && request.count < kMaxAskedFor;) {
    Missing& missing = missing_[i];
    if (missing.ask_at > now) {
      ++i;
    } else if (missing.asked == params_.nack_retries) {
      missing_.erase(missing_.begin() + static_cast<std::ptrdiff_t>(i));
      GiveUp();
    } else {
      ++missing.asked;
      missing.ask_at = now + params_.nack_interval;
      request.seqs[static_cast<std::size_t>(request.count++)] = missing.seq;
      ++i;
    }
  }
  return request;
}

Timestamp FrameAssembly::NextRequest() const {
  Timestamp next = awaits_key_frame_ ? ask_for_key_frame_at_ : Timestamp::PlusInfinity();
  for (const Missing& missing : missing_) next = std::min(next, missing.ask_at);
  return next;
}

bool FrameAssembly::TakeNeedsKeyFrame(Timestamp now) {
  if (!awaits_key_frame_ || now < ask_for_key_frame_at_) return false;
  ask_for_key_frame_at_ = now + kKeyFrameRetry;
  return true;
}

}  // namespace ccscope::live
