#include "cc/received_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

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

// Compares the rate with the plain sum over the last 500 buckets of 1 ms, for frames of many sizes at irregular times.
TEST(ArrivalRate, IsTheSumOfWhatCameInTheWindow) {
  struct Seen {
    double ms;
    double bytes;
  };
  std::vector<Seen> seen;
  ArrivalRate rate(kWindow);
  std::uint32_t random = 1;
  double now_ms = 1234;
  for (int i = 0; i < 3000; ++i) {
    random = random * 1664525u + 1013904223u;
    now_ms += random % 97 == 0 ? 700 : (random >> 8) % 25;
    const double bytes = (random >> 16) % 5000;
    rate.Add(DataSize::Bytes(bytes), Timestamp::Millis(now_ms));
    seen.push_back({now_ms, bytes});
    double sum = 0;
    for (const Seen& s : seen) sum += s.ms > now_ms - 500 ? s.bytes : 0;
    const double span_ms = std::min(now_ms - seen.front().ms + 1, 500.0);
    const auto measured = rate.Rate(Timestamp::Millis(now_ms));
    if (span_ms < 2) continue;
    ASSERT_TRUE(measured);
    ASSERT_NEAR(measured->bps(), sum * 8 / (span_ms / 1e3), 1e-3) << i;
  }
}

TEST(ArrivalRate, AGapAsLongAsTheWindowEmptiesIt) {
  ArrivalRate rate(kWindow);
  for (int ms = 0; ms < 600; ms += 10) rate.Add(DataSize::Bytes(1250), Timestamp::Millis(ms));
  EXPECT_GT(rate.Rate(Timestamp::Millis(1089))->bps(), 0);
  EXPECT_EQ(rate.Rate(Timestamp::Millis(1090))->bps(), 0);
  rate.Add(DataSize::Bytes(1250), Timestamp::Millis(1100));
  EXPECT_DOUBLE_EQ(rate.Rate(Timestamp::Millis(1100))->bps(), 1250 * 8 / 0.5);
}

TEST(ArrivalRate, AnArrivalFromBeforeTheWindowDoesNotCount) {
  ArrivalRate rate(kWindow);
  rate.Add(DataSize::Bytes(1000), Timestamp::Millis(0));
  rate.Add(DataSize::Bytes(1000), Timestamp::Millis(1000));
  rate.Add(DataSize::Bytes(1000), Timestamp::Millis(501));
  rate.Add(DataSize::Bytes(1000), Timestamp::Millis(500));
  EXPECT_DOUBLE_EQ(rate.Rate(Timestamp::Millis(1000))->bps(), 2000 * 8 / 0.5);
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
    const double bytes = i < 10 ? 0 : 6250.0 * (i - 10);  // nothing for 500 ms, then 1 Mbps for 500 ms
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

TEST(WireRate, StartsAgainWithACounterThatWasRestarted) {
  WireRate rate;
  const auto add = [&rate](int ms, double bytes) {
    rate.Add({.time = Timestamp::Millis(ms), .packets_received = 0, .packets_lost = 0, .received = DataSize::Bytes(bytes)});
  };
  for (int i = 0; i <= 20; ++i) add(50 * i, 1e6 + 6250 * i);
  for (int i = 0; i <= 20; ++i) {
    add(1050 + 50 * i, 6250 * i);
    const auto seen = rate.Rate(kWindow);
    ASSERT_EQ(seen.has_value(), i > 2) << i;  // a rate needs readings at least a quarter of the window apart
    if (seen) {
      ASSERT_NEAR(seen->kbps(), 1000, 1e-6) << i;
    }
  }
}

}  // namespace
}  // namespace ccscope::gcc
