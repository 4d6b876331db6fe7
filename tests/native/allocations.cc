#include "tests/native/allocations.h"

#include <cstdlib>
#include <new>

namespace {

long allocations = 0;

}  // namespace

namespace ccscope {

long Allocations() { return allocations; }

}  // namespace ccscope

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
