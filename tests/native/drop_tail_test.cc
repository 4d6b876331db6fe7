#include "sim/queue_disc/drop_tail.h"

#include <gtest/gtest.h>

#include <vector>

namespace ccscope {
namespace {

struct Drops final : DropSink {
  void OnDrop(const Packet& packet, DropReason reason, Timestamp) override {
    EXPECT_EQ(reason, DropReason::kQueueFull);
    ids.push_back(packet.id);
  }
  std::vector<double> ids;
};

Packet MakePacket(double id, double bytes) { return {.id = id, .size = DataSize::Bytes(bytes)}; }

TEST(DropTail, LimitAsATimeIsTimesCapacityOverEight) {
  DropTail queue(DropTail::Params::Time(TimeDelta::Millis(300)));
  queue.OnCapacity(DataRate::KilobitsPerSec(1000));
  EXPECT_DOUBLE_EQ(queue.byte_limit().bytes(), 37500);
  queue.OnCapacity(DataRate::KilobitsPerSec(600));
  EXPECT_DOUBLE_EQ(queue.byte_limit().bytes(), 22500);
  queue.OnCapacity(DataRate::Zero());  // an outage does not change the limit
  EXPECT_DOUBLE_EQ(queue.byte_limit().bytes(), 22500);
}

TEST(DropTail, APacketThatFitsExactlyStaysOneByteMoreIsDropped) {
  const Timestamp now;
  Drops drops;
  DropTail exact(DropTail::Params::Bytes(DataSize::Bytes(3000)));
  exact.Enqueue(MakePacket(1, 1500), now, drops);
  exact.Enqueue(MakePacket(2, 1500), now, drops);
  EXPECT_TRUE(drops.ids.empty());
  exact.Enqueue(MakePacket(3, 1), now, drops);
  EXPECT_EQ(drops.ids, std::vector<double>{3});
  EXPECT_DOUBLE_EQ(exact.stats().bytes.bytes(), 3000);
  EXPECT_EQ(exact.stats().packets, 2);
  EXPECT_EQ(exact.stats().dropped, 1);
}

TEST(DropTail, LimitInPacketsCountsPackets) {
  const Timestamp now;
  Drops drops;
  DropTail queue(DropTail::Params::Packets(3));
  for (int id = 1; id <= 5; ++id) queue.Enqueue(MakePacket(id, 40.0 * id), now, drops);
  EXPECT_EQ(drops.ids, (std::vector<double>{4, 5}));
}

TEST(DropTail, AnEmptyQueueTakesAnyPacket) {
  Drops drops;
  DropTail queue(DropTail::Params::Bytes(DataSize::Bytes(1000)));
  queue.Enqueue(MakePacket(1, 50000), {}, drops);
  EXPECT_TRUE(drops.ids.empty());
  queue.Enqueue(MakePacket(2, 1), {}, drops);
  EXPECT_EQ(drops.ids, std::vector<double>{2});
}

TEST(DropTail, LeavesInOrderOfArrivalOverManyWraps) {
  Drops drops;
  DropTail queue(DropTail::Params::Packets(100));
  double in = 0;
  double out = 0;
  for (int round = 0; round < 500; ++round) {
    for (int i = 0; i < round % 7 + 1 && queue.stats().packets < 100; ++i)
      queue.Enqueue(MakePacket(in++, 100), {}, drops);
    for (int i = 0; i < round % 5 + 1; ++i) {
      const auto packet = queue.Dequeue({}, drops);
      if (!packet) break;
      ASSERT_EQ(packet->id, out++);
    }
  }
  EXPECT_TRUE(drops.ids.empty());
  EXPECT_GT(out, 1000);
  EXPECT_EQ(queue.stats().packets, in - out);
  EXPECT_EQ(queue.stats().bytes.bytes(), 100 * (in - out));
}

}  // namespace
}  // namespace ccscope
