#include "units/units.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace ccscope {
namespace {

TEST(Units, ATimeReadsTheSameInEveryUnit) {
  EXPECT_EQ(TimeDelta::Millis(5).us(), 5000);
  EXPECT_EQ(TimeDelta::Seconds(1.5).ms(), 1500);
  EXPECT_EQ(TimeDelta::Micros(250).ms(), 0.25);
  EXPECT_EQ(TimeDelta::Micros(250000).seconds(), 0.25);
  EXPECT_EQ(Timestamp::Seconds(2).us(), 2e6);
  EXPECT_EQ(Timestamp::Millis(2).seconds(), 0.002);
}

TEST(Units, KiloIsAThousandAndAByteIsEightBits) {
  EXPECT_EQ(DataRate::KilobitsPerSec(300).bps(), 300000);
  EXPECT_EQ(DataRate::BitsPerSec(1500).kbps(), 1.5);
  EXPECT_EQ(DataSize::Bytes(1200).bits(), 9600);
  EXPECT_EQ(DataSize::Bits(9600).bytes(), 1200);
}

// 1,250 bytes are 10,000 bits: 10 ms at 1 Mbps.
TEST(Units, SizeRateAndTimeAreTwoOfAKind) {
  const DataSize size = DataSize::Bytes(1250);
  const TimeDelta time = TimeDelta::Millis(10);
  const DataRate rate = DataRate::KilobitsPerSec(1000);
  EXPECT_EQ(size / time, rate);
  EXPECT_EQ(size / rate, time);
  EXPECT_EQ(rate * time, size);
  EXPECT_EQ(time * rate, size);
}

TEST(Units, TimesDifferByDurations) {
  const Timestamp start = Timestamp::Millis(100);
  EXPECT_EQ(Timestamp::Millis(130) - start, TimeDelta::Millis(30));
  EXPECT_EQ(start - Timestamp::Millis(130), -TimeDelta::Millis(30));
  EXPECT_EQ(start + TimeDelta::Millis(5) - TimeDelta::Millis(10), Timestamp::Millis(95));
  Timestamp moved = start;
  moved += TimeDelta::Millis(1);
  EXPECT_GT(moved, start);
}

TEST(Units, QuantitiesOfAKindAddScaleAndCompare) {
  EXPECT_EQ(TimeDelta::Millis(1) + TimeDelta::Micros(500), TimeDelta::Micros(1500));
  EXPECT_EQ(TimeDelta::Millis(3) * 2 / 3, TimeDelta::Millis(2));
  EXPECT_EQ(TimeDelta::Millis(30) / TimeDelta::Millis(20), 1.5);
  TimeDelta time = TimeDelta::Millis(1);
  time += TimeDelta::Millis(2);
  time -= TimeDelta::Millis(4);
  EXPECT_EQ(time, -TimeDelta::Millis(1));
  DataSize size = DataSize::Bytes(100);
  size += DataSize::Bytes(50);
  size -= DataSize::Bytes(200);
  EXPECT_EQ(size, -DataSize::Bytes(50));
  EXPECT_EQ(DataSize::Bytes(300) / DataSize::Bytes(200), 1.5);
  EXPECT_LT(DataSize::Bytes(1) * 7 / 8, DataSize::Bytes(1));
  DataRate rate = DataRate::BitsPerSec(100);
  rate += DataRate::BitsPerSec(20);
  EXPECT_EQ((rate - DataRate::BitsPerSec(60)) * 3 / 2, DataRate::BitsPerSec(90));
  EXPECT_EQ(DataRate::KilobitsPerSec(3) / DataRate::KilobitsPerSec(2), 1.5);
}

TEST(Units, InfinityIsNotFinite) {
  EXPECT_FALSE(TimeDelta::PlusInfinity().IsFinite());
  EXPECT_FALSE(TimeDelta::MinusInfinity().IsFinite());
  EXPECT_FALSE(Timestamp::PlusInfinity().IsFinite());
  EXPECT_FALSE(Timestamp::MinusInfinity().IsFinite());
  EXPECT_FALSE(DataSize::PlusInfinity().IsFinite());
  EXPECT_FALSE(DataRate::PlusInfinity().IsFinite());
  EXPECT_FALSE((TimeDelta::PlusInfinity() - TimeDelta::PlusInfinity()).IsFinite());
  EXPECT_TRUE(TimeDelta::Zero().IsFinite());
  EXPECT_TRUE(Timestamp::Seconds(1e9).IsFinite());
  EXPECT_TRUE((DataSize::Bytes(1) / TimeDelta::Seconds(1)).IsFinite());
  EXPECT_LT(Timestamp::MinusInfinity(), Timestamp::Seconds(-1e9));
}

// One tick of abs-send-time is 2^-18 s = 15625/4096 us. A double holds each tick of the 64 s range exactly in
// microseconds: converting it back gives the same integer, and ticks add without rounding.
TEST(Units, AbsSendTimeIsExactInMicroseconds) {
  const TimeDelta tick = TimeDelta::Micros(15625.0 / 4096);
  EXPECT_EQ(tick.us() * 262144, 1e6);
  for (std::int64_t ticks = 0; ticks < (1 << 24); ticks += 9973) {
    const TimeDelta time = tick * static_cast<double>(ticks);
    EXPECT_EQ(time.us() * 4096, static_cast<double>(15625 * ticks)) << ticks;
    EXPECT_EQ((time + tick) - time, tick) << ticks;
  }
}

}  // namespace
}  // namespace ccscope
