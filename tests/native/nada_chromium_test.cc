// NADA as in nada.cc of Chromium's simulation framework in 2015; the numbers are computed by hand from its formulas:
//   ramp-up  R = (1 + min(0.5, 50 / (least RTT + 100))) R_r
//   gradual  R += delta (theta - (R - R_min) x_hat) / 500^2,  theta = 10 (R_max - R_min),
//            x_hat = x + 2 * 500 x'
// with R between 50 and 2500 kbps, in whole kbps, and delays in whole ms.
#include <gtest/gtest.h>

#include "cc/nada/congestion_signal.h"
#include "cc/nada/delay_filter.h"
#include "cc/nada/rate_controller.h"
#include "tests/native/nada_support.h"

namespace ccscope::nada {
namespace {

Parameters StartingAt(double kbps) {
  Parameters p = nada_chromium_2015();
  p.start_bitrate_bps = kbps * 1e3;
  return p;
}

TEST(NadaOfChromium2015, RampsUpByTheLeastRoundTripInWholeKbps) {
  RateController controller(StartingAt(300));
  controller.Update(Mode::kRampUp, Ms(0), Kbps(300), Ms(100), AtMs(100));
  EXPECT_EQ(controller.r_ref().kbps(), 375);  // 50 / 200
  controller.Update(Mode::kRampUp, Ms(0), Kbps(333.3), Ms(400), AtMs(200));
  EXPECT_EQ(controller.r_ref().kbps(), 417);  // 1.25 * 333.3 = 416.6, since the least RTT is still 100 ms
  controller.Update(Mode::kRampUp, Ms(0), Kbps(400), Ms(0.1), AtMs(300));
  EXPECT_EQ(controller.r_ref().kbps(), 600);  // 0.5 at most
}

// From 1 Mbps with x = 20 ms, the rate grows by 100 (24500 - 950 * 20) / 250000 = 2.2 kbps. With x = 40 ms, 100 ms
// later, x' is 0.2 and x_hat is 240 ms: the rate changes by 100 (24500 - 952 * 240) / 250000 = -81.6 kbps. Chromium
// rounds by adding one half and casting, which gives -81.
TEST(NadaOfChromium2015, CountsRatesFromTheLowestOne) {
  RateController controller(StartingAt(1000));
  controller.Update(Mode::kGradual, Ms(0), Kbps(1000), Ms(100), AtMs(0));
  ASSERT_EQ(controller.r_ref().kbps(), 1010);  // 100 * 24500 / 250000 = 9.8
  RateController other(StartingAt(1000));
  Parameters without_gradient = StartingAt(1000);
  without_gradient.eta = 0;
  other.Configure(without_gradient);
  other.Update(Mode::kGradual, Ms(20), Kbps(1000), Ms(100), AtMs(0));
  EXPECT_EQ(other.r_ref().kbps(), 1002);
  other.Configure(StartingAt(1000));
  other.Update(Mode::kGradual, Ms(40), Kbps(1000), Ms(100), AtMs(100));
  EXPECT_EQ(other.r_ref().kbps(), 1002 - 81);
}

TEST(NadaOfChromium2015, LeavesTheLowestRate) {
  RateController controller(StartingAt(50));
  controller.Update(Mode::kGradual, Ms(0), Kbps(50), Ms(100), AtMs(0));
  EXPECT_EQ(controller.r_ref().kbps(), 60);  // 50 + 9.8: R - R_min is 0, so x_hat does not matter
}

// 0.1 * 4 ms is rounded to 0, 0.1 * 5 ms to 1 ms: the smoothed delay first stays at 0, then moves by 1 ms.
TEST(NadaOfChromium2015, SmoothsWholeMilliseconds) {
  Parameters p = nada_chromium_2015();
  p.filter_samples = 1;
  DelayFilter filter(p);
  double now = 0;
  const auto add = [&](double delay_ms) {
    now += 10;
    filter.OnArrival(AtMs(now), AtMs(now + 50 + delay_ms), AtMs(now));
    return filter.queuing_delay().ms();
  };
  EXPECT_EQ(add(0), 0);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(add(4.4), 0);
  EXPECT_EQ(add(4.6), 1);  // 5 ms
  for (int i = 0; i < 100; ++i) add(4.6);
  EXPECT_EQ(filter.queuing_delay().ms(), 1);
}

// The middle two of 2, 3, 4 and 6 have a mean of 3.5, which is rounded up.
TEST(NadaOfChromium2015, TakesTheMedianOfWholeMilliseconds) {
  Parameters p = nada_chromium_2015();
  p.delay_smoothing = 1;
  p.filter_samples = 4;
  DelayFilter filter(p);
  double now = 0;
  for (const double delay : {0.0, 3.0, 2.0, 4.0, 6.0}) {
    now += 10;
    filter.OnArrival(AtMs(now), AtMs(now + delay), AtMs(now));
  }
  EXPECT_EQ(filter.queuing_delay().ms(), 4);
}

// 50 ((400 - 200) / 350)^4 = 5.33 ms; a loss of 0.16 % counts as 1.6 ms.
TEST(NadaOfChromium2015, WarpsAndPenalisesInWholeMilliseconds) {
  const Parameters p = nada_chromium_2015();
  EXPECT_EQ(WarpedDelay(Ms(200), 0, p).ms(), 5);
  EXPECT_EQ(CongestionSignal(Ms(5), 0.0016, 0, p).ms(), 7);
  EXPECT_EQ(CongestionSignal(Ms(5), 0.0004, 0, p).ms(), 5);
}

// The packets of a frame are sent 20 ms apart, and none of them is queued. If delays are measured from the encoder, all
// packets except the first of a frame are late.
TEST(NadaOfChromium2015, DelaysBeginAtTheEncoder) {
  for (const bool since_encoded : {true, false}) {
    Parameters p = nada_chromium_2015();
    if (!since_encoded) p.delay_sample = 0;
    Recorder recorder;
    Receiver receiver(p, 0, recorder);
    double seq = 0;
    for (int frame = 0; frame < 60; ++frame) {
      for (int packet = 0; packet < 5; ++packet) {
        const double sent = 100.0 * frame + 20 * packet;
        Arrival arrival;
        arrival.seq = seq++;
        arrival.send_time = AtMs(sent);
        arrival.arrival_time = AtMs(sent + 50);
        arrival.size = DataSize::Bytes(1200);
        arrival.rtp_timestamp = 9000.0 * frame;
        (void)receiver.OnArrival(arrival);
      }
    }
    const int table = static_cast<int>(TraceTable::kNada);
    const int last = recorder.rows(table) - 1;
    ASSERT_GT(last, 20);
    // The median of the last five delays is 40 ms. Smoothing in whole milliseconds stops a little below this value.
    const double queue_delay_ms = recorder.column(table, 4)[last];
    if (since_encoded) {
      EXPECT_GE(queue_delay_ms, 35);
      EXPECT_LE(queue_delay_ms, 40);
    } else {
      EXPECT_EQ(queue_delay_ms, 0);
    }
  }
}

// The signal rises by 5 or 12 ms within one interval, then stays: a rise of 10 ms or more prevents the ramp-up once.
TEST(NadaOfChromium2015, DoesNotRampUpOnARisingSignal) {
  for (const double rise_ms : {5.0, 12.0}) {
    Parameters p = nada_chromium_2015();
    p.delay_sample = 0;
    p.delay_smoothing = 1;
    p.filter_samples = 1;
    p.qeps_ms = 100;
    Recorder recorder;
    Receiver receiver(p, 0, recorder);
    double seq = 0;
    const auto mode_at = [&](double ms, double delay_ms) {
      Arrival arrival;
      arrival.seq = seq++;
      arrival.send_time = AtMs(ms);
      arrival.arrival_time = AtMs(ms + delay_ms);
      arrival.size = DataSize::Bytes(1200);
      const auto feedback = receiver.OnArrival(arrival);
      return feedback ? feedback->values[kMode] : -1;
    };
    EXPECT_EQ(mode_at(0, 50), 0);
    EXPECT_EQ(mode_at(100, 50), 0);
    EXPECT_EQ(mode_at(200 - rise_ms, 50 + rise_ms), rise_ms < 10 ? 0 : 1) << rise_ms;
    EXPECT_EQ(mode_at(300 - rise_ms, 50 + rise_ms), 0) << rise_ms;
  }
}

}  // namespace
}  // namespace ccscope::nada
