// What happens next in virtual time. Each source of events (a path, a timer of a flow) has one
// deadline, so the queue holds as many entries as there are sources, not as there are packets.
// Contract:
//
//  1. Next() is the source with the earliest deadline; equal deadlines come in the order in which
//     they were set.
//  2. A deadline in the past is an error of the caller: time never goes back.
//  3. No allocation once all sources are added.
#ifndef CCSCOPE_SIM_EVENT_QUEUE_H_
#define CCSCOPE_SIM_EVENT_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/units.h"

namespace ccscope {

class EventQueue {
 public:
  using Source = std::uint32_t;

  // A new source, without a deadline.
  Source Add();

  // Sets the deadline of a source, in place of the one it had; infinity takes it out.
  void Schedule(Source source, Timestamp at);

  Timestamp deadline(Source source) const;
  bool empty() const { return heap_.empty(); }
  // Infinity when nothing is scheduled.
  Timestamp next_time() const { return heap_.empty() ? Timestamp::PlusInfinity() : heap_.front().at; }
  // Takes the earliest source out.
  Source Pop();

 private:
  // A heap with four children per node: half the levels of a binary one, and siblings in one cache line.
  static constexpr std::size_t kArity = 4;
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};

  struct Entry {
    Timestamp at;
    std::uint64_t order;
    Source source;
  };
  static bool Before(const Entry& a, const Entry& b) { return a.at < b.at || (a.at == b.at && a.order < b.order); }

  void Place(std::size_t slot, const Entry& entry) {
    heap_[slot] = entry;
    slot_of_[entry.source] = static_cast<std::uint32_t>(slot);
  }
  void SiftUp(std::size_t slot, const Entry& entry);
  void SiftDown(std::size_t slot, const Entry& entry);
  void Remove(std::size_t slot);

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> slot_of_;  // by source
  std::uint64_t order_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_EVENT_QUEUE_H_
