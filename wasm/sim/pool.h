// Records of packets in flight, identified by an index. A freed record is reused, so that nothing is allocated in the
// steady state.
#ifndef CCSCOPE_SIM_POOL_H_
#define CCSCOPE_SIM_POOL_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccscope {

template <class T>
class Pool {
 public:
  using Index = std::uint32_t;

  Index Put(const T& value) {
    ++used_;
    if (free_.empty()) {
      slots_.push_back(value);
      free_.reserve(slots_.capacity());
      return static_cast<Index>(slots_.size() - 1);
    }
    const Index index = free_.back();
    free_.pop_back();
    slots_[index] = value;
    return index;
  }

  // Returns the record and frees its place.
  T Take(Index index) {
    assert(used_ > 0 && index < slots_.size());
    --used_;
    free_.push_back(index);
    return slots_[index];
  }

  const T& operator[](Index index) const { return slots_[index]; }

  std::size_t used() const { return used_; }

 private:
  std::vector<T> slots_;
  std::vector<Index> free_;
  std::size_t used_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_POOL_H_
