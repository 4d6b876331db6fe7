// Inputs at the limits of what the ABI accepts, as found by fuzzing.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "abi/controllers.h"
#include "tests/fuzz/native/abi.h"
#include "tests/fuzz/native/presets.h"
#include "tests/native/session_support.h"

namespace ccscope {
namespace {

constexpr double kMost = 9007199254740992.0;  // 2^53

void PassDefaults(int controller) {
  const fuzz::Values& values = fuzz::PresetsOf(controller).front();
  std::copy(values.begin(), values.end(), ccs_input_buffer(static_cast<int>(values.size())));
}

class AnyController : public testing::TestWithParam<int> {
 protected:
  AnyController() {
    PassDefaults(GetParam());
    receiver = ccs_receiver_create(GetParam(), 0);
    sender = ccs_sender_create(GetParam(), 0, 1);
  }
  ~AnyController() override {
    ccs_session_destroy(receiver);
    ccs_session_destroy(sender);
  }

  // The latest message of the receiver half; empty if none is due.
  std::vector<double> Feedback() {
    const int count = ccs_receiver_take_feedback(receiver);
    const double* numbers = ccs_session_buffer(receiver, count);
    return {numbers, numbers + count};
  }
  int Push(const std::vector<double>& message) {
    const int count = static_cast<int>(message.size());
    std::copy(message.begin(), message.end(), ccs_session_buffer(sender, count));
    return ccs_sender_push_feedback(sender, 2e6, count);
  }
  void Arrive(double seq, double at_us) {
    Fill(receiver, Frame(seq, at_us, at_us + 20e3, 1200));
    ASSERT_EQ(ccs_receiver_push_arrivals(receiver, 1), 0) << ccs_last_error();
  }

  void* receiver;
  void* sender;
};

TEST_P(AnyController, SequenceNumbersFarApartCountNoMoreLossesThanAMessageCarries) {
  Arrive(-kMost, 0);
  Arrive(kMost, 1e6);
  Arrive(kMost, 2e6);
  const std::vector<double> message = Feedback();
  ASSERT_FALSE(message.empty());
  EXPECT_EQ(Push(message), 0) << ccs_last_error();
}

TEST_P(AnyController, FeedbackThatIsNotFiniteIsRefusedWhereNothingMayBeAbsent) {
  Arrive(1, 0);
  Arrive(2, 1e6);
  Arrive(3, 2e6);
  const std::vector<double> message = Feedback();
  ASSERT_EQ(Push(message), 0) << ccs_last_error();
  for (std::size_t i = 0; i < message.size(); ++i) {
    // The received rate and the fields of the echo may be absent (NaN). A controller then either refuses the message or
    // does without these values.
    const bool may_be_absent = i == 1 || i == 4 || i == 5;
    for (const double wild : {kNaN, kInf, -kInf}) {
      std::vector<double> damaged = message;
      damaged[i] = wild;
      const int refused = Push(damaged);
      if (!may_be_absent || !std::isnan(wild)) {
        EXPECT_EQ(refused, 1) << "field " << i << ", " << wild;
      }
    }
  }
  ASSERT_EQ(ccs_sender_run(sender, 3e6), 0);
  for (const RateRow& row : Rows<RateRow>(sender)) EXPECT_TRUE(std::isfinite(row.target_bps));
}

TEST_P(AnyController, MoreBytesSentThanCanBeCountedAreRefused) {
  EXPECT_EQ(ccs_sender_push_sent(sender, 1e6, 0, kNaN, kNaN), 0);
  EXPECT_EQ(ccs_sender_push_sent(sender, 2e6, 1e308, kNaN, kNaN), 1);
  EXPECT_STREQ(ccs_last_error(), "sent_bytes: expected a finite number of at most 2^53");
  EXPECT_EQ(ccs_sender_push_sent(sender, 3e6, kMost, kNaN, kNaN), 0);
  ASSERT_EQ(ccs_sender_run(sender, 3e6), 0);
  for (const RateRow& row : Rows<RateRow>(sender)) EXPECT_TRUE(std::isfinite(row.sent_bps));
}

INSTANTIATE_TEST_SUITE_P(WildInput, AnyController, testing::Range(0, fuzz::kControllers));

// Beyond 2^53 us, a time may stay the same when the interval of a timer is added. The link's clock would then never
// advance.
TEST(WildInput, TimesOfALinkThatCannotAdvanceAreRefused) {
  const double queue[] = {300, 0, 0};
  std::copy(std::begin(queue), std::end(queue), ccs_input_buffer(3));
  void* link = ccs_link_create(1e6, 0, 3, 0, 5000, 20e3, 0, 0, 1);
  ASSERT_NE(link, nullptr);
  for (const double us : {kMost * 2, -kMost * 2, 1e300}) {
    EXPECT_EQ(ccs_link_poll(link, us), -1) << us;
    EXPECT_EQ(ccs_link_enqueue(link, 0, 1200, 0, us), -1) << us;
    EXPECT_EQ(ccs_link_set_cross_traffic(link, 1, 0, us), 1) << us;
  }
  EXPECT_STREQ(ccs_last_error(), "nowUs: expected a finite time in microseconds of at most 2^53");
  EXPECT_EQ(ccs_link_set_cross_traffic(link, 1, 0, kMost / 2), 0);
  EXPECT_EQ(ccs_link_poll(link, kMost / 2 + 1e6), 0);
  ccs_link_destroy(link);
}

}  // namespace
}  // namespace ccscope
