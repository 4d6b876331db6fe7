#include "cc/gcc/received_rate.h"

#include <gtest/gtest.h>

namespace ccscope::gcc {
namespace {

constexpr TimeDelta kWindow = TimeDelta::Millis(500);

TEST(ArrivalRate, IsTheRateOfASteadyStream) {
  ArrivalRate rate(kWindow);
  for (int ms = 0; ms < 1000; ms += 10) rate.Add(DataSize::Bytes(1250), Timestamp::Millis(ms));
  const auto seen = rate.Rate(Timestamp::Millis(999));
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->kbps(), 1000, 1);
}

TEST(ArrivalRate, ForgetsWhatIsOlderThanTheWindow) {
  ArrivalRate rate(kWindow);
  rate.Add(DataSize::Bytes(100000), Timestamp::Millis(0));
  for (int ms = 1000; ms < 2000; ms += 10) rate.Add(DataSize::Bytes(1250), Timestamp::Millis(ms));
  EXPECT_NEAR(rate.Rate(Timestamp::Millis(1999))->kbps(), 1000, 1);
  EXPECT_EQ(rate.Rate(Timestamp::Millis(2600))->bps(), 0);
  EXPECT_EQ(rate.Rate(Timestamp::Seconds(3600))->bps(), 0);
}

TEST(ArrivalRate, IsUnknownAtFirst) {
  ArrivalRate rate(kWindow);
  EXPECT_FALSE(rate.Rate(Timestamp::Millis(0)));
  rate.Add(DataSize::Bytes(1250), Timestamp::Millis(7));
  EXPECT_FALSE(rate.Rate(Timestamp::Millis(7)));
  EXPECT_TRUE(rate.Rate(Timestamp::Millis(17)));
}

TEST(WireRate, IsTheSlopeOfTheCounterOverTheWindow) {
  WireRate rate;
  for (int i = 0; i <= 20; ++i) {
    const double bytes = i < 10 ? 0 : 6250.0 * (i - 10);  // 1 Mbps, read each 50 ms, since 500 ms ago
    rate.Add({.time = Timestamp::Millis(50 * i), .packets_received = 0, .packets_lost = 0, .received = DataSize::Bytes(bytes)});
  }
  const auto seen = rate.Rate(kWindow);
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->kbps(), 1000, 1e-6);
}

TEST(WireRate, IsUnknownFromReadingsThatAreTooClose) {
  WireRate rate;
  rate.Add({.time = Timestamp::Millis(0), .packets_received = 0, .packets_lost = 0, .received = DataSize::Bytes(0)});
  EXPECT_FALSE(rate.Rate(kWindow));
  rate.Add({.time = Timestamp::Millis(100), .packets_received = 9, .packets_lost = 0, .received = DataSize::Bytes(9000)});
  EXPECT_FALSE(rate.Rate(kWindow));
  rate.Add({.time = Timestamp::Millis(200), .packets_received = 18, .packets_lost = 0, .received = DataSize::Bytes(18000)});
  EXPECT_NEAR(rate.Rate(kWindow)->kbps(), 720, 1e-6);
}

}  // namespace
}  // namespace ccscope::gcc
