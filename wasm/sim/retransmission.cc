#include "sim/retransmission.h"

#include <algorithm>
#include <cstddef>

namespace ccscope {
namespace {

// If more than kMostMissing packets are missing, the receiver gives up on all of them (max_nack_list_size of WebRTC in
// 2016). A packet is requested at most kMostRequests times (kMaxNackRetries of the later nack_module).
constexpr std::size_t kMostMissing = 250;
constexpr int kMostRequests = 10;
// The shortest time between two requests for a packet (nack_module's kProcessIntervalMs). It is also the time between
// requests while no RTT is known.
constexpr TimeDelta kLeastInterval = TimeDelta::Millis(20);

}  // namespace

bool NackList::OnArrival(double seq) {
  if (!highest_ || seq > *highest_) {
    const double first = highest_ ? *highest_ + 1 : seq;
    highest_ = seq;
    if (seq - first > static_cast<double>(kMostMissing - missing_.size())) {
      missing_.clear();
      has_given_up_ = true;
      return true;
    }
    for (double lost = first; lost < seq; ++lost) missing_.push_back({lost, 0, Timestamp::MinusInfinity()});
    return true;
  }
  const auto found = std::find_if(missing_.begin(), missing_.end(), [seq](const Missing& m) { return m.seq == seq; });
  if (found == missing_.end()) return false;
  missing_.erase(found);
  return true;
}

std::optional<MissingRun> NackList::Due(TimeDelta rtt, Timestamp now) {
  const auto is_given_up = [now](const Missing& m) { return m.requests == kMostRequests && now >= m.next_request; };
  const auto kept = std::remove_if(missing_.begin(), missing_.end(), is_given_up);
  if (kept != missing_.end()) has_given_up_ = true;
  missing_.erase(kept, missing_.end());
  MissingRun run;
  for (Missing& m : missing_) {
    const bool is_due = now >= m.next_request;
    if (run.count > 0 && (!is_due || m.seq != run.first + run.count)) break;
    if (!is_due) continue;
    if (run.count == 0) run.first = m.seq;
    ++run.count;
    ++m.requests;
    m.next_request = now + std::max(rtt, kLeastInterval);
  }
  return run.count > 0 ? std::optional(run) : std::nullopt;
}

bool NackList::TakeGivenUp() {
  const bool given_up = has_given_up_;
  has_given_up_ = false;
  return given_up;
}

}  // namespace ccscope
