#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>

#include "abi/ccscope.h"

namespace ccscope {
namespace {

// FNV-1a over the bytes of doubles.
std::uint32_t Hash(const double* values, int count, std::uint32_t hash) {
  for (int i = 0; i < count; ++i) {
    unsigned char bytes[sizeof(double)];
    std::memcpy(bytes, values + i, sizeof(double));
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 16777619u;
  }
  return hash;
}

// A link whose queue is DropTail with a limit in ms.
void* MakeLink(double capacity_bps, double limit_ms, double burst_bytes, double delay_us, double loss, double jitter_us,
               double seed) {
  const double limits[] = {limit_ms, 0, 0};
  std::memcpy(ccs_input_buffer(3), limits, sizeof limits);
  return ccs_link_create(capacity_bps, 0, 3, 0, burst_bytes, delay_us, loss, jitter_us, seed);
}

// Sets a schedule of one step; returns the status.
int SetSchedule(void* link, double at_us, double capacity_bps) {
  double* step = ccs_input_buffer(2);
  step[0] = at_us;
  step[1] = capacity_bps;
  return ccs_link_set_schedule(link, 1);
}

// tests/node/link.test.ts sends the same packets through the WebAssembly module and expects the same hash: the results
// of both builds are equal to the last bit.
TEST(LinkAbi, LossJitterAndCapacityChangesHaveTheBitsOfTheWebAssemblyModule) {
  void* link = MakeLink(1e6, 50, 5000, 25000, 0.05, 5000, 42);
  ASSERT_NE(link, nullptr);
  ASSERT_EQ(SetSchedule(link, 700000, 333333), 0);
  std::uint32_t hash = 2166136261u;
  for (int i = 0; i < 500; ++i) {
    const double dropped = ccs_link_enqueue(link, i, 100 + (i * 37) % 1300, 0, i * 3001.3);
    hash = Hash(&dropped, 1, hash);
  }
  const int delivered = ccs_link_poll(link, 1e8);
  hash = Hash(ccs_link_deliveries(link), delivered * 6, hash);
  hash = Hash(ccs_link_drops(link), ccs_link_drop_count(link) * 5, hash);
  EXPECT_GT(delivered, 100);
  EXPECT_GT(ccs_link_drop_count(link), 100);
  EXPECT_EQ(hash, 2667528219u);
  ccs_link_destroy(link);
}

TEST(LinkAbi, RefusesWhatIsNoNumberAndNamesTheField) {
  EXPECT_EQ(MakeLink(std::nan(""), 300, 5000, 0, 0, 0, 1), nullptr);
  EXPECT_EQ(std::string(ccs_last_error()).substr(0, 12), "capacityBps:");
  void* link = MakeLink(1e6, 300, 5000, 0, 0, 0, 1);
  ASSERT_NE(link, nullptr);
  EXPECT_EQ(ccs_link_enqueue(link, 1, std::nan(""), 0, 0), -1);
  EXPECT_EQ(ccs_link_enqueue(link, std::nan(""), 100, 0, 0), -1);
  EXPECT_EQ(ccs_link_enqueue(link, 1, 100, 0, HUGE_VAL), -1);
  EXPECT_EQ(ccs_link_poll(link, std::nan("")), -1);
  EXPECT_EQ(ccs_link_set_capacity(link, -1, 0), 1);
  EXPECT_EQ(SetSchedule(link, std::nan(""), 1e6), 1);
  EXPECT_EQ(ccs_link_set_schedule(link, -1), 1);
  ccs_link_destroy(link);
}

}  // namespace
}  // namespace ccscope
