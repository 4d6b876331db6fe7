#include "cc/gcc/rate_controller.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

RateController::Input Seen(Signal signal, double received_kbps, double rtt_ms = 100) {
  RateController::Input input;
  input.signal = signal;
  input.received_rate = DataRate::KilobitsPerSec(received_kbps);
  input.rtt = TimeDelta::Millis(rtt_ms);
  return input;
}

// The preset `gcc` without its fast start, and with this start bitrate.
Parameters From(double start_kbps) {
  Parameters parameters = PresetNamed("gcc");
  parameters.fast_start_factor = 1;
  parameters.start_bitrate_bps = start_kbps * 1e3;
  return parameters;
}

TEST(RateController, HasTheTransitionsOfFigure4) {
  struct Row {
    RateState state;
    Signal signal;
    RateState next;
  };
  constexpr Row kTable[] = {
      {RateState::kHold, Signal::kOveruse, RateState::kDecrease},
      {RateState::kHold, Signal::kNormal, RateState::kIncrease},
      {RateState::kHold, Signal::kUnderuse, RateState::kHold},
      {RateState::kIncrease, Signal::kOveruse, RateState::kDecrease},
      {RateState::kIncrease, Signal::kNormal, RateState::kIncrease},
      {RateState::kIncrease, Signal::kUnderuse, RateState::kHold},
      {RateState::kDecrease, Signal::kOveruse, RateState::kDecrease},
      {RateState::kDecrease, Signal::kNormal, RateState::kHold},
      {RateState::kDecrease, Signal::kUnderuse, RateState::kHold},
  };
  for (const Row& row : kTable) EXPECT_EQ(NextState(row.state, row.signal), row.next);
}

TEST(RateController, AnOveruseSetsTheRateToAlphaTimesWhatWasReceivedAndHolds) {
  RateController controller(From(1000));
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Seconds(1)).kbps(), 680);  // eq. 13
  EXPECT_EQ(controller.acted_state(), RateState::kDecrease);
  EXPECT_EQ(controller.state(), RateState::kHold);
}

TEST(RateController, AnOveruseNeverRaisesTheRate) {
  RateController controller(From(500));
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kOveruse, 1000), Timestamp::Seconds(1)).kbps(), 500);
}

TEST(RateController, UnderuseHolds) {
  RateController controller(From(500));
  const DataRate before = controller.Update(Seen(Signal::kNormal, 500), Timestamp::Seconds(1));
  EXPECT_EQ(controller.Update(Seen(Signal::kUnderuse, 500), Timestamp::Seconds(2)), before);
  EXPECT_EQ(controller.state(), RateState::kHold);
}

TEST(RateController, GrowsByEightPercentASecondBeforeTheFirstDecrease) {
  RateController controller(From(300));
  const DataRate first = controller.Update(Seen(Signal::kNormal, 300), Timestamp::Seconds(0));
  for (int i = 1; i <= 10; ++i) controller.Update(Seen(Signal::kNormal, 300), Timestamp::Millis(200 * i));
  EXPECT_NEAR(controller.a_r() / first, 1.08 * 1.08, 1e-9);
}

TEST(RateController, GrowsToAtMostOneAndAHalfTimesWhatIsReceived) {
  RateController controller(From(300));
  for (int i = 0; i < 300; ++i) controller.Update(Seen(Signal::kNormal, 300), Timestamp::Millis(200 * i));
  EXPECT_DOUBLE_EQ(controller.a_r().kbps(), 1.5 * 300 + 10);
}

TEST(RateController, TheBoundItselfCutsOnlyWhereThePaperIsTakenLiterally) {
  RateController deployed(From(1000));
  EXPECT_DOUBLE_EQ(deployed.Update(Seen(Signal::kNormal, 100), Timestamp::Seconds(1)).kbps(), 1000);
  Parameters parameters = PresetNamed("ton-2017-literal");
  parameters.start_bitrate_bps = 1e6;
  RateController literal(parameters);
  EXPECT_DOUBLE_EQ(literal.Update(Seen(Signal::kNormal, 100), Timestamp::Seconds(1)).kbps(), 150);
}

