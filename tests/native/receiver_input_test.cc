// Tests the whole receiver half behind the ABI with any input, valid or invalid.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "tests/native/allocations.h"
#include "tests/native/random32.h"
#include "tests/native/session_support.h"

namespace ccscope {
namespace {

struct BadRow {
  const char* field;
  double value;
};

TEST(Receiver, RefusesWhatIsNoArrivalNamesTheFieldAndGoesOnAsIfNothingHadBeen) {
  constexpr BadRow kBad[] = {{"arrival_time_us", kNaN}, {"arrival_time_us", kInf}, {"arrival_time_us", -1e300},
                             {"seq", kNaN},             {"seq", 1e300},            {"size_bytes", -1},
                             {"size_bytes", kNaN},      {"size_bytes", 1e300},     {"send_time_us", kInf},
                             {"send_time_us", 1e300},   {"send_time_us", kNaN}};
  ReceiverSession disturbed("gcc-live");
  ReceiverSession quiet("gcc-live");
  for (int i = 0; i < 200; ++i) {
    const ArrivalRow good = Frame(i, i * 33333, i * 33333 + 20000 + (i * 37) % 11 * 1000, 3000 + (i * 53) % 1000);
    const BadRow& bad = kBad[i % std::size(kBad)];
    ArrivalRow row = good;
    const std::string field = bad.field;
    if (field == "arrival_time_us") row.arrival_time_us = bad.value;
    if (field == "seq") row.seq = bad.value;
    if (field == "size_bytes") row.size_bytes = bad.value;
    if (field == "send_time_us") row.send_time_us = bad.value;
    ASSERT_EQ(disturbed.Push(row), 1) << field << " " << bad.value;
    ASSERT_EQ(std::string(ccs_last_error()).substr(0, field.size() + 1), field + ":");
    ASSERT_EQ(disturbed.Push(InboundRow{0, kNaN, 1, 1, 1}), 1);
    ASSERT_EQ(std::string(ccs_last_error()).substr(0, 8), "time_us:");
    ASSERT_EQ(disturbed.Push(InboundRow{0, 1e6, 1, 1, kInf}), 1);
    ASSERT_EQ(std::string(ccs_last_error()).substr(0, 15), "bytes_received:");
    ASSERT_EQ(disturbed.Push(good), 0);
    ASSERT_EQ(quiet.Push(good), 0);
  }
  const auto a = Rows<GroupRow>(disturbed.handle());
  const auto b = Rows<GroupRow>(quiet.handle());
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 190u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].m_ms, b[i].m_ms);
    EXPECT_EQ(a[i].a_r_bps, b[i].a_r_bps);
  }
  EXPECT_EQ(Rows<ArrivalRow>(disturbed.handle()).size(), 200u);
  EXPECT_EQ(Rows<InboundRow>(disturbed.handle()).size(), 0u);
}

TEST(Receiver, RefusesParametersAndPresetsThatTheSchemaDoesNotHave) {
  ReceiverSession session("gcc");
  const int alpha = ParameterIndex("alpha");
  for (const double value : {0.0999, 1.001, kNaN, kInf, -kInf}) {
    EXPECT_EQ(ccs_session_set_parameter(session.handle(), alpha, value), 1);
    EXPECT_EQ(std::string(ccs_last_error()).substr(0, 6), "alpha:");
    EXPECT_EQ(ccs_session_parameter(session.handle(), alpha), 0.85);
  }
  EXPECT_EQ(ccs_session_set_parameter(session.handle(), -1, 1), 1);
  EXPECT_EQ(ccs_session_set_parameter(session.handle(), gcc::kParameterCount, 1), 1);
  for (const double value : {0.0999, kNaN}) {
    PassPreset(0);
    ccs_input_buffer(gcc::kParameterCount)[alpha] = value;
    EXPECT_EQ(ccs_session_configure(session.handle()), 1);
    EXPECT_EQ(std::string(ccs_last_error()).substr(0, 17), "parameters.alpha:");
    EXPECT_EQ(ccs_session_parameter(session.handle(), alpha), 0.85);
    EXPECT_EQ(ccs_receiver_create(0, 0), nullptr);
    EXPECT_EQ(ccs_sender_create(0, 0, 1), nullptr);
  }
  PassPreset(0);
  for (const int controller : {-2, 1000}) {  // -1 is a user's own controller
    EXPECT_EQ(ccs_receiver_create(controller, 0), nullptr);
    EXPECT_EQ(std::string(ccs_last_error()).substr(0, 11), "controller:");
    EXPECT_EQ(ccs_sender_create(controller, 0, 1), nullptr);
  }
}

