// Turns a fuzzer's bytes into choices and numbers for a target. After the last byte, all further bytes read as 0.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_INPUT_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_INPUT_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "units/parameter.h"

namespace ccscope::fuzz {

inline constexpr double kHourUs = 3600e6;
inline constexpr double kMaxExact = 9007199254740992.0;  // 2^53, the bound of the times that the core accepts

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  bool ended() const { return at_ == end_; }
  std::uint8_t Byte() { return ended() ? std::uint8_t{0} : *at_++; }
  unsigned Word() {
    const unsigned low = Byte();
    return low | static_cast<unsigned>(Byte()) << 8;
  }
  bool Flag() { return (Byte() & 1) != 0; }
  // From 0 to count - 1.
  int Pick(int count) { return Byte() % count; }

  double Between(double low, double high) { return low + (high - low) * (Word() / 65535.0); }
  double Whole(double low, double high) { return std::floor(Between(low, high)); }
  // Uniform on a logarithmic scale; `low` is above 0.
  double Scaled(double low, double high) { return low * std::pow(high / low, Word() / 65535.0); }

  // A double with arbitrary bits.
  double Raw() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | Byte();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  // NaN, infinities, values at the limits of valid ranges and beyond, a few ordinary values, or arbitrary bits.
  double Wild() {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr double kNumbers[] = {std::numeric_limits<double>::quiet_NaN(), kInf, -kInf, 0, -0.0, 1, -1, 0.5, 1e-300,
                                   1e9, -1e9, 4294967296.0, kMaxExact, -kMaxExact, kMaxExact - 1, kMaxExact * 2, 1e300,
                                   -1e300, std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min()};
    constexpr int kCount = sizeof kNumbers / sizeof kNumbers[0];
    const int which = Pick(kCount + 4);
    return which < kCount ? kNumbers[which] : Raw();
  }

  // A value that the parameter's range allows: an end of the range, a value between the ends, or `usual`.
  double Parameter(const ParameterSpec& spec, double usual) {
    double value = usual;
    switch (Pick(8)) {
      case 0:
        value = spec.min;
        break;
      case 1:
        value = spec.max;
        break;
      case 2:
      case 3:
        value = Between(spec.min, spec.max);
        break;
      case 4:
      case 5:
        value = spec.max > 1e-3 ? std::fmin(spec.max, std::fmax(spec.min, Scaled(1e-3, spec.max))) : spec.max;
        break;
      case 6:
        value = std::fmin(spec.max, std::fmax(spec.min, usual * Between(0, 2)));
        break;
      default:
        break;
    }
    // The ABI accepts only whole numbers for counts. Other parameters are rounded to whole numbers half of the time.
    return spec.whole || Flag() ? std::fmin(spec.max, std::fmax(std::ceil(spec.min), std::floor(value))) : value;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

// Sets the name of the corpus input that runs now, which Violated() reports.
void SetReplayed(const std::string& name);

// Reports a violated oracle, and ends the process. `what` is the condition that did not hold.
void Violated(const char* what, const char* file, int line);
#define EXPECT_THAT_HOLDS(condition, what) \
  ((condition) ? static_cast<void>(0) : ::ccscope::fuzz::Violated(what, __FILE__, __LINE__))

// A fuzz target, defined with FUZZ_TARGET(name) { ... input ... }. Its body checks oracles.
struct Target {
  Target(const char* name_of, void (*function)(Input&)) : name(name_of), run(function), next(first) { first = this; }
  const char* const name;
  void (*const run)(Input&);
  const Target* const next;
  static const Target* first;
};
const Target* FindTarget(const char* name);

#define FUZZ_TARGET(name)                                                        \
  static void Fuzz_##name(Input& input);                                         \
  static const ::ccscope::fuzz::Target target_##name(#name, Fuzz_##name);        \
  static void Fuzz_##name(Input& input)

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_INPUT_H_