// Near the rate of the last decrease, the rate grows by half a packet per response time (RTT + 100 ms, i.e. 200 ms). At
// 680 kbps (0.85 of the 800 kbps at the overuse) and 30 fps, a frame of 2833 bytes is three packets of 944 bytes, so half a packet is 3778 bits.
TEST(RateController, GrowsByHalfAPacketPerResponseTimeNearTheMaximum) {
  RateController controller(From(1000));
  controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Millis(0));
  controller.Update(Seen(Signal::kNormal, 690), Timestamp::Millis(200));
  const double before_bps = controller.a_r().bps();
  controller.Update(Seen(Signal::kNormal, 690), Timestamp::Millis(400));
  EXPECT_NEAR(controller.a_r().bps() - before_bps, 0.5 * 680e3 / 30 / 3, 1);
}

// After a cut at R_r = 800 kbps, the mean of the maximum is 800 kbps, and the normalised variance has its smallest
// value, 0.4. So three deviations are 3 sqrt(0.4 * 800) = 53.7 kbps. Farther away, the rate grows by 8 % a second
// again. At 680 kbps, this is 54.4 kbps a second; near the maximum, the growth is only about 19 kbps a second.
TEST(RateController, TheOldMaximumReachesThreeDeviationsFar) {
  const auto relative_gain = [](double received_kbps) {
    RateController controller(From(1000));
    controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Millis(0));
    controller.Update(Seen(Signal::kNormal, received_kbps), Timestamp::Millis(200));
    const double before_kbps = controller.a_r().kbps();
    controller.Update(Seen(Signal::kNormal, received_kbps), Timestamp::Millis(400));
    return (controller.a_r().kbps() - before_kbps) / before_kbps;
  };
  EXPECT_NEAR(relative_gain(853), 0.5 / 90, 1e-3);                      // half a packet/s, relative to 90 packets/s
  EXPECT_NEAR(relative_gain(854), std::pow(1.08, 0.2) - 1, 1e-9);
}

// A cut at 740 kbps is below 800 - 53.7 kbps, so the old maximum is forgotten. The region of the new maximum ends at
// 740 + 3 sqrt(0.4 * 740) = 791.6 kbps. A cut at 750 kbps only moves the mean, to 797.5 kbps, and widens the region.
TEST(RateController, ACutFarBelowTheOldMaximumBeginsANewOne) {
  const auto grows_slowly = [](double second_cut_kbps) {
    RateController controller(From(1000));
    controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Millis(0));
    controller.Update(Seen(Signal::kOveruse, second_cut_kbps), Timestamp::Millis(300));
    controller.Update(Seen(Signal::kNormal, 795), Timestamp::Millis(500));
    const double before = controller.a_r().bps();
    controller.Update(Seen(Signal::kNormal, 795), Timestamp::Millis(700));
    return controller.a_r().bps() / before < 1.01;
  };
  EXPECT_FALSE(grows_slowly(740));
  EXPECT_TRUE(grows_slowly(750));
}

// ToN ("Congestion Control for Web Real-Time Communication", 2017): the rate grows by half of the average packet per
// RTT. At 300 kbps and 30 fps, a frame of 1250 B is two packets of 625 B. Half a packet is 2500 bits, so the rate grows
// by 2.5 kbps per RTT of 100 ms.
TEST(RateController, ThePaperTakenLiterallyGrowsByHalfAPacketPerRtt) {
  Parameters parameters = PresetNamed("ton-2017-literal");
  parameters.start_bitrate_bps = 300e3;
  RateController controller(parameters);
  controller.Update(Seen(Signal::kNormal, 1000), Timestamp::Millis(0));
  EXPECT_NEAR(controller.Update(Seen(Signal::kNormal, 1000), Timestamp::Millis(200)).bps(), 305e3, 1e-6);
}

// The factor by which the rate grows in half a second, shortly after a decrease.
double GrowthAfterADecrease(Parameters parameters) {
  parameters.start_bitrate_bps = 1e6;
  RateController controller(parameters);
  controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Millis(0));
  controller.Update(Seen(Signal::kNormal, 800), Timestamp::Millis(200));
  const double before = controller.a_r().bps();
  controller.Update(Seen(Signal::kNormal, 800), Timestamp::Millis(700));
  return controller.a_r().bps() / before;
}

