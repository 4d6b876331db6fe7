// GCC as in Fig. 3 of CMP ("Congestion Control for RTC: a Comparison NADA/GCC", 2016): the receiver half sends d_m, and
// the filter runs in the sender half.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "cc/gcc/feedback_values.h"
#include "cc/gcc/receiver.h"
#include "cc/gcc/sender.h"
#include "tests/native/gcc_support.h"
#include "trace/rows.h"
#include "units/random.h"

namespace ccscope::gcc {
namespace {

std::vector<GroupRow> Groups(const Recorder& recorder) {
  constexpr int kTable = static_cast<int>(GroupRow::kTable);
  std::vector<GroupRow> rows(static_cast<std::size_t>(recorder.rows(kTable)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto* values = reinterpret_cast<double*>(&rows[i]);
    for (int c = 0; c < static_cast<int>(sizeof(GroupRow) / sizeof(double)); ++c) values[c] = recorder.column(kTable, c)[i];
  }
  return rows;
}

// Frames of two packets pass through a serial link whose capacity falls for a while. In every third frame, the packets
// are 9 ms apart and form two groups. If `burst` is true, 200 packets follow, which were sent 20 ms apart and arrive
// almost at once.
std::vector<Arrival> Call(bool burst) {
  std::vector<Arrival> arrivals;
  Random random(5);
  double free_us = 0;
  for (int i = 0; i < 1500; ++i) {
    const double send_us = std::floor(i / 2) * 33333.0 + i % 2 * (i % 3 == 0 ? 9000.0 : 1000.0);
    const double capacity = i > 500 && i < 900 ? 5e5 : 8e5;
    const double size = 900 + 300 * random.Uniform();
    free_us = std::max(free_us, send_us) + size * 8e6 / capacity;
    arrivals.push_back({static_cast<double>(i), Timestamp::Micros(send_us), Timestamp::Micros(free_us + 50e3 + 3e3 * random.Uniform()),
                        DataSize::Bytes(size), std::nullopt, false, std::nullopt});
  }
  if (!burst) return arrivals;
  const double end_us = arrivals.back().arrival_time.us();
  for (int i = 0; i < 200; ++i) {
    arrivals.push_back({1500.0 + i, Timestamp::Micros(end_us + i * 20e3), Timestamp::Micros(end_us + 5e6 + i * 10),
                        DataSize::Bytes(1000), std::nullopt, false, std::nullopt});
  }
  return arrivals;
}

struct Halves {
  explicit Halves(const Parameters& p) : receiver(p, 0, received), sender(p, 0, sent) {}
  // Feedback reaches the sender at once.
  void Run(const std::vector<Arrival>& arrivals) {
    for (const Arrival& arrival : arrivals) {
      const auto feedback = receiver.OnArrival(arrival);
      if (!feedback) continue;
      ++messages;
      most_values = std::max(most_values, feedback->value_count);
      ASSERT_FALSE(sender.Check(*feedback));
      sender.OnFeedback(*feedback, arrival.arrival_time);
    }
  }
  Recorder received;
  Recorder sent;
  Receiver receiver;
  Sender sender;
  int messages = 0;
  int most_values = 0;
};

class FilterAt : public ::testing::TestWithParam<bool> {};

// In either half, the filter and the detector get the same input. So their outputs are equal for every pair of groups,
// in the same order. A_r may differ, since the sender updates it at other times.
TEST_P(FilterAt, TheSenderTellsTheSameOfEveryPairOfGroups) {
  Parameters at_receiver = PresetNamed("cmp-2016");
  at_receiver.filter_at = 0;
  Halves there(at_receiver);
  Halves here(PresetNamed("cmp-2016"));
  const auto arrivals = Call(GetParam());
  there.Run(arrivals);
  here.Run(arrivals);
  EXPECT_EQ(there.sent.rows(static_cast<int>(TraceTable::kGroup)), 0);
  EXPECT_EQ(here.received.rows(static_cast<int>(TraceTable::kGroup)), 0);
  const auto expected = Groups(there.received);
  const auto groups = Groups(here.sent);
  ASSERT_GT(groups.size(), 700u);
  // The last pairs may not have been sent yet.
  ASSERT_LE(groups.size(), expected.size());
  ASSERT_GT(groups.size() + 15, expected.size());
  int overuse = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const GroupRow& a = groups[i];
    const GroupRow& b = expected[i];
    EXPECT_NEAR(a.delay_variation_ms, b.delay_variation_ms, 1e-6) << i;
    EXPECT_NEAR(a.send_delta_us, b.send_delta_us, 1e-3) << i;
    EXPECT_NEAR(a.arrival_delta_us, b.arrival_delta_us, 1e-3) << i;
    EXPECT_NEAR(a.size_delta_bytes, b.size_delta_bytes, 1e-6) << i;
    EXPECT_NEAR(a.one_way_delay_us, b.one_way_delay_us, 1e-3) << i;
    EXPECT_NEAR(a.m_ms, b.m_ms, 1e-6) << i;
    EXPECT_NEAR(a.inverse_capacity_ms_per_byte, b.inverse_capacity_ms_per_byte, 1e-9) << i;
    EXPECT_NEAR(a.noise_variance_ms2, b.noise_variance_ms2, 1e-6) << i;
    EXPECT_NEAR(a.gamma_ms, b.gamma_ms, 1e-6) << i;
    EXPECT_NEAR(a.detector_input_ms, b.detector_input_ms, 1e-4) << i;
    EXPECT_EQ(a.signal, b.signal) << i;
    EXPECT_EQ(a.num_deltas, b.num_deltas) << i;
    overuse += a.signal == 2;
  }
  EXPECT_GT(overuse, 10);
}
INSTANTIATE_TEST_SUITE_P(SenderFilters, FilterAt, ::testing::Bool());

// A message has room for 15 pairs of groups (64 numbers, 4 per pair), so a burst of groups is sent in several messages.
TEST(SenderFilters, AFullMessageGoesAtOnceSoThatNoPairIsLeftOut) {
  Halves calm(PresetNamed("cmp-2016"));
  calm.Run(Call(false));
  EXPECT_LT(calm.most_values, 62);
  Halves burst(PresetNamed("cmp-2016"));
  burst.Run(Call(true));
  EXPECT_EQ(burst.most_values, 62);
  EXPECT_GE(burst.messages - calm.messages, 200 / 15);
  EXPECT_LE(burst.messages - calm.messages, 200 / 15 + 2);
}

// Eq. 13 with the received rate R of the same message. If the last pair of the message shows no overuse any more, A_r
// grows again after the cut, by 1 kbps. This is less than the tolerance of 4 %.
TEST(SenderFilters, CutsToAlphaTimesTheRateThatCameWithTheOveruse) {
  Halves halves(PresetNamed("cmp-2016"));
  DataRate before;
  for (const Arrival& arrival : Call(false)) {
    const auto feedback = halves.receiver.OnArrival(arrival);
    if (!feedback) continue;
    halves.sender.OnFeedback(*feedback, arrival.arrival_time);
    const DataRate a_r = halves.sender.Process(arrival.arrival_time).a_r;
    if (a_r < before) {
      EXPECT_GE(a_r.bps(), 0.85 * feedback->received_rate.bps() - 1);
      EXPECT_LE(a_r.bps(), 1.04 * 0.85 * feedback->received_rate.bps());
      EXPECT_EQ(Groups(halves.sent).back().state, 2);
      return;
    }
    before = a_r;
  }
  FAIL() << "no cut";
}

TEST(SenderFilters, TakesTheRateFromAReceiverThatFiltersToo) {
  Halves halves(PresetNamed("cmp-2016"));
  Feedback feedback;
  feedback.received_rate = DataRate::KilobitsPerSec(700);
  feedback.Add(640e3);
  feedback.Add(0);
  ASSERT_FALSE(halves.sender.Check(feedback));
  halves.sender.OnFeedback(feedback, Timestamp::Millis(100));
  EXPECT_EQ(halves.sender.Process(Timestamp::Millis(100)).a_r.bps(), 640e3);
}

TEST(SenderFilters, RefusesWhatIsNoMessageOfAReceiver) {
  const Halves halves(PresetNamed("cmp-2016"));
  const auto refused = [&](const std::vector<double>& values) {
    Feedback feedback;
    for (const double value : values) feedback.Add(value);
    return static_cast<bool>(halves.sender.Check(feedback));
  };
  const double nan = std::nan("");
  const double inf = HUGE_VAL;
  const std::vector<double> good = {1, 5e4, -3e3, 33e3, -200, 33e3};
  EXPECT_FALSE(refused({0, 5e4}));
  EXPECT_FALSE(refused(good));
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({0}));
  EXPECT_TRUE(refused({0, 1, 2}));
  EXPECT_TRUE(refused({2, 5e4, -3e3, 33e3, -200, 33e3}));  // announces two pairs, but contains one
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const double bad : {nan, inf, -inf, 1e30}) {
      std::vector<double> values = good;
      values[i] = bad;
      EXPECT_TRUE(refused(values)) << i << ' ' << bad;
    }
  }
  EXPECT_TRUE(refused({1, 5e4, -3e3, 33e3, -200, -1}));  // the time between two pairs is negative
}

}  // namespace
}  // namespace ccscope::gcc
