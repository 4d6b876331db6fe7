#include "trace/recorder.h"

#include <gtest/gtest.h>

namespace ccscope {
namespace {

constexpr int kInbound = static_cast<int>(TraceTable::kInbound);
constexpr int kQueue = static_cast<int>(TraceTable::kQueue);
constexpr int kArrival = static_cast<int>(TraceTable::kArrival);

InboundRow Inbound(double n) { return {n, n + 0.1, n + 0.2, n + 0.3, n + 0.4}; }

TEST(Recorder, KeepsARowAsOneNumberPerColumn) {
  Recorder recorder;
  recorder.Output(Inbound(10));
  recorder.Output(Inbound(20));
  ASSERT_EQ(recorder.rows(kInbound), 2);
  for (int row = 0; row < 2; ++row) {
    const double n = 10 * (row + 1);
    EXPECT_EQ(recorder.column(kInbound, 0)[row], n);
    EXPECT_EQ(recorder.column(kInbound, 1)[row], n + 0.1);
    EXPECT_EQ(recorder.column(kInbound, 2)[row], n + 0.2);
    EXPECT_EQ(recorder.column(kInbound, 3)[row], n + 0.3);
    EXPECT_EQ(recorder.column(kInbound, 4)[row], n + 0.4);
  }
  EXPECT_EQ(recorder.rows(kQueue), 0);
  EXPECT_TRUE(recorder.input_order().empty());
}

TEST(Recorder, KeepsTheOrderOfInputsAcrossTables) {
  Recorder recorder;
  recorder.Input(ArrivalRow{});
  recorder.Input(Inbound(1));
  recorder.Output(QueueRow{});
  recorder.Input(ArrivalRow{});
  EXPECT_EQ(recorder.input_order(), (std::vector<std::uint8_t>{kArrival, kInbound, kArrival}));
  EXPECT_EQ(recorder.rows(kArrival), 2);
}

TEST(Recorder, IsEmptyAfterItWasClearedAndKeepsItsStorage) {
  Recorder recorder;
  for (int i = 0; i < 100; ++i) recorder.Input(Inbound(i));
  const double* storage = recorder.column(kInbound, 0);
  recorder.Clear();
  EXPECT_EQ(recorder.rows(kInbound), 0);
  EXPECT_TRUE(recorder.input_order().empty());
  for (int i = 0; i < 100; ++i) recorder.Input(Inbound(-i));
  EXPECT_EQ(recorder.column(kInbound, 0), storage);
  EXPECT_EQ(recorder.column(kInbound, 0)[99], -99);
}

}  // namespace
}  // namespace ccscope
