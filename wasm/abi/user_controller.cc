#include "abi/user_controller.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

#include "abi/export.h"
#include "cc/feedback_row.h"
#include "cc/inbound_stream.h"

#if defined(__EMSCRIPTEN__)
extern "C" __attribute__((import_module("ccscope"), import_name("user"))) int ccscope_user(int call, int half,
                                                                                           double* numbers, int count);
#endif

namespace ccscope {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr TimeDelta kRateWindow = TimeDelta::Millis(500);  // as in Fig. 4 of CMP (comparison of NADA and GCC, 2016)
constexpr TimeDelta kLossInterval = TimeDelta::Seconds(1);
constexpr double kPacingFactor = 1.5;  // the default of GCC's parameter pacing_factor
constexpr int kMessageFields = 7;

#define PARAMETER CCSCOPE_PARAMETER_SPEC
constexpr ParameterSpec kSpecs[] = {
#include "abi/user_controller.def"
};
#undef PARAMETER
struct Bounds {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "abi/user_controller.def"
#undef PARAMETER
};

// All sender and receiver halves of controllers share this message buffer. Sharing is safe because each answer is read
// before the next request is written.
double numbers[kMessageFields + Feedback::kMaxValues];

#if defined(__EMSCRIPTEN__)
int AskHost(HostCall call, int half, int count) { return ccscope_user(static_cast<int>(call), half, numbers, count); }
#else
UserHost user_host = nullptr;
int AskHost(HostCall call, int half, int count) {
  return user_host == nullptr ? kNoAnswer : user_host(call, half, numbers, count);
}
#endif

int Ask(HostCall call, int half, std::initializer_list<double> question) {
  std::copy(question.begin(), question.end(), numbers);
  return AskHost(call, half, static_cast<int>(question.size()));
}

// The host's counterpart of one half in the core, identified by a number. The number is 0 if the host created no
// counterpart; the host does not answer requests to number 0.
struct HostHalf {
  HostHalf(HostCall create, double flow, const Bounds& bounds)
      : number(Ask(create, 0, {flow, bounds.min_bitrate_bps, bounds.max_bitrate_bps, bounds.start_bitrate_bps})) {}
  HostHalf(const HostHalf&) = delete;
  HostHalf& operator=(const HostHalf&) = delete;
  ~HostHalf() { Ask(HostCall::kDestroy, number, {}); }

  const int number;
};

class UserReceiver final : public ReceiverHalf {
 public:
  UserReceiver(const Bounds& bounds, double flow, Recorder& recorder)
      : host_(HostCall::kCreateReceiver, flow, bounds), flow_(flow), recorder_(recorder), stream_(kRateWindow) {}

  void Configure(const double*) override {}

  std::optional<Feedback> OnArrival(const Arrival& arrival) override {
    stream_.OnArrival(arrival);
    return Message(Ask(HostCall::kArrival, host_.number,
                       {arrival.seq, arrival.send_time.us(), arrival.arrival_time.us(), arrival.size.bytes(),
                              arrival.rtp_timestamp.value_or(kAbsent), arrival.key_frame ? 1.0 : 0.0,
                              arrival.rtt ? arrival.rtt->us() : kAbsent}));
  }

  std::optional<Feedback> OnInboundCounters(const InboundCounters& counters) override {
    stream_.OnCounters(counters);
    return Message(Ask(HostCall::kInbound, host_.number, {counters.time.us(), counters.packets_received, counters.packets_lost,
                                                  counters.received.bytes()}));
  }

 private:
  // `count` is the length of the host's answer. Without an arrival there is nothing to echo, so no message is sent.
  std::optional<Feedback> Message(int count) {
    if (count < 0 || count > Feedback::kMaxValues || !stream_.has_arrivals()) return std::nullopt;
    Feedback feedback = stream_.Message(stream_.ReceivedRate(RateSource::kWire, kRateWindow).value_or(DataRate::Zero()));
    for (int i = 0; i < count; ++i) feedback.Add(numbers[i]);
    RecordFeedback(feedback, flow_, recorder_);
    return feedback;
  }

  HostHalf host_;
  double flow_;
  Recorder& recorder_;
  InboundStream stream_;
};

class UserSender final : public SenderHalf {
 public:
  UserSender(const Bounds& bounds, double flow)
      : host_(HostCall::kCreateSender, flow, bounds), bounds_(bounds), target_bps_(bounds.start_bitrate_bps) {
    pacing_bps_ = target_bps_ * kPacingFactor;
  }

