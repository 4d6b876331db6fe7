#include "cc/nada/rate_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cc/nada/rate_shaping_buffer.h"
#include "tests/native/nada_support.h"

namespace ccscope::nada {
namespace {

Parameters With(Parameters p, double start_kbps, double max_kbps) {
  p.start_bitrate_bps = start_kbps * 1e3;
  p.max_bitrate_bps = max_kbps * 1e3;
  return p;
}

// RFC 8698 eq. 3: min(0.5, 50 / (rtt + 100 + 120)).
TEST(NadaRateController, RampUpGamma) {
  Parameters p = nada_rfc8698();
  EXPECT_NEAR(RampUpGamma(Ms(0), p), 50.0 / 220, 1e-12);
  EXPECT_NEAR(RampUpGamma(Ms(50), p), 0.185185, 1e-6);  // 50 / 270
  EXPECT_NEAR(RampUpGamma(Ms(100), p), 0.15625, 1e-12);  // 50 / 320
  p.delta_ms = 30;
  p.dfilt_ms = 0;
  EXPECT_EQ(RampUpGamma(Ms(20), p), 0.5);  // 50 / 50, bounded by GAMMA_MAX
}

// CMP ("Congestion Control for RTC: a Comparison NADA/GCC", 2016) eq. 2: min(0.2, 50 / (RTT + 100)).
TEST(NadaRateController, RampUpGammaOf2015) {
  const Parameters p = nada_2015();
  EXPECT_EQ(RampUpGamma(Ms(100), p), 0.2);  // 50 / 200 = 0.25
  EXPECT_NEAR(RampUpGamma(Ms(300), p), 0.125, 1e-12);
}

// RFC 8698 eq. 4: r_ref = max(r_ref, (1 + gamma) r_recv), gamma = 0.15625 at an RTT of 100 ms.
TEST(NadaRateController, RampsUpFromWhatWasReceivedAndNeverFalls) {
  RateController controller(With(nada_rfc8698(), 300, 2500));
  controller.Update(Mode::kRampUp, Ms(0), Kbps(300), Ms(100), AtMs(100));
  EXPECT_NEAR(controller.r_ref().bps(), 346'875, 1e-6);
  controller.Update(Mode::kRampUp, Ms(0), Kbps(200), Ms(100), AtMs(200));
  EXPECT_NEAR(controller.r_ref().bps(), 346'875, 1e-6);
}

// CMP eq. 2: R = (1 + gamma) R_r, gamma = 0.2, even if that is less than before.
TEST(NadaRateController, FollowsWhatWasReceivedIn2015) {
  RateController controller(With(nada_2015(), 300, 2500));
  controller.Update(Mode::kRampUp, Ms(0), Kbps(300), Ms(100), AtMs(100));
  EXPECT_NEAR(controller.r_ref().kbps(), 360, 1e-9);
  controller.Update(Mode::kRampUp, Ms(0), Kbps(200), Ms(100), AtMs(200));
  EXPECT_NEAR(controller.r_ref().kbps(), 240, 1e-9);
}

// With an upper bound of 600 kbps, the rate stays between half of the received rate and the bound. While the received
// rate is below 0.8 of the bound, gamma of the ramp-up is GAMMA_MAX = 0.5.
TEST(NadaRateController, KeepsWithinTheCapacityThatFramesShow) {
  RateController controller(With(nada_rfc8698(), 1000, 2500));
  controller.Update(Mode::kGradual, Ms(0), Kbps(1000), Ms(50), AtMs(100), Kbps(600));
  EXPECT_EQ(controller.r_ref().kbps(), 600);
  controller.Update(Mode::kGradual, Ms(5000), Kbps(600), Ms(50), AtMs(200), Kbps(600));
  EXPECT_EQ(controller.r_ref().kbps(), 300);
  controller.Update(Mode::kRampUp, Ms(0), Kbps(300), Ms(50), AtMs(300), Kbps(600));
  EXPECT_NEAR(controller.r_ref().kbps(), 450, 1e-9);
  controller.Update(Mode::kRampUp, Ms(0), Kbps(500), Ms(50), AtMs(400), Kbps(600));
  EXPECT_NEAR(controller.r_ref().kbps(), 500 * (1 + 50.0 / 270), 1e-6);
}

// The encoder sends 0.8 of its target. At an RTT of 50 ms, (1 + gamma) 0.8 < 1, so the ramp-up alone would not raise
// the rate. The gradual update (eq. 5-7) raises a rate r of 1 Mbps by the fraction KAPPA * delta / TAU * XREF * RMAX /
// r / TAU = 0.5 * 0.2 * 10 * 2.5 / 500 = 0.005.
TEST(NadaRateController, RampsUpAtLeastAsTheGradualUpdateWouldWhereAskedTo) {
  Parameters p = With(nada_rfc8698(), 1000, 2500);
  p.ramp_up_floor = 2;
  RateController controller(p);
  controller.Update(Mode::kRampUp, Ms(0), Kbps(800), Ms(50), AtMs(100));
  EXPECT_NEAR(controller.r_ref().kbps(), 1005, 1e-9);
  controller.Update(Mode::kRampUp, Ms(0), Kbps(1000), Ms(50), AtMs(200));
  EXPECT_NEAR(controller.r_ref().kbps(), 1185.185, 1e-3);
}

// The encoder sends 0.8 of its target, and the controller compensates for this: r_ref = (1 + gamma) r_recv / s. The
// encoder's share s stays 1 for ten messages. Each later message has a weight of one tenth, so after n of them s is 1 -
// 0.2 (1 - 0.9^n).
TEST(NadaRateController, MakesUpForAnEncoderThatStaysBelowItsTarget) {
  Parameters p = With(nada_rfc8698(), 1000, 1e6);
  p.encoder_share_min = 0.75;
  p.kappa = 0;
  RateController controller(p);
  for (int i = 0; i < 10; ++i) controller.Update(Mode::kRampUp, Ms(0), Kbps(800), Ms(50), AtMs(100 * i));
  EXPECT_NEAR(controller.r_ref().kbps(), 1000, 1e-9);
  for (int i = 10; i < 19; ++i) controller.Update(Mode::kRampUp, Ms(0), Kbps(800), Ms(50), AtMs(100 * i));
  const double share = 1 - 0.2 * (1 - std::pow(0.9, 9));
  EXPECT_NEAR(controller.r_ref().kbps(), std::max(1000.0, 800 * (1 + 50.0 / 270) / share), 1e-6);
  EXPECT_GT(controller.r_ref().kbps(), 1070);
  // With a queue, the received rate is limited by the capacity, so it does not show the encoder's share.
  RateController queued(p);
  for (int i = 0; i < 30; ++i) queued.Update(Mode::kGradual, Ms(0), Kbps(500), Ms(50), AtMs(100 * i));
  queued.Update(Mode::kRampUp, Ms(0), Kbps(900), Ms(50), AtMs(3000));
  // The share was 1. The new share is 0.9 and counts for a tenth: 1 - 0.1 * 0.1.
  EXPECT_NEAR(queued.r_ref().kbps(), 900 * (1 + 50.0 / 270) / 0.99, 1e-6);
}

// RFC 8698 eq. 5-7 with KAPPA 0.5, ETA 2, TAU 500 ms, RMAX 1.5 Mbps, XREF 10 ms, from 1 Mbps.
TEST(NadaRateController, UpdatesGradually) {
  RateController controller(With(nada_rfc8698(), 1000, 1500));
  // x_offset = 20 - 10 * 1.5 = 5, x_diff = 20 - 0, delta = DELTA = 100 as there is no earlier message:
  // 0.5 * 0.2 * 5 / 500 + 0.5 * 2 * 20 / 500 = 0.001 + 0.04.
  controller.Update(Mode::kGradual, Ms(20), Kbps(1000), Ms(100), AtMs(1000));
  EXPECT_NEAR(controller.r_ref().bps(), 959'000, 1e-6);
  // x_offset = 25 - 15 / 0.959, x_diff = 5, delta = 150:
  // 0.5 * 0.3 * (25 - 15.641293) / 500 + 0.01 = 0.0028076 + 0.01.
  controller.Update(Mode::kGradual, Ms(25), Kbps(1000), Ms(100), AtMs(1150));
  EXPECT_NEAR(controller.r_ref().bps(), 959e3 * (1 - 0.0128076121), 0.01);
}

TEST(NadaRateController, PrioritySetsTheReference) {
  Parameters p = With(nada_rfc8698(), 1000, 1500);
  p.prio = 2;
  RateController controller(p);
  // x_offset = 20 - 2 * 15 = -10: 0.5 * 0.2 * -10 / 500 + 0.04 = 0.038.
  controller.Update(Mode::kGradual, Ms(20), Kbps(1000), Ms(100), AtMs(0));
  EXPECT_NEAR(controller.r_ref().bps(), 962'000, 1e-6);
}

// CMP eq. 3-5: K1 = kappa Delta / tau^2 = 4e-4 / ms, K2 = kappa eta / tau = 4e-3 / ms; R_max 2.5 Mbps.
TEST(NadaRateController, UpdatesGraduallyAsIn2015) {
  RateController controller(With(nada_2015(), 1000, 2500));
  // x_o = 30 - 2.5 * 10 = 5, x_d = 30: 1 - 0.002 - 0.12.
  controller.Update(Mode::kGradual, Ms(30), Kbps(1000), Ms(100), AtMs(0));
  EXPECT_NEAR(controller.r_ref().bps(), 878'000, 1e-6);
  // x_o = 20 - 25 / 0.878 = -8.473804, x_d = -10, whatever time has passed: 1 + 0.0033895216 + 0.04.
  controller.Update(Mode::kGradual, Ms(20), Kbps(1000), Ms(100), AtMs(170));
  EXPECT_NEAR(controller.r_ref().bps(), 878e3 * 1.0433895216, 0.01);
}

// RFC 8698 eq. 8-9.
TEST(NadaRateController, ClipsTheRate) {
  RateController controller(With(nada_rfc8698(), 1000, 1500));
  controller.Update(Mode::kRampUp, Ms(0), Kbps(1499), Ms(0), AtMs(0));
  EXPECT_EQ(controller.r_ref().kbps(), 1500);
  controller.Update(Mode::kGradual, Ms(3000), Kbps(1499), Ms(0), AtMs(100));
  EXPECT_EQ(controller.r_ref().kbps(), 50);
}

// RFC 8698 5.2.2: 2000 bytes in the buffer change the rates by 48 kbps (0.1 * 8 * 2000 * 30); the change never exceeds
// 5 % of r_ref.
TEST(NadaRateShapingBuffer, DrainsByTheRatesOfEncoderAndPacer) {
  const Parameters p = With(nada_rfc8698(), 1000, 1500);
  const auto rates = [&](double kbps, double bytes) { return ShapeRates(Kbps(kbps), DataSize::Bytes(bytes), p); };
  EXPECT_NEAR(rates(1000, 2000).r_vin.kbps(), 952, 1e-9);
  EXPECT_NEAR(rates(1000, 2000).r_send.kbps(), 1048, 1e-9);
  EXPECT_NEAR(rates(1000, 20000).r_vin.kbps(), 950, 1e-9);
  EXPECT_NEAR(rates(1000, 20000).r_send.kbps(), 1050, 1e-9);
  EXPECT_EQ(rates(1000, 0).r_vin.kbps(), 1000);
  EXPECT_EQ(rates(1500, 20000).r_send.kbps(), 1500);  // RMAX
  EXPECT_EQ(rates(50, 20000).r_vin.kbps(), 50);       // RMIN
}

// CMP II-A: R -+ beta b_l per frame, without any bounds except those of the rates.
TEST(NadaRateShapingBuffer, DrainsWithoutBoundIn2015) {
  const ShapedRates rates = ShapeRates(Kbps(1000), DataSize::Bytes(10000), With(nada_2015(), 1000, 2500));
  EXPECT_NEAR(rates.r_vin.kbps(), 760, 1e-9);  // 0.1 * 80,000 * 30 = 240 kbps
  EXPECT_NEAR(rates.r_send.kbps(), 1240, 1e-9);
}

}  // namespace
}  // namespace ccscope::nada
