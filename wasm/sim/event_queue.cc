#include "sim/event_queue.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace ccscope {
namespace {

// All deadlines after this time share one tick. The heap sorts them.
constexpr double kLastTickUs = 1e15;

}  // namespace

EventQueue::Tick EventQueue::TickOf(Timestamp at) {
  return static_cast<Tick>(std::min(at.us(), kLastTickUs) * kTicksPerUs);
}

EventQueue::Source EventQueue::Add() {
  assert(nodes_.size() < std::size_t{1} << kSourceBits);
  nodes_.emplace_back();
  heap_.reserve(nodes_.capacity());
  return static_cast<Source>(nodes_.size() - 1);
}

Timestamp EventQueue::deadline(Source source) const {
  const Node& node = nodes_[source];
  return node.place == kAbsent ? Timestamp::PlusInfinity() : node.entry.at;
}

// While the root is vacant, it still holds the deadline popped last. Callers set no earlier deadline, so SiftUp()
// never moves an entry into the vacant root.
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

void EventQueue::AddToHeap(const Entry& entry) {
  if (vacant_) {
    vacant_ = false;
    SiftDown(0, entry);
  } else {
    heap_.push_back(entry);
    SiftUp(heap_.size() - 1, entry);
  }
}

void EventQueue::RemoveFromHeap(std::size_t slot) {
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

void EventQueue::Link(Source source, Tick tick) {
  const std::size_t bucket = static_cast<std::size_t>(tick) % kBuckets;
  Node& node = nodes_[source];
  node.place = kOnWheel;
  node.bucket = static_cast<std::uint32_t>(bucket);
  node.next = buckets_[bucket];
  buckets_[bucket] = source;
  full_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
  ++on_wheel_;
}

void EventQueue::Put(Source source, Tick tick) {
  if (tick <= tick_) {
    AddToHeap(nodes_[source].entry);
  } else {
    Link(source, tick);
  }
}

void EventQueue::Unlink(Source source) {
  const Node& node = nodes_[source];
  Source* link = &buckets_[node.bucket];
  while (*link != source) link = &nodes_[*link].next;
  *link = node.next;
  if (buckets_[node.bucket] == kNone) full_[node.bucket / 64] &= ~(std::uint64_t{1} << node.bucket % 64);
  --on_wheel_;
}

void EventQueue::Schedule(Source source, Timestamp at) {
  assert(at == at);
  Node& node = nodes_[source];
  if (at == deadline(source)) return;
  if (at == Timestamp::PlusInfinity()) {
    if (node.place == kOnWheel) {
      Unlink(source);
    } else {
      RemoveFromHeap(node.place);
    }
    node.place = kAbsent;
    return;
  }
  const Tick tick = TickOf(at);
  const Entry before = node.entry;
  node.entry = {at, next_order_++ << kSourceBits | source};
  if (node.place == kOnWheel) {
    // A source whose deadline becomes later stays in its bucket until the bucket is emptied.
    if (tick > tick_ && at > before.at) return;
    Unlink(source);
  } else if (node.place != kAbsent) {
    if (tick <= tick_) {
      return at < before.at ? SiftUp(node.place, node.entry) : SiftDown(node.place, node.entry);
    }
    RemoveFromHeap(node.place);
  }
  Put(source, tick);
}

EventQueue::Source EventQueue::Pop() {
  next_time();
  assert(!heap_.empty());
  const Source source = heap_.front().source();
  nodes_[source].place = kAbsent;
  vacant_ = true;
  return source;
}

// The tick of the first bucket after tick_ that is not empty.
EventQueue::Tick EventQueue::NextFullBucket() const {
  const std::size_t start = static_cast<std::size_t>(tick_ + 1) % kBuckets;
  std::uint64_t word = full_[start / 64] & ~std::uint64_t{0} << start % 64;
  std::size_t i = start / 64;
  while (word == 0) word = full_[i = (i + 1) % full_.size()];
  const std::size_t bucket = i * 64 + static_cast<std::size_t>(std::countr_zero(word));
  return tick_ + 1 + static_cast<Tick>((bucket - start) % kBuckets);
}

EventQueue::Tick EventQueue::EarliestOnWheel() const {
  Tick earliest = std::numeric_limits<Tick>::max();
  for (const Node& node : nodes_) {
    if (node.place == kOnWheel) earliest = std::min(earliest, TickOf(node.entry.at));
  }
  return earliest;
}

// Empties the bucket of the current tick. Deadlines of this tick move to the heap. The other deadlines in the bucket,
// which belong to later ticks, go back onto the wheel.
void EventQueue::Empty(std::size_t bucket) {
  Source source = buckets_[bucket];
  buckets_[bucket] = kNone;
  full_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
  while (source != kNone) {
    const Source next = nodes_[source].next;
    --on_wheel_;
    Put(source, TickOf(nodes_[source].entry.at));
    source = next;
  }
}

// Advances to the next tick with a deadline; called when the heap is empty.
void EventQueue::Advance() {
  if (on_wheel_ == 0) return;
  for (const Tick start = tick_; heap_.empty();) {
    const Tick next = NextFullBucket();
    // If there was no deadline during a whole revolution of the wheel, looks for the earliest deadline instead of
    // stepping through further revolutions.
    tick_ = next - start <= static_cast<Tick>(kBuckets) ? next : EarliestOnWheel();
    Empty(static_cast<std::size_t>(tick_) % kBuckets);
  }
}

}  // namespace ccscope
