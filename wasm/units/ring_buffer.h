// A first-in, first-out queue in one array. The array doubles when it is full and is reused, so in the steady state
// nothing is allocated for an element. Elements are copied as bytes.
#ifndef CCSCOPE_UNITS_RING_BUFFER_H_
#define CCSCOPE_UNITS_RING_BUFFER_H_

#include <cassert>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace ccscope {

// The part that does not depend on the type of the elements.
class Ring {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  void Clear() { head_ = size_ = 0; }

 protected:
  // The array's length is a power of two.
  std::size_t Slot(std::size_t i) const { return (head_ + i) & (slots_ - 1); }
  void Grow(std::size_t element_bytes);

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t slots_ = 0;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
};

template <class T>
class RingBuffer : public Ring {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

 public:
  const T& front() const {
    assert(size_ > 0);
    return elements()[head_];
  }
  const T& back() const { return (*this)[size_ - 1]; }

  // The element at index `i`, counted from the front.
  T& operator[](std::size_t i) {
    assert(i < size_);
    return elements()[Slot(i)];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return elements()[Slot(i)];
  }

  void PushBack(const T& value) {
    if (size_ == slots_) Grow(sizeof(T));
    elements()[Slot(size_++)] = value;
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
    return elements()[Slot(--size_)];
  }

 private:
  T* elements() const { return reinterpret_cast<T*>(bytes_.get()); }
};

}  // namespace ccscope

#endif  // CCSCOPE_UNITS_RING_BUFFER_H_
