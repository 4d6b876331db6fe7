#include <optional>

#include "cc/controller.h"
#include "tests/fuzz/native/session.h"

namespace ccscope::fuzz {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kFeedbackFields = 6;

class Session {
 public:
  Session(Input& input, int controller, const ControllerParameters& parameters, int flags)
      : input_(input),
        arrivals_left_((flags & 0xf0) == 0xf0 ? 1000 : kUsualArrivals),
        parameters_(parameters),
        receiver_(true, controller, parameters, 0, (flags & 3) == 3),
        sender_(false, controller, parameters, flags >> 3, (flags & 3) == 3),
        clock_offset_us_((flags & 4) != 0 ? 1e9 : 0) {}

  void Run() {
    while (!input_.ended() && arrivals_left_ > 0) {
      Step(input_.Byte());
      TakeFeedback();
    }
    RunSender(now_us_);
    CheckTrace(receiver_.half());
    CheckTrace(sender_.half());
  }

 private:
  void Step(int what) {
    switch (what & 15) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        return Arrive(what >> 4);
      case 5:
        return WildArrival(what >> 4);
      case 6:
        return CountInbound(what >> 4);
      case 7:
        return RunSender(now_us_);
      case 8:
        return PassFeedback(what >> 4);
      case 9:
        return WildFeedback();
      case 10:
        return Send(what >> 4);
      case 11:
        return ReportReceived(what >> 4);
      case 12:
        return ChangeParameters(what >> 4);
      case 13:
        return RefusedCalls(what >> 4);
      case 14:
        return LetTimePass(what >> 4);
      default:
        return Burst(what >> 4);
    }
  }

  // A packet or frame as it may arrive in an ordinary WebRTC call.
  void Arrive(int how) {
    send_us_ += input_.Byte() * 200.0;
    now_us_ = std::max(now_us_, send_us_) + input_.Byte() * 100.0;
    seq_ += (how & 1) != 0 ? 1 : input_.Pick(4);
    const bool stamped = (how & 6) != 6;
    const double rtp = (how & 2) != 0 ? std::fmod(std::floor(send_us_ * 0.09), 4294967296.0) : kNaN;
    const double abs_send_time = (how & 4) != 0 ? std::fmod(std::floor(send_us_ * 0.262144), 16777216.0) : kNaN;
    PushArrival({0, seq_, stamped ? send_us_ + clock_offset_us_ : kNaN, now_us_, 40 + input_.Byte() * 20.0, rtp, abs_send_time,
                 (how & 8) != 0 ? static_cast<double>(input_.Flag()) : 0, (how & 8) != 0 ? input_.Byte() * 1e3 : kNaN});
  }

  void Burst(int how) {
    for (int i = 0; i < 2 + how; ++i) {
      send_us_ += 5e3;
      now_us_ = std::max(now_us_, send_us_) + (i == 0 ? input_.Byte() * 500.0 : 2e3);
      PushArrival({0, ++seq_, send_us_ + clock_offset_us_, now_us_, 1200, kNaN, kNaN, 0, kNaN});
      TakeFeedback();
    }
  }

  void WildArrival(int stamps) {
    ArrivalRow row{0, seq_, send_us_, now_us_, 1200, kNaN, kNaN, 0, kNaN};
    const int which = input_.Byte();
    if ((which & 1) != 0) row.seq = input_.Wild();
    if ((which & 2) != 0) row.send_time_us = input_.Wild();
    if ((which & 4) != 0) row.arrival_time_us = input_.Wild();
    if ((which & 8) != 0) row.size_bytes = input_.Wild();
    if ((which & 16) != 0) row.key_frame = input_.Wild();
    if ((which & 32) != 0) row.rtt_us = input_.Wild();
    if ((which & 64) != 0) row.send_time_us += input_.Between(-kHourUs, kHourUs);
    if ((which & 128) != 0) row.arrival_time_us += input_.Between(-kHourUs, kHourUs);
    if ((stamps & 1) != 0) row.rtp_timestamp = input_.Wild();
    if ((stamps & 2) != 0) row.abs_send_time = input_.Wild();
    PushArrival(row);
  }

