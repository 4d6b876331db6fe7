#include "cc/pacer.h"

#include <gtest/gtest.h>

namespace ccscope {
namespace {

// GRP: the queue is drained each 5 ms with a budget of the pacing rate times 5 ms.
TEST(Pacer, SendsAtItsRateOverManyIntervals) {
  Pacer pacer;
  pacer.SetRate(DataRate::KilobitsPerSec(1500));
  DataSize sent;
  for (int interval = 0; interval < 2000; ++interval) {  // 10 s
    pacer.BeginInterval();
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
  for (int silent = 0; silent < 100; ++silent) pacer.BeginInterval();
  int packets = 0;
  while (pacer.may_send()) {
    pacer.OnSent(DataSize::Bytes(600));
    ++packets;
  }
  EXPECT_EQ(packets, 2);  // 1000 - 600 > 0, 1000 - 1200 < 0
}

TEST(Pacer, PaysBackWhatWasOverdrawn) {
  Pacer pacer;
  pacer.SetRate(DataRate::KilobitsPerSec(1600));
  pacer.BeginInterval();
  pacer.OnSent(DataSize::Bytes(3500));  // 2500 B in debt
  int waited = 0;
  do {
    pacer.BeginInterval();
    ++waited;
  } while (!pacer.may_send());
  EXPECT_EQ(waited, 3);
}

}  // namespace
}  // namespace ccscope