TEST(Receiver, TakesAllParametersAtOnce) {
  ReceiverSession session("gcc");
  PassPreset(PresetIndex("libwebrtc-2016-08"));
  ASSERT_EQ(ccs_session_configure(session.handle()), 0);
  EXPECT_EQ(ccs_session_parameter(session.handle(), ParameterIndex("k_u")), 0.0087);
}

TEST(Receiver, RecordsTheTablesThatWereAskedFor) {
  ReceiverSession session("gcc");
  ccs_session_record(session.handle(), 1 << static_cast<int>(FeedbackRow::kTable));
  for (int i = 0; i < 60; ++i) session.Push(Frame(i, i * 33e3, i * 33e3 + 25e3, 4000));
  EXPECT_EQ(Rows<ArrivalRow>(session.handle()).size(), 0u);
  EXPECT_EQ(Rows<GroupRow>(session.handle()).size(), 0u);
  EXPECT_GT(Rows<FeedbackRow>(session.handle()).size(), 5u);
}

class EveryPreset : public ::testing::TestWithParam<int> {};

void ExpectSane(void* session) {
  const auto parameter = [&](const char* name) { return ccs_session_parameter(session, ParameterIndex(name)); };
  const double lowest = parameter("min_bitrate_bps");
  const double highest = parameter("max_bitrate_bps");
  const bool fixed = parameter("adaptive_threshold") == 0;
  const double gamma_min = fixed ? parameter("gamma_init_ms") : parameter("gamma_min_ms");
  const double gamma_max = fixed ? parameter("gamma_init_ms") : parameter("gamma_max_ms");
  for (const GroupRow& row : Rows<GroupRow>(session)) {
    for (const double value : {row.time_us, row.delay_variation_ms, row.m_ms, row.inverse_capacity_ms_per_byte,
                               row.noise_variance_ms2, row.detector_input_ms, row.one_way_delay_us}) {
      ASSERT_TRUE(std::isfinite(value));
    }
    ASSERT_GE(row.noise_variance_ms2, 0);
    ASSERT_GE(row.gamma_ms, gamma_min);
    ASSERT_LE(row.gamma_ms, gamma_max);
    ASSERT_GE(row.a_r_bps, lowest);
    ASSERT_LE(row.a_r_bps, highest);
    ASSERT_FALSE(std::isinf(row.received_rate_bps));
  }
  for (const FeedbackRow& row : Rows<FeedbackRow>(session)) {
    if (parameter("filter_at") == 0) {
      ASSERT_GE(row.a_r_bps, lowest);
      ASSERT_LE(row.a_r_bps, highest);
    } else {
      ASSERT_TRUE(std::isnan(row.a_r_bps));
    }
    ASSERT_TRUE(std::isfinite(row.received_rate_bps));
    ASSERT_GE(row.echo_delay_us, 0);
  }
}