TEST(RateController, AMultiplicativeIncreaseIsThatAfterADecreaseToo) {
  Parameters parameters = PresetNamed("cmp-2016");
  parameters.increase_mode = 3;
  EXPECT_NEAR(GrowthAfterADecrease(parameters), std::sqrt(1.08), 1e-12);
}

// eta is in [1.005, 1.3] per second (CMP, "Congestion Control for RTC: a Comparison NADA/GCC", 2016, Fig. 4).
TEST(RateController, TheComparisonsVariantGrowsWithinItsBoundsAfterADecreaseToo) {
  const double growth = GrowthAfterADecrease(PresetNamed("cmp-2016"));
  EXPECT_GE(growth, std::sqrt(1.005));
  EXPECT_LE(growth, std::sqrt(1.3));
}

TEST(RateController, ALongPauseGrowsTheRateAsOneSecondDoes) {
  RateController controller(From(300));
  controller.Update(Seen(Signal::kNormal, 1000), Timestamp::Seconds(0));
  const double before = controller.a_r().bps();
  EXPECT_NEAR(controller.Update(Seen(Signal::kNormal, 1000), Timestamp::Seconds(60)).bps() / before, 1.08, 1e-12);
}

TEST(RateController, StartsFastUntilTheFirstOveruseOrLoss) {
  Parameters parameters = PresetNamed("gcc");
  const auto factor_after = [&](double loss, bool overuse) {
    RateController controller(parameters);
    if (overuse) controller.Update(Seen(Signal::kOveruse, 300), Timestamp::Millis(0));
    RateController::Input input = Seen(Signal::kNormal, 1000);
    input.loss = loss;
    controller.Update(input, Timestamp::Millis(500));
    const double before = controller.a_r().bps();
    return controller.Update(input, Timestamp::Millis(1500)).bps() / before;
  };
  EXPECT_NEAR(factor_after(0, false), 2, 1e-12);
  EXPECT_NEAR(factor_after(0.019, false), 2, 1e-12);
  EXPECT_NEAR(factor_after(0.02, false), 1.08, 1e-12);
  EXPECT_NEAR(factor_after(0, true), 1.08, 1e-12);
}

TEST(RateController, DeployedCodeStartsFromWhatItReceivedInTheFirst5Seconds) {
  Parameters parameters = PresetNamed("libwebrtc-2016-08");
  RateController controller(parameters);
  const double start_kbps = parameters.start_bitrate_bps / 1e3;
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kNormal, 700), Timestamp::Seconds(1)).kbps(), start_kbps);
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kNormal, 800), Timestamp::Seconds(6)).kbps(), start_kbps);
  EXPECT_NEAR(controller.Update(Seen(Signal::kNormal, 900), Timestamp::Seconds(6.01)).kbps(), 900, 1.001);  // plus a 1 kbps step
}

TEST(RateController, LeavesTheSlowGrowthWhenMoreIsReceivedThanEverBefore) {
  RateController controller(From(1000));
  controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Millis(0));
  controller.Update(Seen(Signal::kNormal, 900), Timestamp::Millis(200));
  const double before_bps = controller.a_r().bps();
  controller.Update(Seen(Signal::kNormal, 900), Timestamp::Millis(1200));
  EXPECT_NEAR(controller.a_r().bps() / before_bps, 1.08, 1e-6);
}

TEST(RateController, CutsAgainOnlyAfterARoundTripOrWhenHalfIsReceived) {
  RateController controller(From(1000));
  controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Seconds(1));
  const auto may = [&](double received_kbps, double after_ms) {
    return controller.MayDecreaseAgain(DataRate::KilobitsPerSec(received_kbps), TimeDelta::Millis(100),
                                       Timestamp::Seconds(1) + TimeDelta::Millis(after_ms));
  };
  EXPECT_FALSE(may(600, 99));
  EXPECT_TRUE(may(600, 100));
  EXPECT_FALSE(may(341, 1));
  EXPECT_TRUE(may(339, 1));
}

// The shortest time between two cuts is the RTT, limited to 10 to 200 ms.
TEST(RateController, ASecondCutWaitsAtLeast10AndAtMost200Ms) {
  RateController controller(From(1000));
  controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Seconds(1));
  const auto may = [&](double rtt_ms, double after_ms) {
    return controller.MayDecreaseAgain(DataRate::KilobitsPerSec(600), TimeDelta::Millis(rtt_ms),
                                       Timestamp::Seconds(1) + TimeDelta::Millis(after_ms));
  };
  EXPECT_FALSE(may(1, 9));
  EXPECT_TRUE(may(1, 10));
  EXPECT_FALSE(may(900, 199));
  EXPECT_TRUE(may(900, 200));
}

