// The queue of future events in virtual time. Each source of events (a path, a timer of a flow) has one deadline, so
// the queue has one entry per source, not one per packet.
//
// The queue is a timing wheel in front of a heap (Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP
// 1987). Time is divided into ticks. The wheel has buckets, which contain the deadlines of later ticks in no order. The
// heap sorts only the few deadlines of the current tick. So the cost of an event does not grow with the number of
// flows. Contract:
//
//  1. Pop() returns the source with the earliest deadline. Equal deadlines are returned in the order in which they were
//     set.
//  2. The caller must not set a deadline earlier than the deadline that was popped last: time never goes back.
//  3. Nothing is allocated once all sources have been added.
#ifndef CCSCOPE_SIM_EVENT_QUEUE_H_
#define CCSCOPE_SIM_EVENT_QUEUE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/units.h"

namespace ccscope {

class EventQueue {
 public:
  using Source = std::uint32_t;

  EventQueue() { buckets_.fill(kNone); }

  // Adds a source, without a deadline.
  Source Add();

  // Replaces the deadline of a source; infinity removes it.
  void Schedule(Source source, Timestamp at);

  Timestamp deadline(Source source) const;
  bool empty() const { return on_wheel_ == 0 && heap_.size() == (vacant_ ? 1 : 0); }
  // The earliest deadline; infinity if nothing is scheduled.
  Timestamp next_time() {
    if (vacant_) FillRoot();
    if (heap_.empty()) Advance();
    return heap_.empty() ? Timestamp::PlusInfinity() : heap_.front().at;
  }
  // Removes the earliest deadline and returns its source.
  Source Pop();

 private:
  using Tick = std::int64_t;
  // Four children per node: half the levels of a binary heap, and siblings are adjacent in memory.
  static constexpr std::size_t kArity = 4;
  static constexpr int kSourceBits = 20;
  static constexpr Source kNone = ~Source{0};
  // The values of Node::place for a source that is not in a slot of the heap.
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  static constexpr std::uint32_t kOnWheel = kAbsent - 1;
  // A tick is 1.024 ms, and the wheel spans 524 ms. These values suit the timers of video and TCP flows: there are few
  // events in a tick, and most deadlines are within one revolution of the wheel.
  static constexpr double kTicksPerUs = 1.0 / 1024;
  static constexpr std::size_t kBuckets = 512;

  struct Entry {
    Timestamp at = {};
    std::uint64_t order = 0;  // the order in which deadlines were set; the lowest bits contain the source
    Source source() const { return static_cast<Source>(order & ((std::uint64_t{1} << kSourceBits) - 1)); }
  };
  struct Node {
    Entry entry;
    std::uint32_t place = kAbsent;
    Source next = kNone;       // the next source in the same bucket
    std::uint32_t bucket = 0;  // on the wheel only; not updated if the deadline becomes later
  };

  // Written without branches, since they would be mispredicted half of the time.
  static bool Before(const Entry& a, const Entry& b) {
    return static_cast<int>(a.at < b.at) | (static_cast<int>(a.at == b.at) & static_cast<int>(a.order < b.order));
  }
  static Tick TickOf(Timestamp at);

  void Place(std::size_t slot, const Entry& entry) {
    heap_[slot] = entry;
    nodes_[entry.source()].place = static_cast<std::uint32_t>(slot);
  }
  void SiftUp(std::size_t slot, const Entry& entry);
  void SiftDown(std::size_t slot, const Entry& entry);
  void AddToHeap(const Entry& entry);
  void RemoveFromHeap(std::size_t slot);
  void FillRoot();

  void Link(Source source, Tick tick);
  void Unlink(Source source);
  // Puts a source into the heap or onto the wheel; it must be in neither.
  void Put(Source source, Tick tick);
  Tick NextFullBucket() const;
  Tick EarliestOnWheel() const;
  void Empty(std::size_t bucket);
  void Advance();

  std::vector<Node> nodes_;  // by source
  std::vector<Entry> heap_;  // deadlines of ticks up to tick_
  Tick tick_ = -1;
  std::array<Source, kBuckets> buckets_;              // the first source in each bucket
  std::array<std::uint64_t, kBuckets / 64> full_{};   // one bit for each bucket
  std::size_t on_wheel_ = 0;
  // Pop() leaves the root vacant, so that the next deadline that belongs in the heap can be inserted there. This
  // takes half the steps of moving the last entry to the root and then appending the new entry.
  bool vacant_ = false;
  std::uint64_t next_order_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_EVENT_QUEUE_H_
