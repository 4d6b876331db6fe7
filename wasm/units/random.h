// A seeded generator whose numbers have the same bits in a native build and in WebAssembly: it uses only integer
// arithmetic, +, -, *, / and the square root (which IEEE 754 rounds exactly), and ccscope::det::Log. There is no global
// generator: code that draws random numbers gets a generator as an argument.
#ifndef CCSCOPE_UNITS_RANDOM_H_
#define CCSCOPE_UNITS_RANDOM_H_

#include <array>
#include <cstdint>

namespace ccscope {

// xoshiro256** 1.0 (Blackman and Vigna 2018); SplitMix64 fills its state from the seed.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  // Uniform over all 64-bit integers.
  std::uint64_t Next();

  // Uniform in [0, 1), a multiple of 2^-53.
  double Uniform();

  // Normal with mean 0 and standard deviation 1 (Marsaglia's polar method).
  double Gaussian();

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace ccscope

#endif  // CCSCOPE_UNITS_RANDOM_H_
