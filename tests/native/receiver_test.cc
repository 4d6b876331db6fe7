// Tests the whole receiver half behind the ABI in ordinary calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/native/session_support.h"

namespace ccscope {
namespace {

constexpr double kCapacityBps = 1e6;
using SeqOf = double (*)(int frame);
double EachFrame(int frame) { return frame; }

// 30 frames a second at 0.8 Mbps through an ideal link of 1 Mbps. At `change_s`, both rates change.
void Push(ReceiverSession& session, double change_s, double source_bps, double capacity_bps, double duration_s,
          SeqOf seq_of = EachFrame) {
  double free_us = 0;
  for (int i = 0; i < duration_s * 30; ++i) {
    const double send_us = std::round(i * 1e6 / 30);
    const bool changed = send_us >= change_s * 1e6;
    const double bytes = std::round((changed ? source_bps : 0.8e6) / 240 * (i % 2 == 0 ? 1.01 : 0.99));
    free_us = std::max(free_us, send_us) + bytes * 8e6 / (changed ? capacity_bps : kCapacityBps);
    ArrivalRow row = Frame(seq_of(i), send_us, std::round(free_us + 25000), bytes);
    row.rtt_us = 50e3;
    ASSERT_EQ(session.Push(row), 0) << ccs_last_error();
  }
}

void PushOverload(ReceiverSession& session, double overload_s, double duration_s) {
  Push(session, overload_s, 1.5e6, kCapacityBps, duration_s);
}

// A_r = 0.85 R_r (eq. 13). R_r is measured over the last 500 ms, so it is still rising from 0.8 Mbps to the link's 1
// Mbps. Frames of 50 kbit are sent every 33 ms, and each is delayed by 17 ms more than the one before: T = 60 m exceeds
// the threshold within half a second.
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

// In a live call, A_r follows the capacity that the frames show. The encoder here ignores A_r: it first sends 0.8 Mbps,
// then more than the capacity. While the encoder sends less than its target, A_r may be up to 1/0.8 of the capacity.
// While the encoder sends more, A_r is at least (1 - room) / 1.05 of the capacity. The room is the fraction of the
// capacity to leave unused. It grows by at most 0.08 for each second in which frames wait for a long time. The receiver
// requests A_r minus drain_bps. During the overload, drain_bps is above 0, so that the queue drains.
TEST(Receiver, ALiveCallAsksForWhatItsFramesShow) {
  ReceiverSession session{std::string("gcc-live")};
  session.Set("start_bitrate_bps", 1.5e6);
  PushOverload(session, 5, 8);
  for (const GroupRow& row : Rows<GroupRow>(session.handle())) {
    if (row.time_us < 1e6) continue;
    // Frames of nearly equal size make it hard to separate their service time from the propagation delay.
    ASSERT_NEAR(row.capacity_estimate_bps, kCapacityBps, 0.1 * kCapacityBps) << row.time_us;
    ASSERT_LE(row.a_r_bps, 1.08 / 0.8 * kCapacityBps) << row.time_us;
    const double room = 0.08 * std::floor(std::max(0.0, row.time_us / 1e6 - 5));
    ASSERT_GE(row.a_r_bps, 0.9 * (1 - room) / 1.05 * kCapacityBps) << row.time_us;
  }
  for (const FeedbackRow& row : Rows<FeedbackRow>(session.handle())) {
    if (row.time_us > 1e6 && row.time_us < 5e6) {
      ASSERT_EQ(row.drain_bps, 0) << row.time_us;
    }
    if (row.time_us > 5.4e6) {
      ASSERT_GT(row.drain_bps, 0.05 * row.a_r_bps) << row.time_us;
    }
  }
}

using Requested = std::vector<std::pair<double, double>>;
// For each feedback message: the time of sending (us) and the requested rate (bps).
Requested RequestedBy(ReceiverSession& session) {
  Requested requested;
  for (const FeedbackRow& row : Rows<FeedbackRow>(session.handle())) {
    requested.emplace_back(row.time_us, row.a_r_bps - row.drain_bps);
  }
  return requested;
}

// Checks each message that is sent less than `each_us` after the previous one: it must request at least 3 % less.
// Returns the number of such messages.
int SentAtOnce(const Requested& requested, double each_us) {
  int at_once = 0;
  for (std::size_t i = 1; i < requested.size(); ++i) {
    const double interval_us = requested[i].first - requested[i - 1].first;
    EXPECT_LT(interval_us, each_us + 110e3) << i;  // only an arrival triggers a message, so it may be up to 110 ms late
    if (interval_us >= each_us) continue;
    ++at_once;
    EXPECT_LT(requested[i].second, 0.97 * requested[i - 1].second) << i;
  }
  return at_once;
}

TEST(Receiver, AnOveruseIsFedBackAtOnceAndElseEach200Ms) {
  ReceiverSession session{std::string("gcc")};
  session.Set("start_bitrate_bps", 1.5e6);
  session.Set("fast_start_factor", 1);
  PushOverload(session, 5, 8);
  const Requested requested = RequestedBy(session);
  ASSERT_GT(requested.size(), 30u);
  EXPECT_GE(SentAtOnce(requested, 200e3), 1);
}

// A server forwards one of three simulcast layers, or two of three temporal layers. The sender numbers the frames of all
// layers, so nearly every frame, or every second frame, follows a gap. When the capacity falls to 400 kbps, A_r falls
// below it all the same (eq. 13: to 0.85 R_r, or further if the queue does not drain), and not to its minimum of 50 kbps.
TEST(Receiver, AServerThatLeavesOutLayersDoesNotStopTheRateController) {
  const SeqOf one_of_three = [](int frame) -> double { return 3 * frame; };
  const SeqOf two_of_three = [](int frame) -> double { return frame + frame / 2; };
  for (const SeqOf seq_of : {one_of_three, two_of_three}) {
    ReceiverSession session{std::string("gcc-live")};
    Push(session, 5, 0.8e6, 0.4e6, 10, seq_of);
    const auto groups = Rows<GroupRow>(session.handle());
    ASSERT_FALSE(groups.empty());
    EXPECT_EQ(groups.back().held, 0);
    EXPECT_LT(groups.back().a_r_bps, 0.4e6);
    EXPECT_GT(groups.back().a_r_bps, 0.2e6);
  }
}

// When the capacity falls from 1 Mbps to 400 kbps, a frame of 27 kbit takes 67 ms instead of 27 ms. The first frame
// after the fall, which arrives within 100 ms, shows this. A message is due with every third frame anyway. The test
// makes three calls, in each of which the fall comes one frame later than in the previous call. So at least one fall is
// reported between two such messages.
TEST(Receiver, AFallOfTheCapacityIsFedBackAtOnceAndElseEach100Ms) {
  int at_once = 0;
  for (const double fall_s : {5.0, 5.034, 5.067}) {
    ReceiverSession session{std::string("gcc-live")};
    Push(session, fall_s, 0.8e6, 0.4e6, 8);
    const Requested requested = RequestedBy(session);
    ASSERT_GT(requested.size(), 60u);
    at_once += SentAtOnce(requested, 100e3);
    const auto is_below = [fall_s](const auto& at) { return at.first > fall_s * 1e6 && at.second < 0.4e6; };
    const auto below = std::find_if(requested.begin(), requested.end(), is_below);
    ASSERT_NE(below, requested.end());
    EXPECT_LT(below->first, fall_s * 1e6 + 0.15e6);
    const auto before = std::find_if(requested.begin(), requested.end(), [](const auto& at) { return at.first > 4.5e6; });
    EXPECT_GT(before->second, 0.8e6);
  }
  EXPECT_GE(at_once, 1);
}

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

// Sends the same frames three times, with send times from the sender's stamp, from abs-send-time and from the RTP
// timestamp. The counters of the last two wrap around during these frames.
TEST(Receiver, TakesTheSendTimeFromWhicheverStampThereIs) {
  const auto variation_ms = [](int stamp) {
    ReceiverSession session("gcc");
    for (int i = 0; i < 20; ++i) {
      const double send_time_s = i * 0.032;
      ArrivalRow row = Frame(i, kNaN, 1e6 + i * 40e3, 1000);
      if (stamp == 0) row.send_time_us = send_time_s * 1e6;
      if (stamp == 1) row.abs_send_time = std::fmod(16777216 - 40000 + std::round(send_time_s * 262144), 16777216);
      if (stamp == 2) row.rtp_timestamp = std::fmod(4294967296.0 - 9000 + send_time_s * 90000, 4294967296.0);
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