TEST(RateController, ALowerBoundOfTheApplicationTakesEffectAtOnce) {
  Parameters parameters = From(1000);
  RateController controller(parameters);
  parameters.max_bitrate_bps = 400e3;
  controller.Configure(parameters);
  EXPECT_DOUBLE_EQ(controller.a_r().kbps(), 400);
}

TEST(RateController, StaysWithinTheBoundsOfTheApplication) {
  RateController controller(From(300));
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kOveruse, 1), Timestamp::Seconds(1)).kbps(), 50);
  for (int i = 0; i < 2000; ++i) controller.Update(Seen(Signal::kNormal, 9000), Timestamp::Millis(1200 + 200 * i));
  EXPECT_DOUBLE_EQ(controller.a_r().kbps(), 2500);
}

// gcc-aqm-2016, Fig. 2: eta is in [1.005, 1.3]. Tests the deployed code's logistic function at both ends and in the
// middle. 0.85 t + 6700 / 33^2 sigma^2 = 800 ms gives 1.005 + 0.0407 / 2; t = 0 without noise gives 1.005 + 0.0407 / (1
// + e^-2).
TEST(RateController, AdaptiveEtaFallsWithResponseTimeAndNoise) {
  EXPECT_NEAR(AdaptiveEta(TimeDelta::Millis(800 / 0.85), 0), 1.02535, 1e-12);
  EXPECT_NEAR(AdaptiveEta(TimeDelta::Millis(400 / 0.85), 400 * 33.0 * 33.0 / 6700), 1.02535, 1e-12);
  EXPECT_NEAR(AdaptiveEta(TimeDelta::Zero(), 0), 1.005 + 0.0407 / (1 + std::exp(-2.0)), 1e-12);
  EXPECT_NEAR(AdaptiveEta(TimeDelta::Seconds(100), 0), 1.005, 1e-12);
  double last = 2;
  for (int ms = 0; ms < 4000; ms += 100) {
    const double eta = AdaptiveEta(TimeDelta::Millis(ms), 10);
    EXPECT_LT(eta, last);
    last = eta;
  }
}

// The relative growth is tripled while no maximum is known, and halved after a decrease. Each update also adds 1 kbps
// to the rate. The update period decays from 1 s to 0.2 s: at update k, it is 0.2 s + 0.8 s * 0.9^k. The response time
// is the update period + RTT + 0.3 s.
TEST(RateController, AdaptiveIncreaseIsSlowNearTheMaximumAndFastBeforeOne) {
  Parameters parameters = From(500);
  parameters.increase_mode = 4;
  parameters.upper_bound_factor = 0;
  for (const bool near_maximum : {false, true}) {
    RateController controller(parameters);
    RateController::Input input = Seen(Signal::kNormal, 500);
    input.noise_variance_ms2 = 5;
    double now_ms = 0;
    int update = -1;
    double period_ms = 1000;
    const auto step = [&](Signal signal) {
      input.signal = signal;
      if (++update > 0) period_ms = 0.9 * period_ms + 0.1 * 200;
      controller.Update(input, Timestamp::Millis(now_ms));
      now_ms += 200;
    };
    if (near_maximum) step(Signal::kOveruse);
    step(Signal::kNormal);  // only Hold -> Increase; the rate stays, since no time has passed
    for (int i = 0; i < 10; ++i) {
      const double before = controller.a_r().bps();
      step(Signal::kNormal);
      const double response_ms = 0.85 * (period_ms + 100 + 300) + 6700.0 / (33 * 33) * 5;
      const double eta = 1.005 + 0.0407 / (1 + std::exp(0.0025 * (response_ms - 800)));
      const double growth = (std::pow(eta, 0.2) - 1) * (near_maximum ? 0.5 : 3);
      EXPECT_NEAR(controller.a_r().bps(), before * (1 + growth) + 1000, 1e-3) << near_maximum << " " << i;
    }
  }
}

