#include "cc/nada/congestion_signal.h"

#include <gtest/gtest.h>

#include "tests/native/nada_support.h"

namespace ccscope::nada {
namespace {

// RFC 8698 eq. 1 with QTH = 50 ms, LAMBDA = 0.5: 50 exp(-0.5 (d - 50) / 50).
TEST(NadaCongestionSignal, WarpsLongDelaysExponentially) {
  const Parameters p = nada_rfc8698();
  EXPECT_DOUBLE_EQ(ExponentialWarping(Ms(0), p).ms(), 0);
  EXPECT_DOUBLE_EQ(ExponentialWarping(Ms(49.9), p).ms(), 49.9);
  EXPECT_DOUBLE_EQ(ExponentialWarping(Ms(50), p).ms(), 50);
  EXPECT_NEAR(ExponentialWarping(Ms(100), p).ms(), 30.32653, 1e-5);  // 50 e^-0.5
  EXPECT_NEAR(ExponentialWarping(Ms(150), p).ms(), 18.39397, 1e-5);  // 50 e^-1
  EXPECT_NEAR(ExponentialWarping(Ms(300), p).ms(), 4.10425, 1e-5);   // 50 e^-2.5
}

// CMP ("Congestion Control for RTC: a Comparison NADA/GCC", 2016) Fig. 2: 50 ((400 - d) / 350)^4.
TEST(NadaCongestionSignal, WarpsLongDelaysByTheFourthPowerIn2015) {
  const Parameters p = nada_2015();
  EXPECT_DOUBLE_EQ(PowerWarping(Ms(49), p).ms(), 49);
  EXPECT_DOUBLE_EQ(PowerWarping(Ms(50), p).ms(), 50);
  EXPECT_NEAR(PowerWarping(Ms(100), p).ms(), 26.98875, 1e-5);  // 50 (6/7)^4 = 50 * 1296 / 2401
  EXPECT_NEAR(PowerWarping(Ms(225), p).ms(), 3.125, 1e-12);    // 50 (1/2)^4
  EXPECT_DOUBLE_EQ(PowerWarping(Ms(400), p).ms(), 0);
  EXPECT_DOUBLE_EQ(PowerWarping(Ms(1000), p).ms(), 0);
  EXPECT_NEAR(WarpedDelay(Ms(225), 0, p).ms(), 3.125, 1e-12);  // also without losses
}

// RFC 8698 4.2: the delay is warped only after losses. From seven to eight loss intervals after the last loss, the
// result changes gradually from the warped to the unwarped delay.
TEST(NadaCongestionSignal, WarpsOnlyBehindLosses) {
  const Parameters p = nada_rfc8698();
  EXPECT_DOUBLE_EQ(WarpedDelay(Ms(150), 0, p).ms(), 150);
  EXPECT_NEAR(WarpedDelay(Ms(150), 1, p).ms(), 18.39397, 1e-5);
  EXPECT_NEAR(WarpedDelay(Ms(150), 0.25, p).ms(), 117.09849, 1e-5);  // 150 - 0.25 (150 - 18.39397)
  Parameters off = p;
  off.warping = 0;
  EXPECT_DOUBLE_EQ(WarpedDelay(Ms(150), 1, off).ms(), 150);
}

// RFC 8698 eq. 2: x = d + DMARK (p_mark / 0.01)^2 + DLOSS (p_loss / 0.01)^2, DLOSS 10 ms, DMARK 2 ms.
TEST(NadaCongestionSignal, AddsPenaltiesForLossesAndMarks) {
  const Parameters p = nada_rfc8698();
  EXPECT_DOUBLE_EQ(CongestionSignal(Ms(20), 0, 0, p).ms(), 20);
  EXPECT_NEAR(CongestionSignal(Ms(20), 0.01, 0, p).ms(), 30, 1e-9);
  EXPECT_NEAR(CongestionSignal(Ms(20), 0.02, 0, p).ms(), 60, 1e-9);      // 20 + 10 * 4
  EXPECT_NEAR(CongestionSignal(Ms(20), 0, 0.01, p).ms(), 22, 1e-9);
  EXPECT_NEAR(CongestionSignal(Ms(20), 0.02, 0.03, p).ms(), 78, 1e-9);   // 20 + 40 + 2 * 9
  EXPECT_NEAR(CongestionSignal(Ms(0), 1, 1, p).ms(), 3276.7, 1e-9);      // 5.3: 15 bits, in units of 0.1 ms
}

// CMP eq. 1: x = d + 1000 ms p_loss.
TEST(NadaCongestionSignal, AddsOneSecondTimesTheLossRatioIn2015) {
  const Parameters p = nada_2015();
  EXPECT_NEAR(CongestionSignal(Ms(12), 0.02, 0, p).ms(), 32, 1e-9);
  EXPECT_NEAR(CongestionSignal(Ms(0), 0.5, 0, p).ms(), 500, 1e-9);
}

}  // namespace
}  // namespace ccscope::nada
