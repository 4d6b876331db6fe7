#include "cc/live/room_for_drops.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cc/live/encoder_share.h"

namespace ccscope::gcc {
namespace {

Timestamp At(double s) { return Timestamp::Seconds(s); }

TEST(RoomForDrops, IsMadeBySecondsWithLossesAndGivenBackSlowly) {
  RoomForDrops room;
  for (double s = 0; s < 10; s += 0.1) room.Update(false, At(s));
  EXPECT_EQ(room.room(), 0);
  room.Update(true, At(10.2));
  EXPECT_FALSE(room.LostIn(TimeDelta::Millis(600), At(11)));
  EXPECT_TRUE(room.LostIn(TimeDelta::Millis(600), At(10.7)));
  for (double s = 10.3; s < 13; s += 0.1) room.Update(false, At(s));
  EXPECT_GT(room.room(), 0.015);
  EXPECT_LE(room.room(), 0.03);
  for (double s = 13; s < 30; s += 0.1) room.Update(false, At(s));
  EXPECT_EQ(room.room(), 0);
}

// "Room" is the fraction of the capacity that is left unused. After two seconds with losses, the room counts as large.
// Three further seconds with losses show that room does not prevent the losses.
TEST(RoomForDrops, GivesUpOnLossesThatGoOnWhateverRoomThereIs) {
  RoomForDrops room;
  double most = 0;
  double s = 0;
  for (; s < 3.9; s += 0.1) {
    room.Update(true, At(s));
    most = std::max(most, room.room());
  }
  EXPECT_NEAR(most, 0.12, 1e-9);
  EXPECT_FALSE(room.AreOfThePath(At(s)));
  for (; s < 20; s += 0.1) room.Update(true, At(s));
  EXPECT_NEAR(room.room(), 0.03, 1e-9);
  EXPECT_TRUE(room.AreOfThePath(At(s)));
  EXPECT_FALSE(room.AreOfThePath(At(s + 30)));
  most = 0;
  for (; s < 60; s += 0.1) {
    room.Update(true, At(s));
    most = std::max(most, room.room());
  }
  EXPECT_NEAR(most, 0.12, 1e-9);  // half a minute later, the room grows again
}

// Whether losses are ever attributed to the path, if there is a loss in one of every `period` seconds.
bool EverOfThePath(int period) {
  RoomForDrops room;
  for (int s = 0; s < 300; ++s) {
    room.Update(s % period == 0, At(s));
    if (room.AreOfThePath(At(s))) return true;
  }
  return false;
}

// At 1 Mbps, a random loss of 0.5 % affects two seconds in five. CoDel drops less often: each drop makes some room, and
// CoDel drops again only when that room is gone, after more than seven seconds.
TEST(RoomForDrops, TellsRareLossesOfThePathFromThoseThatRoomPrevents) {
  EXPECT_TRUE(EverOfThePath(2));
  EXPECT_TRUE(EverOfThePath(4));
  EXPECT_FALSE(EverOfThePath(8));
  EXPECT_FALSE(EverOfThePath(15));
}

constexpr DataRate kAsked = DataRate::BitsPerSec(1e6);
constexpr TimeDelta kEach = TimeDelta::Millis(100);

double ShareAfter(EncoderShare& share, double of_asked, double seconds, bool has_room = false, bool may_be_less = true) {
  for (double s = 0; s < seconds; s += 0.1) {
    share.OnAsked(kAsked, kEach);
    share.OnDelivered({kAsked * of_asked, kAsked * of_asked, has_room, may_be_less}, kEach);
  }
  return share.value();
}

TEST(EncoderShare, ComesToWhatTheEncoderMakesOfItsTarget) {
  EncoderShare share;
  EXPECT_NEAR(ShareAfter(share, 0.9, 12), 0.9, 0.005);
  EXPECT_NEAR(ShareAfter(share, 1.04, 6), 1.04, 0.005);
  EXPECT_NEAR(ShareAfter(share, 0.3, 20), 0.8, 0.005);  // the estimate of the share is never below 0.8
  EXPECT_NEAR(ShareAfter(share, 2, 20), 1.05, 0.005);
}

TEST(EncoderShare, RisesFasterThanItFallsAndFallsFasterWhereThereIsRoom) {
  EncoderShare slow;
  EncoderShare fast;
  ShareAfter(slow, 1, 10);
  ShareAfter(fast, 1, 10);
  const double fallen = ShareAfter(slow, 0.9, 1);
  const double fallen_fast = ShareAfter(fast, 0.9, 1, true);
  EXPECT_GT(fallen, fallen_fast + 0.01);
  EXPECT_LT(fallen, 0.96);
  EncoderShare rising;
  ShareAfter(rising, 0.9, 15);
  EXPECT_GT(ShareAfter(rising, 1, 1) - 0.9, 1 - fallen + 0.01);
}

TEST(EncoderShare, DoesNotFallWhereSomethingIsLostOrWaitsAndRisesWithAQueue) {
  EncoderShare share;
  ShareAfter(share, 1, 10);
  EXPECT_NEAR(ShareAfter(share, 0.5, 5, false, false), 1, 0.005);
  share.OnQueue(TimeDelta::Millis(50), TimeDelta::Millis(100));
  EXPECT_NEAR(share.value(), 1.04, 0.005);
  share.OnQueue(TimeDelta::Seconds(10), TimeDelta::Seconds(10));
  EXPECT_NEAR(share.value(), 1.05, 1e-6);
}

}  // namespace
}  // namespace ccscope::gcc
