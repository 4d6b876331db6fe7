#include "cc/gcc/live/room_for_waits.h"

#include <gtest/gtest.h>

namespace ccscope::gcc {
namespace {

// Feeds `seconds` of frames, 30 a second. Of every ten frames, `of_ten` wait for 80 ms, the others for 20 ms.
void Wait(RoomForWaits& room, double& now_s, int of_ten, double seconds, bool bunched = false) {
  for (int i = 0; i < seconds * 30; ++i, now_s += 1.0 / 30) {
    room.OnFrame(TimeDelta::Millis(i % 10 < of_ten ? 80 : 20), bunched, Timestamp::Seconds(now_s));
  }
}

TEST(RoomForWaits, IsMadeWhereFramesWaitAgainAndAgainAndGivenBackSlowly) {
  RoomForWaits room;
  double now_s = 0;
  Wait(room, now_s, 0, 5);
  EXPECT_EQ(room.room(), 0);
  Wait(room, now_s, 1, 2.9);
  EXPECT_EQ(room.room(), 0);
  Wait(room, now_s, 1, 2.6);
  const double made = room.room();
  // Each second with long waits adds 0.08, but nothing is added until there were four such seconds. The room is then
  // 0.32. A fifth such second would raise it to the maximum, 0.35.
  EXPECT_GT(made, 0.3);
  EXPECT_LE(made, 0.35);
  Wait(room, now_s, 0, 5);
  EXPECT_LT(room.room(), made);
  EXPECT_GT(room.room(), made - 0.035);
  Wait(room, now_s, 0, 80);
  EXPECT_EQ(room.room(), 0);
}

// A queue builds up once, so frames have to wait during two seconds. The start of a flow causes such a queue, too. So a
// single queue must not raise the room.
TEST(RoomForWaits, IsNotMadeByASingleQueue) {
  RoomForWaits room;
  double now_s = 0;
  for (int i = 0; i < 5; ++i) {
    Wait(room, now_s, 10, 1.9);
    EXPECT_EQ(room.room(), 0);
    Wait(room, now_s, 0, 20);
  }
}

TEST(RoomForWaits, IsBounded) {
  RoomForWaits room;
  double now_s = 0;
  Wait(room, now_s, 10, 60);
  EXPECT_NEAR(room.room(), 0.35, 1e-9);
}

TEST(RoomForWaits, IsNotMadeWhereTheMachineIsLate) {
  RoomForWaits room;
  double now_s = 0;
  Wait(room, now_s, 10, 60, true);
  EXPECT_EQ(room.room(), 0);
  // Frames are bunched if they arrive closer together than the link can deliver them. One bunched frame in each half
  // second is enough to attribute the waits to the machine.
  for (int i = 0; i < 600; ++i, now_s += 1.0 / 30) room.OnFrame(TimeDelta::Millis(80), i % 15 == 0, Timestamp::Seconds(now_s));
  EXPECT_EQ(room.room(), 0);
}

}  // namespace
}  // namespace ccscope::gcc
