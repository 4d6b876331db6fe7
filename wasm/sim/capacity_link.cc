#include "sim/capacity_link.h"

#include <algorithm>
#include <cassert>

namespace ccscope {

CapacityLink::CapacityLink(const Params& params)
    : params_(params), last_capacity_(params.capacity), tokens_(params.burst) {
  assert(params.capacity > DataRate::Zero());
}

DataSize CapacityLink::TokensAt(Timestamp now) const {
  return std::min(params_.burst, tokens_ + Gained(now));
}

void CapacityLink::SetCapacity(DataRate capacity, Timestamp now) {
  tokens_ = TokensAt(now);
  if (busy_) remaining_ = std::max(DataSize::Zero(), remaining_ - Gained(now));
  since_ = now;
  params_.capacity = capacity;
  if (capacity > DataRate::Zero()) last_capacity_ = capacity;
  if (busy_) Plan(now);
}

void CapacityLink::SetMode(Mode mode, Timestamp now) {
  if (mode == params_.mode) return;
  params_.mode = mode;
  tokens_ = params_.burst;
  since_ = now;
  if (busy_) Start(packet_, now);
}

void CapacityLink::Start(const Packet& packet, Timestamp now) {
  tokens_ = TokensAt(now);
  since_ = now;
  packet_ = packet;
  remaining_ = packet.size;
  begin_ = now;
  busy_ = true;
  Plan(now);
}

void CapacityLink::Plan(Timestamp now) {
  const DataSize missing =
      params_.mode == Mode::kSerial ? remaining_ : std::min(packet_.size, params_.burst) - tokens_;
  if (missing <= DataSize::Zero()) {
    completion_ = now;
  } else if (params_.capacity > DataRate::Zero()) {
    completion_ = now + missing / params_.capacity;
  } else {
    completion_ = Timestamp::PlusInfinity();
  }
}

CapacityLink::Sent CapacityLink::Finish() {
  assert(busy_ && completion_.IsFinite());
  const bool serial = params_.mode == Mode::kSerial;
  if (!serial) tokens_ = TokensAt(completion_) - packet_.size;
  since_ = completion_;
  const Sent sent{packet_, completion_, (serial ? begin_ : completion_) - packet_.queued};
  busy_ = false;
  completion_ = Timestamp::PlusInfinity();
  return sent;
}

TimeDelta CapacityLink::WaitingTime(DataSize ahead, Timestamp now) const {
  DataSize backlog = ahead;
  if (params_.mode == Mode::kSerial) {
    if (busy_) backlog += std::max(DataSize::Zero(), remaining_ - Gained(now));
  } else {
    backlog += (busy_ ? packet_.size : DataSize::Zero()) - TokensAt(now);
  }
  return std::max(DataSize::Zero(), backlog) / last_capacity_;
}

}  // namespace ccscope