  void PushArrival(const ArrivalRow& row) {
    --arrivals_left_;
    receiver_.Fill(&row.flow, sizeof row / sizeof(double));
    receiver_.Do([](void* half) { return ccs_receiver_push_arrivals(half, 1); });
  }

  void CountInbound(int how) {
    now_us_ += input_.Byte() * 1e3;
    received_ += input_.Byte();
    lost_ += input_.Pick(8);
    bytes_ += input_.Word();
    InboundRow row{0, now_us_, received_, lost_, bytes_};
    if (how == 1) row.time_us = input_.Wild();
    if (how == 2) row.packets_received = input_.Wild();
    if (how == 3) row.packets_lost = input_.Wild();
    if (how == 4) row.bytes_received = input_.Wild();
    receiver_.Fill(&row.flow, sizeof row / sizeof(double));
    receiver_.Do([](void* half) { return ccs_receiver_push_inbound(half, 1); });
  }

  void TakeFeedback() {
    Values message = receiver_.Ask([](void* half) { return ccs_receiver_take_feedback(half); });
    if (message.empty()) return;
    for (const double value : message) EXPECT_THAT_HOLDS(std::isfinite(value), "feedback is finite");
    feedback_ = std::move(message);
    PassFeedback(0);
  }

  // Passes the receiver half's latest feedback to the sender half: on time, late, or once more.
  void PassFeedback(int how) {
    if (feedback_.empty()) return;
    const double now = now_us_ - clock_offset_us_ * (how & 1) + (how >> 1) * 20e3;
    sender_.Fill(feedback_.data(), static_cast<int>(feedback_.size()));
    const bool taken = sender_.Do([&](void* half) { return ccs_sender_push_feedback(half, now, static_cast<int>(feedback_.size())); });
    EXPECT_THAT_HOLDS(taken, "a sender takes what a receiver of its kind says");
    if (how == 0) RunSender(now);
  }

  void WildFeedback() {
    const int count = input_.Pick(kFeedbackFields + Feedback::kMaxValues + 3);
    Values message(feedback_);
    if (input_.Flag()) message.resize(static_cast<std::size_t>(count));
    for (int i = input_.Pick(4); i > 0 && !message.empty(); --i) {
      message[static_cast<std::size_t>(input_.Byte()) % message.size()] = input_.Wild();
    }
    sender_.Fill(message.data(), static_cast<int>(message.size()));
    const double now = input_.Flag() ? now_us_ : input_.Wild();
    sender_.Do([&](void* half) { return ccs_sender_push_feedback(half, now, static_cast<int>(message.size())); });
    RunSender(now_us_);
  }

  void Send(int how) {
    sent_ += input_.Word();
    const double now = how == 1 ? input_.Wild() : now_us_;
    const double sent = how == 2 ? input_.Wild() : sent_;
    const double rtt = how == 3 ? input_.Wild() : input_.Byte() * 1e3;
    const double estimate = how == 4 ? input_.Wild() : kNaN;
    sender_.Do([&](void* half) { return ccs_sender_push_sent(half, now, sent, rtt, estimate); });
  }

  void ReportReceived(int how) {
    received_ += input_.Byte();
    lost_ += input_.Pick(32);
    const double now = how == 1 ? input_.Wild() : now_us_;
    const double received = how == 2 ? input_.Wild() : received_;
    const double lost = how == 3 ? input_.Wild() : lost_;
    sender_.Do([&](void* half) { return ccs_sender_push_receiver_report(half, now, received, lost); });
  }

  void RunSender(double now_us) {
    if (!sender_.Do([&](void* half) { return ccs_sender_run(half, now_us); })) return;
    const Values update = sender_.Ask([](void*) { return 6; });
    EXPECT_THAT_HOLDS(update[0] >= parameters_.min_bps() && update[0] <= parameters_.max_bps(), "min <= target <= max");
    EXPECT_THAT_HOLDS(std::isfinite(update[1]) && update[1] >= 0, "pacing is finite and not negative");
    EXPECT_THAT_HOLDS(!std::isinf(update[2]) && !std::isinf(update[3]), "A_s and A_r are finite, or absent");
    EXPECT_THAT_HOLDS(update[4] >= 0 && update[4] <= 1, "a fraction is lost");
    EXPECT_THAT_HOLDS(std::isfinite(update[5]) && update[5] >= 0, "the RTT is finite and not negative");
  }

