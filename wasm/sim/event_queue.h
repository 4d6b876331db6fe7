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
  bool empty() const { return heap_.size() == (vacant_ ? 1 : 0); }
  // Infinity when nothing is scheduled.
  Timestamp next_time() {
    Fill();
    return heap_.empty() ? Timestamp::PlusInfinity() : heap_.front().at;
  }
  // Takes the earliest source out.
  Source Pop();

 private:
  // A heap with four children per node: half the levels of a binary one, and siblings in one cache line.
  static constexpr std::size_t kArity = 4;
  static constexpr std::uint32_t kAbsent = ~std::uint32_t{0};
  static constexpr int kSourceBits = 20;

  struct Entry {
    Timestamp at;
    std::uint64_t order;  // in which deadlines were set; its lowest bits are the source
    Source source() const { return static_cast<Source>(order & ((std::uint64_t{1} << kSourceBits) - 1)); }
  };
  // Without a branch, which would be mispredicted half of the time.
  static bool Before(const Entry& a, const Entry& b) {
    return static_cast<int>(a.at < b.at) | (static_cast<int>(a.at == b.at) & static_cast<int>(a.order < b.order));
  }

  Entry NewEntry(Timestamp at, Source source) { return {at, next_order_++ << kSourceBits | source}; }
  void Place(std::size_t slot, const Entry& entry) {
    heap_[slot] = entry;
    slot_of_[entry.source()] = static_cast<std::uint32_t>(slot);
  }
  void Fill() {
    if (vacant_) FillRoot();
  }
  void FillRoot();
  void SiftUp(std::size_t slot, const Entry& entry);
  void SiftDown(std::size_t slot, const Entry& entry);
  void Remove(std::size_t slot);

  std::vector<Entry> heap_;
  std::vector<std::uint32_t> slot_of_;  // by source
  // Pop() leaves the root's place to the next deadline that is set, most often one of the same source,
  // which takes half the steps of moving the last entry there and adding the new one behind it.
  bool vacant_ = false;
  std::uint64_t next_order_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_EVENT_QUEUE_H_
