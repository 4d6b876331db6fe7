#include "cc/gcc/loss_controller.h"

#include <gtest/gtest.h>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

constexpr DataRate kMbps = DataRate::KilobitsPerSec(1000);
constexpr TimeDelta kRtt = TimeDelta::Millis(50);

// Parameters without the fast start-up: A_s follows eq. 14 from the beginning.
Parameters PastTheFastStart() {
  Parameters parameters = PresetNamed("gcc");
  parameters.a_s_follows_a_r = 0;
  return parameters;
}

// A_s in kbps after one report; before it, A_s is 300 kbps.
double AfterReport(double fraction_lost, DataRate a_r = kMbps) {
  LossController controller(PastTheFastStart());
  controller.OnReport(fraction_lost, a_r, kRtt, Timestamp::Seconds(1));
  return controller.a_s().kbps();
}

TEST(LossController, IsEquation14) {
  EXPECT_NEAR(AfterReport(0.2), 300 * (1 - 0.5 * 0.2), 1e-9);
  EXPECT_NEAR(AfterReport(0.1001), 300 * (1 - 0.5 * 0.1001), 1e-9);
  EXPECT_DOUBLE_EQ(AfterReport(0.1), 300);
  EXPECT_DOUBLE_EQ(AfterReport(0.02), 300);
  EXPECT_NEAR(AfterReport(0.0199), 315, 1e-9);
  EXPECT_NEAR(AfterReport(0), 315, 1e-9);
}

TEST(LossController, IsNeverAboveTheDelayBasedRate) {
  EXPECT_DOUBLE_EQ(AfterReport(0, DataRate::KilobitsPerSec(100)), 100);
  EXPECT_DOUBLE_EQ(AfterReport(0.05, DataRate::KilobitsPerSec(100)), 100);
}

TEST(LossController, ALittleLossLiftsItToTheDelayBasedRateInLiveCalls) {
  LossController controller(PresetNamed("gcc-live"));
  controller.OnReport(0.01, kMbps, kRtt, Timestamp::Seconds(1));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 1000);
}

// During start-up, A_s equals A_r until A_r first falls. Then eq. 14 applies, which raises A_s by 5 % per report.
TEST(LossController, FollowsTheDelayBasedRateUntilThatFirstFalls) {
  LossController controller(PresetNamed("gcc"));
  controller.OnCounters(0, 0, DataRate::KilobitsPerSec(400), kRtt, Timestamp::Millis(0));
  controller.OnCounters(100, 0, DataRate::KilobitsPerSec(600), kRtt, Timestamp::Millis(200));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 600);
  controller.OnCounters(600, 0, DataRate::KilobitsPerSec(900), kRtt, Timestamp::Millis(1200));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 900);
  controller.OnCounters(700, 0, DataRate::KilobitsPerSec(500), kRtt, Timestamp::Millis(1400));
  controller.OnCounters(1200, 0, kMbps, kRtt, Timestamp::Millis(2400));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 500 * 1.05);
}

TEST(LossController, LossEndsTheStartToo) {
  LossController controller(PresetNamed("gcc"));
  controller.OnReport(0, DataRate::KilobitsPerSec(600), kRtt, Timestamp::Seconds(1));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 600);
  controller.OnReport(0.02, kMbps, kRtt, Timestamp::Seconds(2));
  controller.OnReport(0, kMbps, kRtt, Timestamp::Seconds(3));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 630);
}

// Browsers update counters several times a second. The controller makes a report only at the first update that comes at
// least one second after the last report.
TEST(LossController, MakesOneReportASecondOfCumulativeCounters) {
  LossController controller(PastTheFastStart());
  controller.OnCounters(1000, 0, kMbps, kRtt, Timestamp::Millis(0));
  controller.OnCounters(1010, 10, kMbps, kRtt, Timestamp::Millis(270));
  controller.OnCounters(1040, 20, kMbps, kRtt, Timestamp::Millis(540));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 300);
  controller.OnCounters(1080, 20, kMbps, kRtt, Timestamp::Millis(1010));
  EXPECT_DOUBLE_EQ(controller.fraction_lost(), 0.2);
  EXPECT_NEAR(controller.a_s().kbps(), 270, 1e-9);
}

TEST(LossController, BetweenReportsOnlyALowerDelayBasedRateCounts) {
  LossController controller(PresetNamed("gcc"));
  controller.OnCounters(0, 0, kMbps, kRtt, Timestamp::Millis(0));
  controller.OnCounters(10, 90, DataRate::KilobitsPerSec(250), kRtt, Timestamp::Millis(300));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 250);
  controller.OnCounters(20, 180, kMbps, kRtt, Timestamp::Millis(600));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 250);
}