  void Configure(const double* values) override { bounds_ = ParamsFromValues<Bounds>(values); }

  ParameterError Check(const Feedback&) const override { return {}; }

  void OnFeedback(const Feedback& feedback, Timestamp now) override {
    if (const auto rtt = feedback.Rtt(now)) OnRtt(*rtt, now);
    CountLosses(feedback.packets_received, feedback.packets_lost, now);
    std::copy_n(feedback.values.begin(), feedback.value_count, numbers + kMessageFields);
    const double fields[] = {now.us(),
                             feedback.time.us(),
                             feedback.received_rate.bps(),
                             feedback.packets_received,
                             feedback.packets_lost,
                             feedback.echo_send_time.us(),
                             feedback.echo_delay.us()};
    std::copy(std::begin(fields), std::end(fields), numbers);
    AskHost(HostCall::kFeedback, host_.number, kMessageFields + feedback.value_count);
  }

  void OnReceiverReport(double packets_received, double packets_lost, Timestamp now) override {
    CountLosses(packets_received, packets_lost, now);
  }

  void OnRtt(TimeDelta rtt) override { OnRtt(rtt, now_); }

  RateUpdate Process(Timestamp now) override {
    now_ = std::max(now_, now);
    if (Ask(HostCall::kRate, host_.number, {now.us()}) == 2 && numbers[0] >= 0 && std::isfinite(numbers[0])) {
      target_bps_ = numbers[0];
      pacing_bps_ = numbers[1] > 0 && std::isfinite(numbers[1]) ? numbers[1] : target_bps_ * kPacingFactor;
    }
    const double target = std::clamp(target_bps_, bounds_.min_bitrate_bps, std::max(bounds_.min_bitrate_bps, bounds_.max_bitrate_bps));
    // If the pacer were slower than the encoder, the pacer's queue would only grow.
    const double pacing = std::max(target, pacing_bps_);
    return {DataRate::BitsPerSec(target), DataRate::BitsPerSec(pacing), DataRate::BitsPerSec(kAbsent),
            DataRate::BitsPerSec(kAbsent), fraction_lost_, rtt_};
  }

 private:
  void OnRtt(TimeDelta rtt, Timestamp now) {
    if (!(rtt > TimeDelta::Zero())) return;
    now_ = std::max(now_, now);
    rtt_ = rtt;
    Ask(HostCall::kRtt, host_.number, {now_.us(), rtt.us()});
  }

  // Computes the fraction of lost packets from cumulative counts, over at least one second.
  void CountLosses(double received, double lost, Timestamp now) {
    if (counted_at_.IsFinite() && now - counted_at_ < kLossInterval) return;
    const double newly_lost = std::max(0.0, lost - lost_);
    const double expected = newly_lost + std::max(0.0, received - received_);
    if (counted_at_.IsFinite()) fraction_lost_ = expected > 0 ? newly_lost / expected : 0;
    counted_at_ = now;
    received_ = received;
    lost_ = lost;
  }

  HostHalf host_;
  Bounds bounds_;
  double target_bps_;
  double pacing_bps_;
  Timestamp now_ = Timestamp::Micros(0);
  TimeDelta rtt_ = TimeDelta::Micros(kAbsent);  // until known
  Timestamp counted_at_ = Timestamp::MinusInfinity();
  double received_ = 0;
  double lost_ = 0;
  double fraction_lost_ = 0;
};

}  // namespace

#if !defined(__EMSCRIPTEN__)
void SetUserHost(UserHost host) { user_host = host; }
#endif

const ControllerSpec kUserControllerSpec{
    kSpecs, sizeof kSpecs / sizeof kSpecs[0],
    [](const double* values, double flow, Recorder& recorder) -> std::unique_ptr<ReceiverHalf> {
      return std::make_unique<UserReceiver>(ParamsFromValues<Bounds>(values), flow, recorder);
    },
    [](const double* values, double flow, std::uint64_t, Recorder&) -> std::unique_ptr<SenderHalf> {
      return std::make_unique<UserSender>(ParamsFromValues<Bounds>(values), flow);
    }};

}  // namespace ccscope
