#include "cc/send_clock.h"

#include <gtest/gtest.h>

namespace ccscope {
namespace {

constexpr double kAbsTicksPerSecond = 262144;   // 6.18 fixed point
constexpr double kAbsWrap = 16777216;           // 2^24: 64 s
constexpr double kRtpTicksPerSecond = 90000;
constexpr double kRtpWrap = 4294967296;         // 2^32: about 13 h 15 min

TEST(SendClock, AbsSendTimeGoesOnAcrossItsWrapAfter64Seconds) {
  SendClock clock;
  const Timestamp before = clock.UnwrapAbsSendTime(kAbsWrap - kAbsTicksPerSecond);
  const Timestamp after = clock.UnwrapAbsSendTime(kAbsTicksPerSecond / 2);
  EXPECT_EQ(after - before, TimeDelta::Millis(1500));
}

TEST(SendClock, AbsSendTimeGrowsThroughManyWraps) {
  SendClock clock;
  const Timestamp start = clock.UnwrapAbsSendTime(7);
  double ticks = 7;
  for (int i = 0; i < 1000; ++i) {
    ticks += 20 * kAbsTicksPerSecond;
    while (ticks >= kAbsWrap) ticks -= kAbsWrap;
    EXPECT_EQ(clock.UnwrapAbsSendTime(ticks) - start, TimeDelta::Seconds(20 * (i + 1)));
  }
}

TEST(SendClock, APacketReorderedAcrossTheWrapGoesBackALittle) {
  SendClock clock;
  const Timestamp first = clock.UnwrapAbsSendTime(kAbsWrap - 1000);
  const Timestamp second = clock.UnwrapAbsSendTime(24);
  const Timestamp late = clock.UnwrapAbsSendTime(kAbsWrap - 500);
  const Timestamp third = clock.UnwrapAbsSendTime(1048);
  const TimeDelta tick = TimeDelta::Micros(15625.0 / 4096);
  EXPECT_EQ(second - first, tick * 1024);
  EXPECT_EQ(late - first, tick * 500);
  EXPECT_EQ(third - first, tick * 2048);
}

// A step in the counter may be a step forward or backward. The shorter of the two is assumed. If both are half of the
// counter's range, the direction is undecidable.
TEST(SendClock, TheNearerWayRoundIsMeant) {
  const TimeDelta tick = TimeDelta::Micros(15625.0 / 4096);
  SendClock forward;
  const Timestamp a = forward.UnwrapAbsSendTime(0);
  EXPECT_EQ(forward.UnwrapAbsSendTime(kAbsWrap / 2 - 1) - a, tick * (kAbsWrap / 2 - 1));
  SendClock backward;
  const Timestamp b = backward.UnwrapAbsSendTime(0);
  EXPECT_EQ(backward.UnwrapAbsSendTime(kAbsWrap / 2 + 1) - b, -tick * (kAbsWrap / 2 - 1));
}

TEST(SendClock, RtpTimestampsGoOnAcrossTheirWrap) {
  SendClock clock;
  const Timestamp before = clock.UnwrapRtp90kHz(kRtpWrap - 3000);
  const Timestamp after = clock.UnwrapRtp90kHz(6000);
  EXPECT_NEAR((after - before).us(), 1e5, 1e-4);  // 9000 / 90 kHz = 100 ms
  const Timestamp late = clock.UnwrapRtp90kHz(kRtpWrap - 1500);
  EXPECT_NEAR((late - before).us(), 1e6 * 1500 / kRtpTicksPerSecond, 1e-4);
  EXPECT_NEAR((clock.UnwrapRtp90kHz(9000) - before).us(), 1e6 * 12000 / kRtpTicksPerSecond, 1e-4);
}

}  // namespace
}  // namespace ccscope