TEST(LossController, StaysWithinTheBoundsOfTheApplication) {
  LossController controller(PresetNamed("gcc"));
  for (int i = 0; i < 50; ++i) controller.OnReport(1, kMbps, kRtt, Timestamp::Seconds(i));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 50);
  for (int i = 50; i < 500; ++i) controller.OnReport(0, kMbps * 100, kRtt, Timestamp::Seconds(i));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 2500);
}

// libwebrtc: the new rate is 1.08 times the lowest rate of the last second, plus 1 kbps. The reports are 400 ms apart.
// At 800 ms, the lowest rate is still the first one; at 1200 ms, the first rate is older than a second.
TEST(LossController, DeployedCodeLiftsTheLowestRateOfTheLastSecond) {
  LossController controller(PresetNamed("libwebrtc-2016-08"));
  const auto after_report = [&](double ms) {
    controller.OnReport(0, kMbps, kRtt, Timestamp::Millis(ms));
    return controller.a_s().kbps();
  };
  const double first = 300;
  const double second = first * 1.08 + 1;
  EXPECT_NEAR(after_report(0), second, 1e-9);
  EXPECT_NEAR(after_report(400), second, 1e-9);
  EXPECT_NEAR(after_report(800), second, 1e-9);
  EXPECT_NEAR(after_report(1200), second * 1.08 + 1, 1e-9);
}

TEST(LossController, DeployedCodeCutsOnceIn300MsAndARoundTrip) {
  LossController controller(PresetNamed("libwebrtc-2016-08"));
  const auto after_report = [&](double ms) {
    controller.OnReport(0.2, kMbps, kRtt, Timestamp::Millis(ms));
    return controller.a_s().kbps();
  };
  EXPECT_NEAR(after_report(1000), 270, 1e-9);
  EXPECT_NEAR(after_report(1349), 270, 1e-9);
  EXPECT_NEAR(after_report(1350), 243, 1e-9);
}

TEST(LossController, DeployedCodeWaitsFor20PacketsPerReport) {
  LossController controller(PresetNamed("libwebrtc-2016-08"));
  controller.OnCounters(100, 0, kMbps, kRtt, Timestamp::Millis(0));
  controller.OnCounters(114, 5, kMbps, kRtt, Timestamp::Millis(1000));
  EXPECT_DOUBLE_EQ(controller.fraction_lost(), 0);
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 300);
  controller.OnCounters(115, 5, kMbps, kRtt, Timestamp::Millis(1200));
  EXPECT_DOUBLE_EQ(controller.fraction_lost(), 0.25);
  EXPECT_NEAR(controller.a_s().kbps(), 300 * (1 - 0.5 * 0.25), 1e-9);
}

TEST(LossController, APacketThatComesLateIsNoNegativeLoss) {
  LossController controller(PresetNamed("gcc"));
  controller.OnCounters(1000, 5, kMbps, kRtt, Timestamp::Millis(0));
  controller.OnCounters(1100, 3, kMbps, kRtt, Timestamp::Millis(1000));
  EXPECT_DOUBLE_EQ(controller.fraction_lost(), 0);
}

TEST(LossController, CountersThatStartAgainAreANewBeginning) {
  LossController controller(PresetNamed("gcc"));
  controller.OnCounters(5000, 100, kMbps, kRtt, Timestamp::Millis(0));
  controller.OnCounters(10, 0, kMbps, kRtt, Timestamp::Millis(1000));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 300);
  controller.OnCounters(90, 20, kMbps, kRtt, Timestamp::Millis(2000));
  EXPECT_DOUBLE_EQ(controller.fraction_lost(), 0.2);
}

// RFC 3550 6.4.1: 2 of 100 are 5.12 / 256, reported as 5 / 256, which is below 2 %.
TEST(LossController, TheFractionLostIsRoundedDownToItsBits) {
  for (const int bits : {0, 8}) {
    Parameters parameters = PastTheFastStart();
    parameters.fraction_lost_bits = bits;
    LossController controller(parameters);
    controller.OnCounters(100, 0, kMbps, kRtt, Timestamp::Seconds(1));
    controller.OnCounters(198, 2, kMbps, kRtt, Timestamp::Seconds(2.5));
    EXPECT_EQ(controller.fraction_lost(), bits == 0 ? 0.02 : 5.0 / 256);
    EXPECT_DOUBLE_EQ(controller.a_s().kbps(), bits == 0 ? 300 : 315);
  }
}

}  // namespace
}  // namespace ccscope::gcc
