// Tests controllers that a user provides, as the core sees them. The core calls the host (abi/user_controller.h), and
// must stay consistent whatever the host answers.
#include "abi/user_controller.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>
#include <vector>

namespace ccscope {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kValues[] = {100e3, 1e6, 300e3};  // the lowest, the highest and the first rate

// The host's answers to kRate and kArrival, and the calls that it received.
std::vector<double> rate_answer;
int arrival_answer = kNoAnswer;
std::vector<HostCall> asked;

int Host(HostCall call, int, double* numbers, int) {
  asked.push_back(call);
  if (call == HostCall::kCreateReceiver || call == HostCall::kCreateSender) return 1;
  if (call == HostCall::kArrival) return arrival_answer;
  if (call != HostCall::kRate) return kNoAnswer;
  for (std::size_t i = 0; i < rate_answer.size(); ++i) numbers[i] = rate_answer[i];
  return rate_answer.empty() ? kNoAnswer : static_cast<int>(rate_answer.size());
}

class UserControllerTest : public testing::Test {
 protected:
  UserControllerTest() {
    rate_answer.clear();
    arrival_answer = kNoAnswer;
    asked.clear();
    SetUserHost(Host);
  }
  ~UserControllerTest() override { SetUserHost(nullptr); }

  RateUpdate RateFor(SenderHalf& sender, std::vector<double> answer) {
    rate_answer = std::move(answer);
    return sender.Process(Timestamp::Seconds(1));
  }
  Recorder recorder_;
};

TEST_F(UserControllerTest, KeepsTheLastGoodRateWhateverTheHostAnswers) {
  const auto sender = kUserControllerSpec.make_sender(kValues, 0, 1, recorder_);
  EXPECT_EQ(RateFor(*sender, {}).target.bps(), 300e3);
  EXPECT_EQ(RateFor(*sender, {500e3, 900e3}).pacing.bps(), 900e3);
  for (const double wrong : {kNan, kInfinity, -1.0}) {
    const RateUpdate rate = RateFor(*sender, {wrong, kNan});
    EXPECT_EQ(rate.target.bps(), 500e3) << wrong;
    EXPECT_EQ(rate.pacing.bps(), 900e3) << wrong;
  }
  EXPECT_EQ(RateFor(*sender, {600e3}).target.bps(), 500e3);
}

TEST_F(UserControllerTest, KeepsRatesWithinTheApplicationsBoundsAndPacesAtOneAndAHalf) {
  const auto sender = kUserControllerSpec.make_sender(kValues, 0, 1, recorder_);
  EXPECT_EQ(RateFor(*sender, {400e3, kNan}).pacing.bps(), 600e3);
  EXPECT_EQ(RateFor(*sender, {1.0, kNan}).target.bps(), 100e3);
  EXPECT_EQ(RateFor(*sender, {1e9, kNan}).target.bps(), 1e6);
  // The pacing rate is never below the target.
  EXPECT_EQ(RateFor(*sender, {400e3, 1.0}).pacing.bps(), 400e3);
}

TEST_F(UserControllerTest, SendsAMessageWhenTheHostHasValues) {
  const auto receiver = kUserControllerSpec.make_receiver(kValues, 0, recorder_);
  Arrival arrival;
  arrival.send_time = Timestamp::Millis(10);
  arrival.arrival_time = Timestamp::Millis(35);
  arrival.size = DataSize::Bytes(1000);
  EXPECT_FALSE(receiver->OnArrival(arrival));
  arrival.seq = 2;
  arrival_answer = 3;
  const auto feedback = receiver->OnArrival(arrival);
  ASSERT_TRUE(feedback);
  EXPECT_EQ(feedback->value_count, 3);
  EXPECT_EQ(feedback->packets_received, 2);
  EXPECT_EQ(feedback->packets_lost, 1);
  EXPECT_EQ(feedback->echo_send_time.ms(), 10);
  EXPECT_EQ(recorder_.rows(static_cast<int>(TraceTable::kFeedback)), 1);
  arrival_answer = Feedback::kMaxValues + 1;
  EXPECT_FALSE(receiver->OnArrival(arrival));
}

TEST_F(UserControllerTest, TellsTheHostWhenAHalfIsGone) {
  kUserControllerSpec.make_receiver(kValues, 0, recorder_).reset();
  EXPECT_EQ(asked, (std::vector<HostCall>{HostCall::kCreateReceiver, HostCall::kDestroy}));
}

TEST(UserControllerWithoutAHost, StaysAtTheFirstRate) {
  Recorder recorder;
  const auto sender = kUserControllerSpec.make_sender(kValues, 0, 1, recorder);
  EXPECT_EQ(sender->Process(Timestamp::Seconds(1)).target.bps(), 300e3);
}

}  // namespace
}  // namespace ccscope
