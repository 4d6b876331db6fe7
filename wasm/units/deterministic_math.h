// exp, log and pow that give the same bits in a native build and in WebAssembly. The results of the C library differ in
// the last bit between platforms. The functions here use only +, -, *, / and exact bit operations (compiled with
// -ffp-contract=off), so IEEE 754 determines every result. The reductions and polynomials are those of FreeBSD's msun
// (e_exp.c, e_log.c); the errors of Exp and Log are below 1 ulp each. Pow combines the two; its relative error is about
// 2e-16 * |y log x|, which is small enough for its uses in this core.
#ifndef CCSCOPE_UNITS_DETERMINISTIC_MATH_H_
#define CCSCOPE_UNITS_DETERMINISTIC_MATH_H_

#include <cstdint>
#include <limits>

#include "units/bit_cast.h"

namespace ccscope::det {

// 2^k * x for normal results.
inline double Scale(double x, int k) {
  return x * BitCast<double>(static_cast<std::uint64_t>(1023 + k) << 52);
}

// e^x; 0 below -708 and infinity above 709.
inline double Exp(double x) {
  constexpr double kLn2Hi = 6.93147180369123816490e-01;
  constexpr double kLn2Lo = 1.90821492927058770002e-10;
  constexpr double kInvLn2 = 1.44269504088896338700e+00;
  if (x > 709) return std::numeric_limits<double>::infinity();
  if (x < -708) return 0;
  const int k = static_cast<int>(kInvLn2 * x + (x < 0 ? -0.5 : 0.5));
  const double hi = x - k * kLn2Hi;
  const double lo = k * kLn2Lo;
  const double r = hi - lo;
  const double t = r * r;
  const double c =
      r - t * (1.66666666666666019037e-01 +
               t * (-2.77777777770155933842e-03 +
                    t * (6.61375632143793436117e-05 +
                         t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  return Scale(1 - ((lo - (r * c) / (2 - c)) - hi), k);
}

// ln x for x > 0 (normal numbers); minus infinity at 0.
inline double Log(double x) {
  constexpr double kLn2Hi = 6.93147180369123816490e-01;
  constexpr double kLn2Lo = 1.90821492927058770002e-10;
  if (!(x > 0)) return -std::numeric_limits<double>::infinity();
  std::uint64_t bits = BitCast<std::uint64_t>(x);
  int k = static_cast<int>(bits >> 52) - 1023;
  bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
  double m = BitCast<double>(bits);  // in [1, 2)
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++k;
  }
  const double f = m - 1;
  const double s = f / (2 + f);
  const double z = s * s;
  const double r =
      z * (6.666666666666735130e-01 +
           z * (3.999999999940941908e-01 +
                z * (2.857142874366239149e-01 +
                     z * (2.222219843214978396e-01 +
                          z * (1.818357216161805012e-01 +
                               z * (1.531383769920937332e-01 + z * 1.479819860511658591e-01))))));
  const double half = 0.5 * f * f;
  return k * kLn2Hi - ((half - (s * (half + r) + k * kLn2Lo)) - f);
}

// x^y for x >= 0 and finite y; 0^0 is 1.
inline double Pow(double x, double y) { return y == 0 ? 1 : Exp(y * Log(x)); }

}  // namespace ccscope::det

#endif  // CCSCOPE_UNITS_DETERMINISTIC_MATH_H_
