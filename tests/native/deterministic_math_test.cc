// Compares the core's own exp, log and pow with those of the C library.
#include "units/deterministic_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace ccscope::det {
namespace {

constexpr double kTolerance = 1e-15;

double RelativeError(double value, double expected) { return std::fabs(value - expected) / std::fabs(expected); }

TEST(DeterministicMath, ExpIsThatOfTheLibraryOverItsWholeRange) {
  for (int i = -7079; i <= 7089; ++i) {
    const double x = i / 10.0 + 0.0123;
    EXPECT_LT(RelativeError(Exp(x), std::exp(x)), kTolerance) << x;
  }
  for (double x = 1; x > 1e-300; x /= 3) {
    EXPECT_LT(RelativeError(Exp(x), std::exp(x)), kTolerance) << x;
    EXPECT_LT(RelativeError(Exp(-x), std::exp(-x)), kTolerance) << x;
  }
}

TEST(DeterministicMath, ExpAtItsEdges) {
  EXPECT_EQ(Exp(0), 1);
  EXPECT_EQ(Exp(-0.0), 1);
  EXPECT_TRUE(std::isfinite(Exp(709)));
  EXPECT_GT(Exp(-708), 0);
  EXPECT_EQ(Exp(709.1), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Exp(std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Exp(-708.1), 0);
  EXPECT_EQ(Exp(-std::numeric_limits<double>::infinity()), 0);
}

TEST(DeterministicMath, LogIsThatOfTheLibraryOverItsWholeRange) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) EXPECT_LT(RelativeError(Log(x), std::log(x)), kTolerance) << x;
}

// Near 1 the logarithm is almost 0, which makes a small relative error hard to achieve.
TEST(DeterministicMath, LogIsThatOfTheLibraryBesideOne) {
  for (double e = 0.5; e > 1e-15; e /= 1.5) {
    EXPECT_LT(RelativeError(Log(1 + e), std::log(1 + e)), kTolerance) << e;
    EXPECT_LT(RelativeError(Log(1 - e), std::log(1 - e)), kTolerance) << e;
  }
}

TEST(DeterministicMath, LogAtItsEdges) {
  EXPECT_EQ(Log(1), 0);
  EXPECT_EQ(Log(0), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(Log(std::numeric_limits<double>::max())));
  EXPECT_NEAR(Log(std::numeric_limits<double>::min()), -1022 * std::log(2), 1e-12);
}

// Growth per second and weights per frame, as in the core. |y ln x| is below 4.
TEST(DeterministicMath, PowIsThatOfTheLibraryForGrowthFactorsAndWeights) {
  for (const double base : {0.95, 0.99, 0.998, 1.005, 1.08, 1.3, 1.5, 2.0, 16.0}) {
    for (double y = 0.001; y < 1.4; y += 0.0173) {
      EXPECT_LT(RelativeError(Pow(base, y), std::pow(base, y)), kTolerance) << base << " ^ " << y;
    }
  }
}

TEST(DeterministicMath, PowAtItsEdges) {
  EXPECT_EQ(Pow(1, 123.4), 1);
  EXPECT_EQ(Pow(2, 0), 1);
  EXPECT_EQ(Pow(0, 0.5), 0);
  EXPECT_EQ(Pow(0, 0), 1);
}

}  // namespace
}  // namespace ccscope::det
