// std::bit_cast for standard libraries that do not have it yet (Emscripten 3.1.6).
#ifndef CCSCOPE_UNITS_BIT_CAST_H_
#define CCSCOPE_UNITS_BIT_CAST_H_

#include <type_traits>

namespace ccscope {

// The value of type To that has the same bits as `from`.
template <typename To, typename From>
constexpr To BitCast(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  static_assert(std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, from);
}

}  // namespace ccscope

#endif  // CCSCOPE_UNITS_BIT_CAST_H_