  void ChangeParameters(int how) {
    if (how < 3) {
      parameters_.TakePreset(input_);
      for (TwoOfOne* half : {&receiver_, &sender_}) {
        const bool taken = half->Do([&](void* handle) { return parameters_.Pass(), ccs_session_configure(handle); });
        EXPECT_THAT_HOLDS(taken, "a preset can be taken at any time");
      }
      return;
    }
    const int index = parameters_.Change(input_);
    for (TwoOfOne* half : {&receiver_, &sender_}) {
      const bool taken = half->Do([&](void* handle) { return ccs_session_set_parameter(handle, index, parameters_.at(index)); });
      EXPECT_THAT_HOLDS(taken && ccs_session_parameter(half->half(), index) == parameters_.at(index), "a parameter in range can be set");
    }
  }

  void RefusedCalls(int how) {
    const int index = input_.Pick(parameters_.count());
    const double value = input_.Wild();
    const bool within = value >= parameters_.spec(index).min && value <= parameters_.spec(index).max;
    TwoOfOne& half = (how & 1) != 0 ? receiver_ : sender_;
    if (!within) {
      EXPECT_THAT_HOLDS(!half.Do([&](void* h) { return ccs_session_set_parameter(h, index, value); }), "a value out of range is refused");
      EXPECT_THAT_HOLDS(ccs_session_parameter(half.half(), index) == parameters_.at(index), "what is refused changes nothing");
    }
    EXPECT_THAT_HOLDS(!half.Do([&](void* h) { return ccs_session_set_parameter(h, how < 8 ? -1 : parameters_.count(), 0); }), "an index that the schema does not have is refused");
    const int rows = how < 4 ? -1 : 1 << 20;
    EXPECT_THAT_HOLDS(!receiver_.Do([&](void* h) { return ccs_receiver_push_arrivals(h, rows); }), "more rows than the buffer holds are refused");
    EXPECT_THAT_HOLDS(!receiver_.Do([&](void* h) { return ccs_receiver_push_inbound(h, rows); }), "more rows than the buffer holds are refused");
  }

  void LetTimePass(int how) {
    if (how < 8) now_us_ += input_.Byte() * 1e4;
    if (how >= 8 && how < 12) now_us_ += input_.Between(0, 10 * kHourUs);
    if (how == 12) send_us_ += input_.Between(-kHourUs, kHourUs);
    if (how == 13) now_us_ -= input_.Between(0, kHourUs);
    if (how == 14) clock_offset_us_ += input_.Between(-kHourUs, kHourUs);
    if (how == 15) seq_ += input_.Between(-1e6, 1e6);
  }

  // The number of arrivals after which a run ends (in a few runs, it is 1000). It is small, because GCC's capacity
  // probe reads many earlier frames at each arrival.
  static constexpr int kUsualArrivals = 50;

  Input& input_;
  int arrivals_left_;
  ControllerParameters parameters_;
  TwoOfOne receiver_;
  TwoOfOne sender_;
  double clock_offset_us_;  // the sender's clock minus the receiver's
  double now_us_ = 1e6;
  double send_us_ = 1e6;
  double seq_ = 0;
  double received_ = 0;
  double lost_ = 0;
  double bytes_ = 0;
  double sent_ = 0;
  Values feedback_;
};

}  // namespace

void RunSession(Input& input, int controller) {
  ControllerParameters parameters(controller);
  parameters.TakePreset(input);
  for (int changes = input.Pick(8); changes > 0; --changes) parameters.Change(input);
  const int flags = input.Byte();
  Session(input, controller, parameters, flags).Run();
}

}  // namespace ccscope::fuzz
