// Compares the target delay T_A, the control delay T_c and the condition for a cut with LCC II-C; the numbers are
// computed by hand. Also tests exploration, which is not part of the paper.
#include <gtest/gtest.h>

#include <cmath>

#include "cc/lcc/bayesian_controller.h"
#include "cc/lcc/exploration.h"

namespace ccscope::lcc {
namespace {

constexpr TimeDelta kAnywhere = TimeDelta::PlusInfinity();

TimeDelta Ms(double ms) { return TimeDelta::Millis(ms); }

// The offset between the clocks of two real machines may be an hour.
constexpr double kOffsetMs = -3.6e6;
BayesianController::Delays Of(double average_ms, double smallest_ms = 50) {
  return {Ms(average_ms + kOffsetMs), Ms(smallest_ms + kOffsetMs), Ms(50)};
}

TEST(LccBayesianControllerTest, TheTargetIs25MsAboveTheSmallestDelay) {
  BayesianController controller({});
  controller.Update(Of(60, 52), -kAnywhere, kAnywhere);
  EXPECT_NEAR(controller.delay_target().ms() - kOffsetMs, 77, 1e-6);
}

// Eq. 5 with delta = 0.2: 75 + 0.2 (75 - 65) = 77; 77 + 0.2 (75 - 95) = 73.
TEST(LccBayesianControllerTest, ControlDelayIntegratesTheDistanceFromTheTarget) {
  BayesianController controller({});
  controller.Update(Of(65), -kAnywhere, kAnywhere);
  EXPECT_NEAR(controller.control_delay().ms() - kOffsetMs, 77, 1e-6);
  controller.Update(Of(95), -kAnywhere, kAnywhere);
  EXPECT_NEAR(controller.control_delay().ms() - kOffsetMs, 73, 1e-6);
  // If the delay equals the target, the control delay does not change.
  controller.Update(Of(75), -kAnywhere, kAnywhere);
  EXPECT_NEAR(controller.control_delay().ms() - kOffsetMs, 73, 1e-6);
}

TEST(LccBayesianControllerTest, ControlDelayStaysWithinTheBoundsGiven) {
  BayesianController controller({});
  for (int i = 0; i < 100; ++i) controller.Update(Of(50), Ms(40 + kOffsetMs), Ms(60 + kOffsetMs));
  EXPECT_EQ(controller.control_delay().ms(), 60 + kOffsetMs);
  for (int i = 0; i < 100; ++i) controller.Update(Of(500), Ms(40 + kOffsetMs), Ms(60 + kOffsetMs));
  EXPECT_EQ(controller.control_delay().ms(), 40 + kOffsetMs);
}

// Eq. 8 with R = 1.1 and T_A = 75 ms: a delay above 82.5 ms is exorbitant, whatever the offset of the clocks.
TEST(LccBayesianControllerTest, ADelayIsExorbitantAboveRTimesTheTarget) {
  BayesianController controller({});
  controller.Update(Of(60), -kAnywhere, kAnywhere);
  EXPECT_FALSE(controller.Exorbitant(Of(82.4)));
  EXPECT_TRUE(controller.Exorbitant(Of(82.6)));
}

Exploration::State State(double control_ms, double average_ms) {
  return {Ms(control_ms), Ms(80), Ms(average_ms), Ms(75)};
}

TEST(LccExplorationTest, ItGoesOnBelowTheTargetAndBeyondTheDelaysSeen) {
  const Exploration exploration({}, 1);
  EXPECT_TRUE(exploration.Wanted(State(60, 74)));
  EXPECT_FALSE(exploration.Wanted(State(60, 76)));
  EXPECT_TRUE(exploration.Wanted(State(81, 76)));
}

TEST(LccExplorationTest, ItRaisesThePresentRateOrHalfTheWayToTheExpectedOne) {
  const Exploration exploration({}, 1);
  const auto kbps = DataRate::KilobitsPerSec;
  EXPECT_EQ(exploration.Raise(kbps(500), kbps(400), kbps(500)).kbps(), 505);
  EXPECT_EQ(exploration.Raise(kbps(500), kbps(700), kbps(500)).kbps(), 605);
}

TEST(LccExplorationTest, InCallsItGrowsByAShareAndEndsAboveWhatArrives) {
  Parameters parameters;
  parameters.exploration_growth = 0.01;
  parameters.exploration_bound = 1.5;
  const Exploration exploration(parameters, 1);
  const auto kbps = DataRate::KilobitsPerSec;
  EXPECT_NEAR(exploration.Raise(kbps(1000), kbps(0), kbps(900)).kbps(), 1015, 1e-9);
  EXPECT_NEAR(exploration.Raise(kbps(1000), kbps(0), kbps(665)).kbps(), 1007.5, 1e-9);  // 1.5 x 665 + 10
  EXPECT_EQ(exploration.Raise(kbps(1000), kbps(0), kbps(300)).kbps(), 1000);            // never a cut
}

TEST(LccExplorationTest, RatesVaryByTwoPerCent) {
  Exploration exploration({}, 7);
  constexpr int kDraws = 20000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = exploration.Vary(DataRate::BitsPerSec(1e6)).bps() / 1e6 - 1;
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0, 4 * 0.02 / std::sqrt(kDraws));
  EXPECT_NEAR(std::sqrt(squares / kDraws), 0.02, 4 * 0.02 / std::sqrt(2 * kDraws));
}

TEST(LccExplorationTest, OffMeansOff) {
  Parameters parameters;
  parameters.exploration = 0;
  Exploration exploration(parameters, 7);
  EXPECT_FALSE(exploration.Wanted(State(81, 50)));
  EXPECT_EQ(exploration.Vary(DataRate::BitsPerSec(123)).bps(), 123);
  EXPECT_FALSE(exploration.headroom().IsFinite());
}

}  // namespace
}  // namespace ccscope::lcc
