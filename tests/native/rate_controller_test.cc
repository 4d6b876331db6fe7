#include "cc/gcc/rate_controller.h"

#include <gtest/gtest.h>

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

// `gcc` without its fast start, from this rate.
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

// Near the rate of the last decrease: half a packet per response time (RTT + 100 ms). At 680 kbps
// and 30 fps a frame of 2833 bytes is three packets of 944 bytes: 3778 bits in 200 ms.
TEST(RateController, GrowsByHalfAPacketPerResponseTimeNearTheMaximum) {
  RateController controller(From(1000));
  controller.Update(Seen(Signal::kOveruse, 800), Timestamp::Millis(0));
  controller.Update(Seen(Signal::kNormal, 690), Timestamp::Millis(200));
  const double before_bps = controller.a_r().bps();
  controller.Update(Seen(Signal::kNormal, 690), Timestamp::Millis(400));
  EXPECT_NEAR(controller.a_r().bps() - before_bps, 0.5 * 680e3 / 30 / 3, 1);
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

TEST(RateController, StaysWithinTheBoundsOfTheApplication) {
  RateController controller(From(300));
  EXPECT_DOUBLE_EQ(controller.Update(Seen(Signal::kOveruse, 1), Timestamp::Seconds(1)).kbps(), 50);
  for (int i = 0; i < 2000; ++i) controller.Update(Seen(Signal::kNormal, 9000), Timestamp::Millis(1200 + 200 * i));
  EXPECT_DOUBLE_EQ(controller.a_r().kbps(), 2500);
}

}  // namespace
}  // namespace ccscope::gcc
