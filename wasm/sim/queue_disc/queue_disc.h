// A queue discipline: which packets wait, which leave next and which are dropped. Each discipline keeps its Params,
// its State and its Stats in separate structs, as Linux's codel.h does. Contract:
//
//  1. Every packet that is offered leaves exactly once: through Dequeue() or through the DropSink.
//  2. `now` never decreases from one method call to the next.
//  3. Dequeue() returns no packet only if no packet is left (it may drop packets before that).
//  4. The packet being transmitted is not in the queue: it left with Dequeue().
//  5. Packet::queued is the time at which the packet reached the queue. The caller sets it; it is never after `now`.
#ifndef CCSCOPE_SIM_QUEUE_DISC_QUEUE_DISC_H_
#define CCSCOPE_SIM_QUEUE_DISC_QUEUE_DISC_H_

#include <optional>

#include "sim/packet.h"
#include "units/units.h"

namespace ccscope {

enum class DropReason {
  kNone = 0,
  kRandomLoss = 1,  // the link's random loss, before the queue
  kQueueFull = 2,   // the queue, or the queue of the packet's flow, was full
  kCoDel = 3,       // CoDel's control law, at the head of the queue
  kPie = 4,         // PIE's drop probability, on arrival
  kOverlimit = 5,   // the discipline was full; dropped from its longest flow queue
};
inline constexpr int kDropReasonCount = static_cast<int>(DropReason::kOverlimit) + 1;

// Receives every packet that a discipline drops, including an arriving packet that it does not accept.
class DropSink {
 public:
  virtual void OnDrop(const Packet& packet, DropReason reason, Timestamp now) = 0;

 protected:
  ~DropSink() = default;
};

// What every discipline counts.
struct QueueStats {
  double packets = 0;  // waiting now
  DataSize bytes;      // waiting now
  double enqueued = 0;
  double dequeued = 0;
  double dropped = 0;

  // Counts a packet that arrived and now waits.
  void Accept(const Packet& packet) {
    ++packets;
    ++enqueued;
    bytes += packet.size;
  }
  // Counts a packet that was dropped on arrival.
  void Refuse() { ++dropped; }
  // Counts a waiting packet that leaves (Release) or is dropped (Discard).
  void Release(const Packet& packet) {
    ++dequeued;
    Remove(packet);
  }
  void Discard(const Packet& packet) {
    ++dropped;
    Remove(packet);
  }
  // Removes a waiting packet; the caller counts it as dequeued or dropped.
  void Remove(const Packet& packet) {
    // If the last packet leaves, sets the size to zero: rounding could leave a remainder if sizes are not whole
    // numbers.
    bytes = --packets > 0 ? bytes - packet.size : DataSize::Zero();
  }
};

class QueueDisc {
 public:
  virtual ~QueueDisc() = default;

  // Offers a packet. The queue may drop this packet or others.
  virtual void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) = 0;

  // The packet to transmit next.
  virtual std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) = 0;

  // Call it when the capacity behind the queue has changed; zero is an outage. Limits that are given as a time are
  // converted to the new capacity.
  virtual void OnCapacity(DataRate capacity) = 0;

  virtual const QueueStats& stats() const = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_QUEUE_DISC_H_
