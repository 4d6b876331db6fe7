#include "cc/pacer.h"

#include <gtest/gtest.h>

namespace ccscope {
namespace {

Timestamp Interval(int i) { return Timestamp() + Pacer::kInterval * i; }

// GRP ("Making GCC Robust over Wi-Fi Networks Using Packet Grouping", 2016): every 5 ms, the pacer sends queued packets
// with a budget of the pacing rate times 5 ms.
TEST(Pacer, SendsAtItsRateOverManyIntervals) {
  Pacer pacer;
  pacer.SetRate(DataRate::KilobitsPerSec(1500));
  DataSize sent;
  for (int interval = 0; interval < 2000; ++interval) {  // 10 s
    pacer.BeginInterval(Interval(interval), DataSize::Bytes(1240));
    while (pacer.may_send()) {
      pacer.OnSent(DataSize::Bytes(1240));
      sent += DataSize::Bytes(1240);
    }
  }
  EXPECT_NEAR((sent / TimeDelta::Seconds(10)).bps(), 1.5e6, 1240 * 8 / 10.0);
}

TEST(Pacer, DoesNotSaveUpWhatSilenceLeft) {
  Pacer pacer;
  pacer.SetRate(DataRate::KilobitsPerSec(1600));  // 1000 B per interval
  for (int silent = 0; silent < 100; ++silent) pacer.BeginInterval(Interval(silent), DataSize::Zero());
  int packets = 0;
  while (pacer.may_send()) {
    pacer.OnSent(DataSize::Bytes(600));
    ++packets;
  }
  EXPECT_EQ(packets, 2);  // the budget is positive after one packet of 600 B, negative after two
}

TEST(Pacer, PaysBackWhatWasOverdrawn) {
  Pacer pacer;
  pacer.SetRate(DataRate::KilobitsPerSec(1600));
  pacer.BeginInterval(Interval(0), DataSize::Zero());
  pacer.OnSent(DataSize::Bytes(3500));  // 2500 B in debt
  int waited = 0;
  do {
    pacer.BeginInterval(Interval(++waited), DataSize::Zero());
  } while (!pacer.may_send());
  EXPECT_EQ(waited, 3);
}

// The debt is 2500 B, and each interval has a budget of 1000 B. Nothing waits, so intervals 1 and 2 are never begun.
// Their budgets still count when interval 3 begins.
TEST(Pacer, PaysBackWhileNothingWaits) {
  Pacer pacer;
  pacer.SetRate(DataRate::KilobitsPerSec(1600));
  pacer.BeginInterval(Interval(0), DataSize::Zero());
  pacer.OnSent(DataSize::Bytes(3500));
  Pacer early = pacer;
  early.BeginInterval(Interval(2), DataSize::Zero());
  EXPECT_FALSE(early.may_send());
  pacer.BeginInterval(Interval(3), DataSize::Zero());
  EXPECT_TRUE(pacer.may_send());
}

// 400 kB in two seconds are 1.6 Mbps, 1000 B per interval, though the rate is 80 kbps.
TEST(Pacer, DrainsALongQueueWithinTwoSeconds) {
  Pacer pacer;
  pacer.SetRate(DataRate::KilobitsPerSec(80));
  pacer.BeginInterval(Interval(0), DataSize::Bytes(400e3));
  pacer.OnSent(DataSize::Bytes(999));
  EXPECT_TRUE(pacer.may_send());
  pacer.OnSent(DataSize::Bytes(1));
  EXPECT_FALSE(pacer.may_send());
}

}  // namespace
}  // namespace ccscope
