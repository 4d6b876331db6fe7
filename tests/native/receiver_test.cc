// The whole receiver half behind the ABI: what it does with a call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/native/session_support.h"

namespace ccscope {
namespace {

// 30 frames a second through an ideal link of 1 Mbps; at `overload_s` the source goes from 0.8 to 1.5 Mbps.
constexpr double kCapacityBps = 1e6;
void PushOverload(ReceiverSession& session, double overload_s, double duration_s) {
  double free_us = 0;
  for (int i = 0; i < duration_s * 30; ++i) {
    const double send_us = std::round(i * 1e6 / 30);
    const double bytes = std::round((send_us < overload_s * 1e6 ? 0.8e6 : 1.5e6) / 240 * (i % 2 == 0 ? 1.01 : 0.99));
    free_us = std::max(free_us, send_us) + bytes * 8e6 / kCapacityBps;
    ArrivalRow row = Frame(i, send_us, std::round(free_us + 25000), bytes);
    row.rtt_us = 50e3;
    ASSERT_EQ(session.Push(row), 0) << ccs_last_error();
  }
}

class Overload : public ::testing::TestWithParam<const char*> {};

// A_r = 0.85 R_r (eq. 13), while R_r over the last 500 ms is on its way from 0.8 to the link's 1 Mbps.
// Frames of 50 kbit each 33 ms queue 17 ms more each: T = 60 m leaves the threshold within half a second.
TEST(Receiver, AnOveruseCutsTheRateToAlphaTimesWhatIsReceived) {
  ReceiverSession session{std::string("gcc")};
  session.Set("start_bitrate_bps", 1.5e6);
  session.Set("fast_start_factor", 1);
  PushOverload(session, 5, 8);
  const auto groups = Rows<GroupRow>(session.handle());
  const auto is_cut = [](const GroupRow& row) { return row.state == 2; };
  const auto cut = std::find_if(groups.begin(), groups.end(), is_cut);
  ASSERT_NE(cut, groups.end());
  EXPECT_GT(cut->time_us, 5.05e6);
  EXPECT_LT(cut->time_us, 5.5e6);
  EXPECT_GT(cut->received_rate_bps, 0.8e6);
  EXPECT_LT(cut->received_rate_bps, 1.02e6);
  EXPECT_NEAR(cut->a_r_bps, 0.85 * cut->received_rate_bps, 0.05 * 0.85 * cut->received_rate_bps);
  EXPECT_GT((cut - 1)->a_r_bps, 1e6);
  const auto is_overuse = [](const GroupRow& row) { return row.signal == 2; };
  const auto overuse = std::find_if(groups.begin(), groups.end(), is_overuse);
  ASSERT_NE(overuse, groups.end());
  EXPECT_GT(overuse->time_us, 5.05e6);
  EXPECT_LT(overuse->time_us, 5.5e6);
}

// A live call asks for 0.955 of the link that its frames show, and for up to 1/0.8 of that of an encoder that
// stays below what it is asked for: this one sends 0.8 Mbps first, whatever A_r is. The overload has frames
// wait longer and longer: what drains that comes off.
TEST(Receiver, ALiveCallAsksForWhatItsFramesShow) {
  ReceiverSession session{std::string("gcc-live")};
  session.Set("start_bitrate_bps", 1.5e6);
  PushOverload(session, 5, 8);
  const auto groups = Rows<GroupRow>(session.handle());
  const auto feedback = Rows<FeedbackRow>(session.handle());
  for (const GroupRow& row : groups) {
    if (row.time_us < 1e6) continue;
    ASSERT_NEAR(row.capacity_estimate_bps, kCapacityBps, 0.05 * kCapacityBps) << row.time_us;
    ASSERT_LE(row.a_r_bps, 1.06 * 0.955 / 0.8 * kCapacityBps) << row.time_us;
    ASSERT_GE(row.a_r_bps, 0.94 * 0.955 / 1.15 * kCapacityBps) << row.time_us;
  }
  for (const FeedbackRow& row : feedback) {
    if (row.time_us > 1e6 && row.time_us < 5e6) ASSERT_EQ(row.drain_bps, 0) << row.time_us;
    if (row.time_us > 5.4e6) ASSERT_GT(row.drain_bps, 0.05 * row.a_r_bps) << row.time_us;
  }
}

class Overload : public ::testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(Overload, IsFedBackAtOnceAndElseEachInterval) {
  const auto& [preset, each_us] = GetParam();
  ReceiverSession session{std::string(preset)};
  session.Set("start_bitrate_bps", 1.5e6);
  session.Set("fast_start_factor", 1);
  PushOverload(session, 5, 8);
  const auto feedback = Rows<FeedbackRow>(session.handle());
  ASSERT_GT(feedback.size(), 30u);
  int at_once = 0;
  for (std::size_t i = 1; i < feedback.size(); ++i) {
    const double interval_us = feedback[i].time_us - feedback[i - 1].time_us;
    EXPECT_LT(interval_us, each_us + 70e3) << i;  // with the arrival after that: frames come up to 55 ms apart
    if (interval_us >= each_us) continue;
    ++at_once;
    const auto requested = [](const FeedbackRow& row) { return row.a_r_bps - row.drain_bps; };
    EXPECT_LT(requested(feedback[i]), 0.97 * requested(feedback[i - 1])) << i;
  }
  EXPECT_GE(at_once, 1);
}

INSTANTIATE_TEST_SUITE_P(Receiver, Overload,
                         ::testing::Values(std::pair{"gcc", 200e3}, std::pair{"gcc-live", 100e3}));

TEST(Receiver, TheStartBitrateCountsUntilTheFirstInput) {
  ReceiverSession session("gcc");
  session.Set("start_bitrate_bps", 1e6);
  session.Push(Frame(0, 0, 5000, 1000));
  EXPECT_EQ(Rows<FeedbackRow>(session.handle()).back().a_r_bps, 1e6);
  session.Set("start_bitrate_bps", 2e6);
  session.Push(Frame(1, 250e3, 255e3, 1000));
  EXPECT_LT(Rows<FeedbackRow>(session.handle()).back().a_r_bps, 1.2e6);
}

TEST(Sender, TheStartBitrateCountsUntilTheFirstFeedback) {
  void* sender = CreateSender(PresetIndex("gcc"));
  const auto target = [&](double now_us) {
    EXPECT_EQ(ccs_sender_run(sender, now_us), 0);
    return Rows<RateRow>(sender).back().target_bps;
  };
  EXPECT_EQ(target(0), 300e3);
  ASSERT_EQ(ccs_session_set_parameter(sender, ParameterIndex("start_bitrate_bps"), 1e6), 0);
  EXPECT_EQ(target(1e6), 1e6);
  const double message[] = {1e6, 650e3, 100, 0, 0.9e6, 10e3, 700e3, 0};
  const auto push = [&](int count) {
    std::copy(std::begin(message), std::end(message), ccs_session_buffer(sender, 8));
    return ccs_sender_push_feedback(sender, 1.1e6, count);
  };
  for (const int count : {-1, 0, 5, 6, 7, 9, 1000}) EXPECT_EQ(push(count), 1) << count;
  ASSERT_EQ(push(8), 0);
  EXPECT_EQ(target(1.2e6), 700e3);
  ASSERT_EQ(ccs_session_set_parameter(sender, ParameterIndex("start_bitrate_bps"), 2e6), 0);
  EXPECT_EQ(target(1.3e6), 700e3);
  ccs_session_destroy(sender);
}

TEST(Receiver, CountsPacketsFromSequenceNumbersUntilTheWiresCountersAreThere) {
  ReceiverSession session("gcc");
  const double kSeqs[] = {10, 11, 12, 15, 13, 16};  // 13 comes late, 14 never
  double now_us = 0;
  for (const double seq : kSeqs) session.Push(Frame(seq, now_us, now_us + 5000, 1000)), now_us += 300e3;
  const FeedbackRow counted = Rows<FeedbackRow>(session.handle()).back();
  EXPECT_EQ(counted.packets_received, 6);
  EXPECT_EQ(counted.packets_lost, 1);
  session.Push(InboundRow{0, now_us, 4321, 17, 5e6});
  const FeedbackRow wire = Rows<FeedbackRow>(session.handle()).back();
  EXPECT_EQ(wire.time_us, now_us);
  EXPECT_EQ(wire.packets_received, 4321);
  EXPECT_EQ(wire.packets_lost, 17);
  EXPECT_EQ(wire.echo_send_time_us, now_us - 300e3);
  EXPECT_EQ(wire.echo_delay_us, 300e3 - 5000);
}

// The same frames by the sender's stamp, by abs-send-time and by the RTP timestamp, each across its wrap.
TEST(Receiver, TakesTheSendTimeFromWhicheverStampThereIs) {
  const auto variation_ms = [](int stamp) {
    ReceiverSession session("gcc");
    for (int i = 0; i < 20; ++i) {
      const double ticks = i * 0.032;  // s: exact in each of the clocks
      ArrivalRow row = Frame(i, kNaN, 1e6 + i * 40e3, 1000);
      if (stamp == 0) row.send_time_us = ticks * 1e6;
      if (stamp == 1) row.abs_send_time = std::fmod(16777216 - 40000 + std::round(ticks * 262144), 16777216);
      if (stamp == 2) row.rtp_timestamp = std::fmod(4294967296.0 - 9000 + ticks * 90000, 4294967296.0);
      EXPECT_EQ(session.Push(row), 0) << ccs_last_error();
    }
    std::vector<double> variations;
    for (const GroupRow& row : Rows<GroupRow>(session.handle())) variations.push_back(row.delay_variation_ms);
    return variations;
  };
  for (int stamp = 0; stamp < 3; ++stamp) {
    const auto variations = variation_ms(stamp);
    ASSERT_EQ(variations.size(), 18u) << stamp;
    for (const double v : variations) EXPECT_NEAR(v, 8, 0.004) << stamp;  // one tick is 0.0038 ms
  }
}

}  // namespace
}  // namespace ccscope
