#include "cc/live/capacity_bound.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ccscope {
namespace {

constexpr DataRate kMbps = DataRate::BitsPerSec(1e6);

// 30 frames a second through an ideal first-in first-out link of `capacity_mbps`. Each packet of a frame has up to 1173
// B of payload and 63 B of headers.
class Call {
 public:
  explicit Call(double capacity_mbps) : capacity_mbps_(capacity_mbps) {}
  void SetCapacity(double capacity_mbps) { capacity_mbps_ = capacity_mbps; }

  void Frames(int count, double wire_bytes) {
    for (; count > 0; --count, ++frame_) {
      const double send_ms = frame_ * 1000.0 / 30;
      const double wire = wire_bytes * (0.8 + 0.1 * (frame_ % 5));
      free_ms_ = std::max(free_ms_, send_ms) + wire * 8 / (capacity_mbps_ * 1000);
      Arrival arrival;
      arrival.seq = frame_;
      arrival.send_time = Timestamp::Millis(send_ms);
      arrival.arrival_time = Timestamp::Millis(free_ms_ + 25);
      arrival.size = DataSize::Bytes(wire - 63 * std::max(1.0, std::ceil(wire / 1236)));
      now_ = arrival.arrival_time;
      bound.OnFrame(arrival);
    }
  }
  Timestamp now() const { return now_; }

  CapacityBound bound;

 private:
  double capacity_mbps_;
  int frame_ = 0;
  double free_ms_ = 0;
  Timestamp now_;
};

// The fraction of its target that an encoder is assumed to send at first (encoder_share.h).
constexpr double kFirstShare = 0.8;

TEST(CapacityBound, FillsTheCapacityWhereNothingQueues) {
  Call call(1);
  EXPECT_FALSE(call.bound.Next(kMbps, call.now()));
  call.Frames(60, 2500);  // 0.6 Mbps
  const auto bound = call.bound.Next(kMbps * 0.6, call.now());
  ASSERT_TRUE(bound);
  EXPECT_NEAR(bound->bps() * kFirstShare, 0.985e6, 0.02e6);
  EXPECT_TRUE(call.bound.ShowsRoom(kMbps * 0.6));
  EXPECT_FALSE(call.bound.ShowsRoom(kMbps * 0.9));
  EXPECT_FALSE(call.bound.IsUrgent(kMbps * 0.6));
}

// The capacity falls from 1.5 to 0.6 Mbps while 1.35 Mbps are sent. Two frames show the fall. The bound on the target
// rate is then far below 0.6 Mbps until the backlog has drained.
TEST(CapacityBound, FollowsAFallAtOnceAndDrainsWhatItLeft) {
  Call call(1.5);
  call.Frames(90, 5600);
  call.SetCapacity(0.6);
  call.Frames(3, 5600);
  EXPECT_TRUE(call.bound.IsUrgent(kMbps * 1.35));
  const auto bound = call.bound.Next(kMbps * 1.35, call.now());
  ASSERT_TRUE(bound);
  EXPECT_LT(bound->bps(), 0.2e6);
  call.Frames(140, 1500);  // 0.36 Mbps
  const auto after = call.bound.Next(kMbps * 0.36, call.now());
  ASSERT_TRUE(after);
  EXPECT_NEAR(after->bps(), 0.985 * 0.6e6, 0.03e6);
}

// At 0.6 Mbps, a frame takes more than twice as long as at 1.5 Mbps.
TEST(CapacityBound, IsLowWhileASingleFrameShowsAFall) {
  Call call(1.5);
  call.Frames(90, 4000);  // 0.96 Mbps
  EXPECT_FALSE(call.bound.IsUrgent(kMbps * 0.96));
  call.SetCapacity(0.6);
  call.Frames(1, 4000);
  EXPECT_TRUE(call.bound.IsUrgent(kMbps * 0.96));
  EXPECT_LT(call.bound.Next(kMbps * 0.96, call.now())->bps(), 0.1e6);
  call.SetCapacity(1.5);
  call.Frames(2, 2000);
  EXPECT_FALSE(call.bound.IsUrgent(kMbps * 0.96));
  EXPECT_GT(call.bound.Next(kMbps * 0.96, call.now())->bps(), 1e6);
}

TEST(CapacityBound, LeavesRoomWhereTheQueueDrops) {
  Call call(1);
  call.Frames(60, 2500);
  for (int i = 0; i < 5; ++i) {
    call.bound.OnLoss(0.02, call.now());
    call.Frames(30, 2500);
  }
  const auto bound = call.bound.Next(kMbps * 0.6, call.now());
  ASSERT_TRUE(bound);
  EXPECT_LT(bound->bps() * kFirstShare, 0.92e6);
  EXPECT_GT(bound->bps() * kFirstShare, 0.8e6);
}

}  // namespace
}  // namespace ccscope
