#include "units/ring_buffer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ccscope {

void Ring::Grow(std::size_t element_bytes) {
  constexpr std::size_t kFirst = 16;
  const std::size_t slots = std::max(kFirst, slots_ * 2);
  std::unique_ptr<std::byte[]> larger(new std::byte[slots * element_bytes]);
  // First copies the part of the array that begins with the front of the queue, then the rest.
  const std::size_t before = head_ * element_bytes;
  const std::size_t all = slots_ * element_bytes;
  if (all > 0) {
    std::memcpy(larger.get(), bytes_.get() + before, all - before);
    std::memcpy(larger.get() + all - before, bytes_.get(), before);
  }
  bytes_ = std::move(larger);
  slots_ = slots;
  head_ = 0;
}

}  // namespace ccscope
