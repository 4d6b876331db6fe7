#include "sim/event_queue.h"

#include <algorithm>
#include <cassert>

namespace ccscope {

EventQueue::Source EventQueue::Add() {
  assert(slot_of_.size() < std::size_t{1} << kSourceBits);
  slot_of_.push_back(kAbsent);
  heap_.reserve(slot_of_.capacity());
  return static_cast<Source>(slot_of_.size() - 1);
}

Timestamp EventQueue::deadline(Source source) const {
  const std::uint32_t slot = slot_of_[source];
  return slot == kAbsent ? Timestamp::PlusInfinity() : heap_[slot].at;
}

void EventQueue::SiftUp(std::size_t slot, const Entry& entry) {
  while (slot > 0) {
    const std::size_t parent = (slot - 1) / kArity;
    if (!Before(entry, heap_[parent])) break;
    Place(slot, heap_[parent]);
    slot = parent;
  }
  Place(slot, entry);
}

void EventQueue::SiftDown(std::size_t slot, const Entry& entry) {
  for (;;) {
    const std::size_t first = slot * kArity + 1;
    if (first >= heap_.size()) break;
    std::size_t earliest = first;
    const std::size_t end = std::min(first + kArity, heap_.size());
    for (std::size_t child = first + 1; child < end; ++child) {
      earliest = Before(heap_[child], heap_[earliest]) ? child : earliest;
    }
    if (!Before(heap_[earliest], entry)) break;
    Place(slot, heap_[earliest]);
    slot = earliest;
  }
  Place(slot, entry);
}

void EventQueue::Remove(std::size_t slot) {
  slot_of_[heap_[slot].source()] = kAbsent;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (slot == heap_.size()) return;
  if (slot > 0 && Before(last, heap_[(slot - 1) / kArity])) {
    SiftUp(slot, last);
  } else {
    SiftDown(slot, last);
  }
}

void EventQueue::FillRoot() {
  vacant_ = false;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) SiftDown(0, last);
}

void EventQueue::Schedule(Source source, Timestamp at) {
  assert(at == at);
  const std::uint32_t slot = slot_of_[source];
  if (slot == kAbsent) {
    if (at == Timestamp::PlusInfinity()) return;
    const Entry entry = NewEntry(at, source);
    if (vacant_) {
      vacant_ = false;
      SiftDown(0, entry);
    } else {
      heap_.push_back(entry);
      SiftUp(heap_.size() - 1, entry);
    }
    return;
  }
  const Timestamp before = heap_[slot].at;
  if (at == before) return;
  // A vacant root keeps the time that was popped, which no deadline precedes: nothing moves past it.
  if (at == Timestamp::PlusInfinity()) {
    Remove(slot);
  } else if (at < before) {
    SiftUp(slot, NewEntry(at, source));
  } else {
    SiftDown(slot, NewEntry(at, source));
  }
}

EventQueue::Source EventQueue::Pop() {
  Fill();
  assert(!heap_.empty());
  const Source source = heap_.front().source();
  slot_of_[source] = kAbsent;
  vacant_ = true;
  return source;
}

}  // namespace ccscope
