#include "cc/send_clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ccscope {
namespace {

constexpr double kAbsTicksPerSecond = 262144;   // 6.18 fixed point
constexpr double kAbsWrap = 16777216;           // 2^24: 64 s
constexpr double kRtpTicksPerSecond = 90000;
constexpr double kRtpWrap = 4294967296;         // 2^32: about 13 h 15 min

Timestamp At(double arrival_ms) { return Timestamp::Millis(arrival_ms); }

TEST(SendClock, AbsSendTimeGoesOnAcrossItsWrapAfter64Seconds) {
  SendClock clock;
  const Timestamp before = clock.UnwrapAbsSendTime(kAbsWrap - kAbsTicksPerSecond, At(0));
  const Timestamp after = clock.UnwrapAbsSendTime(kAbsTicksPerSecond / 2, At(1500));
  EXPECT_EQ(after - before, TimeDelta::Millis(1500));
}

TEST(SendClock, AbsSendTimeGrowsThroughManyWraps) {
  SendClock clock;
  const Timestamp start = clock.UnwrapAbsSendTime(7, At(0));
  double ticks = 7;
  for (int i = 0; i < 1000; ++i) {
    ticks += 20 * kAbsTicksPerSecond;
    while (ticks >= kAbsWrap) ticks -= kAbsWrap;
    EXPECT_EQ(clock.UnwrapAbsSendTime(ticks, At(20e3 * (i + 1))) - start, TimeDelta::Seconds(20 * (i + 1)));
  }
}

TEST(SendClock, APacketReorderedAcrossTheWrapGoesBackALittle) {
  SendClock clock;
  const Timestamp first = clock.UnwrapAbsSendTime(kAbsWrap - 1000, At(0));
  const Timestamp second = clock.UnwrapAbsSendTime(24, At(4));
  const Timestamp late = clock.UnwrapAbsSendTime(kAbsWrap - 500, At(5));
  const Timestamp third = clock.UnwrapAbsSendTime(1048, At(8));
  const TimeDelta tick = TimeDelta::Micros(15625.0 / 4096);
  EXPECT_EQ(second - first, tick * 1024);
  EXPECT_EQ(late - first, tick * 500);
  EXPECT_EQ(third - first, tick * 2048);
}

// The arrivals tell how often the counter wrapped in a pause, also if it wrapped several times or by more than half of
// its range. A delay that changed by less than 32 s changes nothing.
TEST(SendClock, TheArrivalsTellHowOftenItWrapped) {
  for (const double pause_s : {31.0, 33.0, 40.0, 63.0, 100.0, 128.0, 1000.0}) {
    for (const double longer_s : {-31.0, 0.0, 31.0}) {
      SendClock clock;
      const double ticks = 20 * kAbsTicksPerSecond;
      const Timestamp before = clock.UnwrapAbsSendTime(ticks, At(100e3));
      const double wrapped = std::fmod(ticks + pause_s * kAbsTicksPerSecond, kAbsWrap);
      const Timestamp after = clock.UnwrapAbsSendTime(wrapped, At(100e3 + 1e3 * (pause_s + longer_s)));
      EXPECT_EQ(after - before, TimeDelta::Seconds(pause_s)) << pause_s << " s, delayed by " << longer_s << " s";
    }
  }
}

TEST(SendClock, RtpTimestampsGoOnAcrossTheirWrap) {
  SendClock clock;
  const Timestamp before = clock.UnwrapRtp90kHz(kRtpWrap - 3000, At(0));
  const Timestamp after = clock.UnwrapRtp90kHz(6000, At(100));
  EXPECT_NEAR((after - before).us(), 1e5, 1e-4);  // 9000 / 90 kHz = 100 ms
  const Timestamp late = clock.UnwrapRtp90kHz(kRtpWrap - 1500, At(105));
  EXPECT_NEAR((late - before).us(), 1e6 * 1500 / kRtpTicksPerSecond, 1e-4);
  EXPECT_NEAR((clock.UnwrapRtp90kHz(9000, At(133)) - before).us(), 1e6 * 12000 / kRtpTicksPerSecond, 1e-4);
}

}  // namespace
}  // namespace ccscope
