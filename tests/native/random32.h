// Random choices for tests that try odd input.
#ifndef CCSCOPE_TESTS_NATIVE_RANDOM32_H_
#define CCSCOPE_TESTS_NATIVE_RANDOM32_H_

#include <cstddef>
#include <cstdint>

namespace ccscope {

class Random32 {
 public:
  explicit Random32(std::uint32_t seed) : state_(seed) {}
  std::uint32_t Next(std::uint32_t range) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % range;
  }
  template <std::size_t n>
  double Pick(const double (&values)[n]) {
    return values[Next(static_cast<std::uint32_t>(n))];
  }

 private:
  std::uint32_t state_;
};

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_RANDOM32_H_
