// CoDel's estimator and control loop for one FIFO (RFC 8289, section 5), separate from the queue. CoDel has one
// CoDelLaw; FQ-CoDel has one per flow queue.
//
// Follows the RFC's pseudocode. Linux's codel.h (3.5 and later) differs in three points:
//  - it drops after the delay has stayed above target for more than an interval; in the RFC, exactly one interval is
//    enough;
//  - it also counts the drop that ends the dropping state; the RFC counts only drops after which the state continues;
//  - it computes 1/sqrt(count) in 16 bits with one Newton step per drop; here sqrt is exact.
// gcc-aqm-2016, section 2.1.1, prints the next spacing after N drops as interval/sqrt(N + 1), one step ahead of the
// RFC's interval/sqrt(N). Its testbed ran Linux, which uses the RFC's formula.
#ifndef CCSCOPE_SIM_QUEUE_DISC_CODEL_LAW_H_
#define CCSCOPE_SIM_QUEUE_DISC_CODEL_LAW_H_

#include <cmath>
#include <optional>

#include "sim/packet.h"
#include "units/units.h"

namespace ccscope {

class CoDelLaw {
 public:
  struct Params {
    TimeDelta target;
    TimeDelta interval;
    DataSize mtu;
    bool largest_for_mtu = false;  // the largest packet so far is used instead of mtu
  };
  struct State {
    double count = 0;       // last_count, plus one for each later drop after which the state continued
    double last_count = 0;  // count when the dropping state began
    bool dropping = false;
    Timestamp first_above = Timestamp::MinusInfinity();  // one interval after the delay rose above target; -inf: below
    Timestamp drop_next = Timestamp::MinusInfinity();    // when to drop next; not changed when dropping ends
    DataSize largest = DataSize::Bytes(256);             // largest packet so far; the initial value is Linux's
  };
  struct Stats {
    double drops = 0;
    double dropping_states = 0;
  };

  // Returns the packet to transmit. `Queue` must provide
  //   std::optional<Packet> Pop();        // removes and returns the head
  //   DataSize Backlog() const;           // the size of the packets that still wait
  //   void Drop(const Packet&);           // drops a packet that Pop() returned
  template <class Queue>
  std::optional<Packet> Dequeue(const Params& params, Timestamp now, Queue& queue);

  const State& state() const { return state_; }
  const Stats& stats() const { return stats_; }

 private:
  // t + interval / sqrt(count): RFC 8289, section 5.6.
  static Timestamp ControlLaw(Timestamp t, TimeDelta interval, double count) {
    return t + interval / std::sqrt(count);
  }

  // Whether the delay has been above target for an interval (dodequeue, section 5.6).
  bool OkToDrop(const Params& params, Timestamp now, const Packet& packet, DataSize backlog);
  // Begins the dropping state, and sets the count with which the control law starts (section 5.5).
  void EnterDroppingState(const Params& params, Timestamp now);

  template <class Queue>
  std::optional<Packet> Drop(const Packet& packet, Queue& queue) {
    ++stats_.drops;
    queue.Drop(packet);
    return queue.Pop();
  }

  State state_;
  Stats stats_;
};

template <class Queue>
std::optional<Packet> CoDelLaw::Dequeue(const Params& params, Timestamp now, Queue& queue) {
  const auto ok_to_drop = [&](const std::optional<Packet>& packet) {
    if (packet) return OkToDrop(params, now, *packet, queue.Backlog());
    state_.first_above = Timestamp::MinusInfinity();
    return false;
  };
  std::optional<Packet> packet = queue.Pop();
  bool ok = ok_to_drop(packet);
  if (state_.dropping) {
    if (!ok) state_.dropping = false;
    while (state_.dropping && now >= state_.drop_next) {
      packet = Drop(*packet, queue);
      ok = ok_to_drop(packet);
      if (ok) {
        ++state_.count;
        state_.drop_next = ControlLaw(state_.drop_next, params.interval, state_.count);
      } else {
        state_.dropping = false;
      }
    }
  } else if (ok) {
    packet = Drop(*packet, queue);
    ok_to_drop(packet);
    EnterDroppingState(params, now);
  }
  return packet;
}

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_CODEL_LAW_H_
