// A first-in, first-out queue in one array that doubles when it is full and is then reused: no
// allocation per element in the steady state.
#ifndef CCSCOPE_UNITS_RING_BUFFER_H_
#define CCSCOPE_UNITS_RING_BUFFER_H_

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace ccscope {

template <class T>
class RingBuffer {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  const T& front() const {
    assert(size_ > 0);
    return slots_[head_];
  }
  const T& back() const {
    assert(size_ > 0);
    return slots_[Slot(size_ - 1)];
  }

  // Counted from the front.
  T& operator[](std::size_t i) {
    assert(i < size_);
    return slots_[Slot(i)];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return slots_[Slot(i)];
  }

  void PushBack(const T& value) {
    if (size_ == slots_.size()) Grow();
    slots_[Slot(size_++)] = value;
  }
  // Removes the front.
  void Pop() {
    assert(size_ > 0);
    head_ = Slot(1);
    --size_;
  }
  T PopFront() {
    const T value = front();
    Pop();
    return value;
  }
  T PopBack() {
    assert(size_ > 0);
    return slots_[Slot(--size_)];
  }
  void Clear() { head_ = size_ = 0; }

 private:
  // The array's length is a power of two.
  std::size_t Slot(std::size_t i) const { return (head_ + i) & (slots_.size() - 1); }

  void Grow() {
    std::vector<T> larger(slots_.empty() ? 16 : slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = slots_[Slot(i)];
    slots_ = std::move(larger);
    head_ = 0;
  }

  std::vector<T> slots_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_UNITS_RING_BUFFER_H_
