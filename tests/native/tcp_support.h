// A TCP sender and a TCP receiver, joined by two paths. The forward path is a link of the simulator or a plain delay;
// the backward path is a plain delay. On both, the test chooses losses and extra delays; extra delays of segments have
// no effect with a link.
#ifndef CCSCOPE_TESTS_NATIVE_TCP_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_TCP_SUPPORT_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/link.h"
#include "sim/tcp/receiver.h"
#include "sim/tcp/sender.h"

namespace ccscope::tcp {

class Connection {
 public:
  // The fate of a segment or an ACK: no value if it is lost, otherwise a delay that is added to the path's.
  using SegmentFate = std::function<std::optional<TimeDelta>(const Segment&)>;
  using AckFate = std::function<std::optional<TimeDelta>(const Ack&)>;

  Connection(const Parameters& parameters, CongestionControlKind kind, TimeDelta one_way)
      : sender(parameters, kind), receiver(parameters, kind), one_way_(one_way) {}

  Sender sender;
  Receiver receiver;
  SegmentFate segment_fate = [](const Segment&) { return TimeDelta::Zero(); };
  AckFate ack_fate = [](const Ack&) { return TimeDelta::Zero(); };
  std::function<void(const Segment&, Timestamp)> on_sent = [](const Segment&, Timestamp) {};
  std::function<void(const Ack&, Timestamp)> on_ack = [](const Ack&, Timestamp) {};

  // Segments cross this link before the one-way delay.
  void UseLink(std::unique_ptr<Link> link) { link_ = std::move(link); }
  Link& link() { return *link_; }
  Timestamp now() const { return now_; }

  void Start() {
    sender.Start(now_);
    Flush();
  }
  void Start(std::int64_t segments) {
    sender.Start(now_, segments);
    Flush();
  }

  // Runs until `end`, or until nothing more can happen.
  void RunUntil(Timestamp end) {
    while (Step(end)) {
    }
    if (end.IsFinite()) now_ = std::max(now_, end);
  }
  // Runs the next event; returns false if it is later than `end` or if there is none.
  bool Step(Timestamp end) {
    constexpr Timestamp kNever = Timestamp::PlusInfinity();
    const Timestamp segment = segments_.empty() ? kNever : segments_.begin()->first;
    const Timestamp ack = acks_.empty() ? kNever : acks_.begin()->first;
    const Timestamp link = link_ ? link_->NextEvent() : kNever;
    const Timestamp next = std::min({segment, ack, link, sender.next_timer(), receiver.next_timer()});
    if (next > end || next == kNever) return false;
    now_ = std::max(now_, next);
    if (segment == next) {
      const Segment arrived = segments_.extract(segments_.begin()).mapped();
      Return(receiver.OnSegment(arrived, now_));
    } else if (link == next) {
      PollLink();
    } else if (receiver.next_timer() == next) {
      Return(receiver.OnTimer(now_));
    } else if (ack == next) {
      const Ack arrived = acks_.extract(acks_.begin()).mapped();
      sender.OnAck(arrived, now_);
      on_ack(arrived, now_);
      Flush();
    } else {
      sender.OnTimer(now_);
      Flush();
    }
    return true;
  }

 private:
  void Flush() {
    while (const auto segment = sender.NextSegment(now_)) {
      on_sent(*segment, now_);
      const auto extra = segment_fate(*segment);
      if (!extra) continue;
      if (!link_) {
        segments_.emplace(now_ + one_way_ + *extra, *segment);
      } else if (link_->Enqueue(static_cast<double>(packets_), segment->size, 0, now_) == DropReason::kNone) {
        in_link_.emplace(packets_++, *segment);
      }
    }
  }
  void PollLink() {
    deliveries_.clear();
    drops_.clear();
    link_->Poll(now_, deliveries_, drops_);
    for (const auto& d : deliveries_)
      segments_.emplace(d.deliver + one_way_, in_link_.extract(static_cast<std::int64_t>(d.packet.id)).mapped());
    for (const auto& d : drops_) in_link_.erase(static_cast<std::int64_t>(d.packet.id));
  }
  void Return(const std::optional<Ack>& ack) {
    if (!ack) return;
    if (const auto extra = ack_fate(*ack)) acks_.emplace(now_ + one_way_ + *extra, *ack);
  }

  TimeDelta one_way_;
  std::unique_ptr<Link> link_;
  Timestamp now_;
  std::multimap<Timestamp, Segment> segments_;  // segments that have left the link, by time of arrival
  std::multimap<Timestamp, Ack> acks_;
  std::int64_t packets_ = 0;
  std::unordered_map<std::int64_t, Segment> in_link_;
  std::vector<Link::Delivery> deliveries_;
  std::vector<Link::Drop> drops_;
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_TESTS_NATIVE_TCP_SUPPORT_H_
