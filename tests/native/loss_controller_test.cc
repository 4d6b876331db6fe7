#include "cc/gcc/loss_controller.h"

#include <gtest/gtest.h>

#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

constexpr DataRate kMbps = DataRate::KilobitsPerSec(1000);
constexpr TimeDelta kRtt = TimeDelta::Millis(50);

// A_s after one report, from 300 kbps.
double AfterReport(double fraction_lost, DataRate a_r = kMbps) {
  LossController controller(PresetNamed("gcc"));
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

// Browsers report several times a second; a burst of losses is one report, not three.
TEST(LossController, MakesOneReportASecondOfCumulativeCounters) {
  LossController controller(PresetNamed("gcc"));
  controller.OnCounters(1000, 0, kMbps, kRtt, Timestamp::Millis(0));
  controller.OnCounters(1010, 10, kMbps, kRtt, Timestamp::Millis(270));
  controller.OnCounters(1040, 20, kMbps, kRtt, Timestamp::Millis(540));
  EXPECT_DOUBLE_EQ(controller.a_s().kbps(), 300);
  controller.OnCounters(1080, 20, kMbps, kRtt, Timestamp::Millis(1010));
  EXPECT_DOUBLE_EQ(controller.fraction_lost(), 0.2);
  EXPECT_NEAR(controller.a_s().kbps(), 270, 1e-9);
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

}  // namespace
}  // namespace ccscope::gcc