// As in remote_rate_control.cc: while no maximum is known, an overuse cuts the rate to 0.9 of the received rate. The
// next overuse, near the maximum, cuts it to 0.95.
TEST(RateController, ARegionDecidesHowFarAnOveruseCuts) {
  Parameters parameters = From(1000);
  parameters.regions = 1;
  RateController controller(parameters);
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kOveruse, 900), Timestamp::Seconds(1)).kbps(), 810);
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Seconds(2)).kbps(), 760);
}

// A_r is 810 kbps, the maximum is 900 kbps, and 2000 kbps are received. 0.95 of either value is more than A_r, so A_r
// does not change.
TEST(RateController, AnOveruseInARegionNeverRaisesTheRate) {
  Parameters parameters = From(1000);
  parameters.regions = 1;
  RateController controller(parameters);
  controller.Update(Seen(Signal::kOveruse, 900), Timestamp::Seconds(1));
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kOveruse, 2000), Timestamp::Seconds(2)).kbps(), 810);
}

// During the hold, the received rate was at most 1000 kbps. The first increase sets the rate to 0.95 of this maximum,
// although that is more than 1.5 times the currently received rate.
TEST(RateController, ARateBehindAHoldComesBackToWhatWasReceived) {
  Parameters parameters = From(1000);
  parameters.regions = 1;
  RateController controller(parameters);
  controller.Update(Seen(Signal::kOveruse, 700), Timestamp::Seconds(1));
  ASSERT_DOUBLE_EQ(controller.a_r().kbps(), 630);
  controller.Update(Seen(Signal::kUnderuse, 1000), Timestamp::Seconds(2));
  controller.Update(Seen(Signal::kUnderuse, 400), Timestamp::Seconds(3));
  EXPECT_DOUBLE_EQ(controller.a_r().kbps(), 630);
  controller.Update(Seen(Signal::kNormal, 400), Timestamp::Seconds(4));
  EXPECT_DOUBLE_EQ(controller.a_r().kbps(), 950);
}

// The maximum is 500 kbps, with a deviation of sqrt(0.4 * 500) = 14.1 kbps. Growth is halved near it, normal beyond
// 2.5 deviations (535.4 kbps), and tripled beyond 3 deviations (542.4 kbps).
TEST(RateController, GrowthGoesByTheRegion) {
  struct Row {
    double received_kbps;
    double share;
  };
  for (const Row& row : {Row{530, 0.5}, Row{538, 1}, Row{550, 3}}) {
    Parameters parameters = From(1000);
    parameters.regions = 1;
    parameters.increase_mode = 4;
    parameters.upper_bound_factor = 0;
    RateController controller(parameters);
    controller.Update(Seen(Signal::kOveruse, 500), Timestamp::Millis(0));
    controller.Update(Seen(Signal::kNormal, 500), Timestamp::Millis(200));  // only Hold -> Increase: no time has passed
    const double before = controller.a_r().bps();
    controller.Update(Seen(Signal::kNormal, row.received_kbps), Timestamp::Millis(400));
    // Updates are 200 ms apart, and the averaged update period is 1000, 920, then 848 ms.
    const double eta = 1.005 + 0.0407 / (1 + std::exp(0.0025 * (0.85 * (848 + 100 + 300) - 800)));
    const double growth = (std::pow(eta, 0.2) - 1) * row.share;
    EXPECT_NEAR(controller.a_r().bps(), before * (1 + growth) + 1000, 1e-3) << row.received_kbps;
  }
}

// A rate that exceeds 1.5 times the received rate does not grow, unless both rates are small.
TEST(RateController, InARegionARateTooFarFromWhatComesInStays) {
  for (const bool is_low : {false, true}) {
    Parameters parameters = From(is_low ? 140 : 1000);
    parameters.regions = 1;
    parameters.increase_mode = 4;
    RateController controller(parameters);
    const double received_kbps = is_low ? 50 : 600;
    controller.Update(Seen(Signal::kNormal, received_kbps), Timestamp::Millis(0));
    controller.Update(Seen(Signal::kNormal, received_kbps), Timestamp::Millis(200));
    if (is_low) {
      EXPECT_GT(controller.a_r().kbps(), 141);
    } else {
      EXPECT_EQ(controller.a_r().kbps(), 1000);
    }
  }
}

}  // namespace
}  // namespace ccscope::gcc