TEST_P(EveryPreset, KeepsItsOutputsWithinBoundsWhateverArrives) {
  constexpr double kSteps[] = {0, 0, 1, 500, 5000, 33333, 33333, 33333, 250e3, 4e6, 1e12, -1, -5000, -1e9};
  constexpr double kSizes[] = {0, 0, 1, 100, 1200, 1200, 5000, 1e6, 1e15};
  constexpr double kSeqSteps[] = {1, 1, 1, 1, 1, 1, 2, 50, 0, -3, -1e6, 1e9};
  std::size_t groups = 0;
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    ReceiverSession session(GetParam());
    void* sender = CreateSender(GetParam());
    Random32 random(seed * 7919 + static_cast<std::uint32_t>(GetParam()));
    const bool wild = seed % 2 == 0;  // wild: all rows are odd; else a call with some odd rows
    double send_us = 0;
    double arrival_us = 0;
    double seq = 0;
    for (int i = 0; i < 500; ++i) {
      const bool odd = wild || random.Next(20) == 0;
      send_us += odd ? random.Pick(kSteps) : 33333;
      arrival_us += odd ? random.Pick(kSteps) : 33333 + random.Next(2000) - 1000.0;
      seq += odd ? random.Pick(kSeqSteps) : 1;
      ArrivalRow row = Frame(seq, send_us, arrival_us, odd ? random.Pick(kSizes) : 2000 + random.Next(3000));
      row.key_frame = random.Next(50) == 0 ? 1 : 0;
      if (random.Next(3) == 0) row.rtt_us = random.Pick(kSteps);
      ASSERT_EQ(session.Push(row), 0) << ccs_last_error();
      if (random.Next(4) == 0) {
        ASSERT_EQ(session.Push(InboundRow{0, arrival_us, random.Pick(kSizes), random.Pick(kSteps), random.Pick(kSizes)}), 0)
            << ccs_last_error();
      }
      if (const int count = ccs_receiver_take_feedback(session.handle()); count > 0) {
        const double* feedback = ccs_session_buffer(session.handle(), count);
        std::copy(feedback, feedback + count, ccs_session_buffer(sender, count));
        ASSERT_EQ(ccs_sender_push_feedback(sender, arrival_us, count), 0) << ccs_last_error();
      }
      ASSERT_EQ(ccs_sender_push_sent(sender, arrival_us, random.Pick(kSizes), random.Pick(kSteps), kNaN), 0);
      ASSERT_EQ(ccs_sender_run(sender, arrival_us), 0);
    }
    ExpectSane(session.handle());
    ExpectSane(sender);
    for (const RateRow& row : Rows<RateRow>(sender)) {
      ASSERT_GE(row.target_bps, 50e3);
      ASSERT_LE(row.target_bps, 2.5e6);
      ASSERT_GE(row.fraction_lost, 0);
      ASSERT_LE(row.fraction_lost, 1);
    }
    groups += Rows<GroupRow>(session.handle()).size() + Rows<GroupRow>(sender).size();
    ccs_session_destroy(sender);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
  EXPECT_GT(groups, 2000u);
}

// The trace is cleared after each of the first two batches. After this warm-up, nothing is allocated.
TEST_P(EveryPreset, AllocatesNothingPerPacketOnceWarm) {
  ReceiverSession session(GetParam());
  int seq = 0;
  const auto push_batch = [&] {
    for (int i = 0; i < 1000; ++i, ++seq) {
      const double send_us = seq * 33333.0;
      session.Push(Frame(seq, send_us, send_us + 20000 + (seq * 37) % 11 * 1000, 3000 + (seq * 53) % 1000));
      if (seq % 3 == 0) session.Push(InboundRow{0, send_us + 40000, seq * 3.0, 0, seq * 3500.0});
      ccs_receiver_take_feedback(session.handle());
    }
  };
  push_batch();
  ccs_trace_clear(ccs_session_recorder(session.handle()));
  push_batch();
  ccs_trace_clear(ccs_session_recorder(session.handle()));
  const long before = Allocations();
  push_batch();
  EXPECT_EQ(Allocations(), before);
  EXPECT_GT(before, 0);
}

INSTANTIATE_TEST_SUITE_P(Receiver, EveryPreset, ::testing::Range(0, gcc::kPresetCount), [](const auto& info) {
  std::string name = gcc::kPresets[info.param].name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace ccscope
