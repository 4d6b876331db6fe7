// The controllers behind the ABI: a receiver half and a sender half, each with its trace. Input rows are passed in the
// session's buffer, with their columns in the order of trace/columns.def. NaN marks an absent value.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "abi/controllers.h"
#include "abi/export.h"
#include "abi/link_input.h"
#include "cc/live/frame_capacity.h"
#include "cc/received_rate.h"
#include "cc/send_clock.h"
#include "trace/recorder.h"

namespace ccscope {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
// The number of possible flow numbers: a feedback message has 32 bits for its flow number.
constexpr double kFlows = 4294967296.0;
// The number of fields in a feedback message that precede the controller's own values.
constexpr int kFeedbackFields = 6;

// The state that receiver and sender sessions have in common. A handle is a pointer to a Session.
struct Session {
  virtual ~Session() = default;
  virtual void Configure() = 0;

  const ControllerSpec* controller = nullptr;
  std::vector<double> parameters;
  double flow = 0;
  Recorder recorder;
  std::vector<double> buffer;
};

struct ReceiverSession final : Session {
  void Configure() override { receiver->Configure(parameters.data()); }
  std::unique_ptr<ReceiverHalf> receiver;
  std::optional<Feedback> feedback;
  bool has_arrivals = false;
  SendClock abs_send_clock;
  SendClock rtp_clock;
};

struct SenderSession final : Session {
  void Configure() override { sender->Configure(parameters.data()); }
  std::unique_ptr<SenderHalf> sender;
  WireRate sent_rate;
  double browser_estimate_bps = kAbsent;
};

Session& AsSession(void* handle) { return *static_cast<Session*>(handle); }
ReceiverSession& AsReceiver(void* handle) { return static_cast<ReceiverSession&>(AsSession(handle)); }
SenderSession& AsSender(void* handle) { return static_cast<SenderSession&>(AsSession(handle)); }

template <class Row>
Row RowFrom(const Session& session, int index) {
  Row row;
  std::memcpy(&row, session.buffer.data() + static_cast<std::size_t>(index) * (sizeof(Row) / sizeof(double)), sizeof row);
  return row;
}

// Checks that the buffer holds at least `rows` rows, so that nothing beyond its end is read.
template <class Row>
int CheckRows(const Session& session, int rows) {
  const std::size_t most = session.buffer.size() / (sizeof(Row) / sizeof(double));
  if (rows >= 0 && static_cast<std::size_t>(rows) <= most) return 0;
  return Fail("rows", "expected no more rows than the buffer holds");
}

// Up to this value, a double represents every integer exactly. Counters and times stay below it; as a time in
// microseconds, it is 285 years.
constexpr double kMaxExact = 9007199254740992.0;  // 2^53

int CheckNumber(double value, const char* field) {
  return std::fabs(value) <= kMaxExact ? 0 : Fail(field, "expected a finite number of at most 2^53");
}

// Like CheckNumber(), but also accepts NaN, which marks an absent value.
int CheckIfPresent(double value, const char* field) { return std::isnan(value) ? 0 : CheckNumber(value, field); }

// Like CheckIfPresent(), but for values that may exceed kMaxExact, such as differences and ratios.
int CheckFinite(double value, const char* field) {
  return std::isinf(value) ? Fail(field, "expected a finite number") : 0;
}

// Checks a counter that wraps at `modulus`.
int CheckWhole(double value, double modulus, const char* field) {
  if (value >= 0 && value < modulus && value == std::floor(value)) return 0;
  return Fail(field, modulus == SendClock::kAbsSendTimeModulus ? "expected a whole number from 0 to 2^24 - 1"
                                                               : "expected a whole number from 0 to 2^32 - 1");
}

int CheckWholeIfPresent(double value, double modulus, const char* field) {
  return std::isnan(value) ? 0 : CheckWhole(value, modulus, field);
}

int CheckArrival(const ArrivalRow& row) {
  if (CheckNumber(row.arrival_time_us, "arrival_time_us") != 0) return 1;
  if (CheckNumber(row.seq, "seq") != 0) return 1;
  if (!(row.size_bytes >= 0 && row.size_bytes <= kMaxExact)) return Fail("size_bytes", "expected a number from 0 to 2^53");
  if (CheckIfPresent(row.send_time_us, "send_time_us") != 0 || CheckIfPresent(row.rtt_us, "rtt_us") != 0) return 1;
  if (CheckWholeIfPresent(row.abs_send_time, SendClock::kAbsSendTimeModulus, "abs_send_time") != 0) return 1;
  if (CheckWholeIfPresent(row.rtp_timestamp, SendClock::kRtpModulus, "rtp_timestamp") != 0) return 1;
  if (std::isnan(row.send_time_us) && std::isnan(row.abs_send_time) && std::isnan(row.rtp_timestamp)) {
    return Fail("send_time_us", "expected a number, or abs_send_time or rtp_timestamp in its place");
  }
  return 0;
}

// The send time that the sender reported. If the sender reported none, the time is derived from RTP.
Timestamp SendTime(ReceiverSession& session, const ArrivalRow& row) {
  if (!std::isnan(row.send_time_us)) return Timestamp::Micros(row.send_time_us);
  const Timestamp arrival = Timestamp::Micros(row.arrival_time_us);
  if (!std::isnan(row.abs_send_time)) return session.abs_send_clock.UnwrapAbsSendTime(row.abs_send_time, arrival);
  return session.rtp_clock.UnwrapRtp90kHz(row.rtp_timestamp, arrival);
}

int PushArrival(ReceiverSession& session, ArrivalRow row) {
  row.flow = session.flow;
  if (CheckArrival(row) != 0) return 1;
  Arrival arrival;
  arrival.seq = row.seq;
  arrival.send_time = SendTime(session, row);
  arrival.arrival_time = Timestamp::Micros(row.arrival_time_us);
  arrival.size = DataSize::Bytes(row.size_bytes);
  if (!std::isnan(row.rtp_timestamp)) arrival.rtp_timestamp = row.rtp_timestamp;
  arrival.key_frame = row.key_frame > 0;
  if (row.rtt_us > 0) arrival.rtt = TimeDelta::Micros(row.rtt_us);
  session.recorder.Input(row);
  session.has_arrivals = true;
  if (const auto feedback = session.receiver->OnArrival(arrival)) session.feedback = feedback;
  return 0;
}

int PushInbound(ReceiverSession& session, InboundRow row) {
  row.flow = session.flow;
  if (CheckNumber(row.time_us, "time_us") != 0) return 1;
  if (CheckNumber(row.packets_received, "packets_received") != 0) return 1;
  if (CheckNumber(row.packets_lost, "packets_lost") != 0) return 1;
  if (CheckNumber(row.bytes_received, "bytes_received") != 0) return 1;
  session.recorder.Input(row);
  const auto feedback = session.receiver->OnInboundCounters(
      {Timestamp::Micros(row.time_us), row.packets_received, row.packets_lost, DataSize::Bytes(row.bytes_received)});
  if (feedback) session.feedback = feedback;
  return 0;
}

// Sets up the fields that every session has. Reads the parameters from the input buffer.
bool SetUp(Session& session, int controller, double flow) {
  session.controller = FindController(controller);
  session.flow = flow;
  return session.controller != nullptr && CheckWhole(flow, kFlows, "flow") == 0 &&
         ReadParameters(*session.controller, Input(session.controller->parameter_count), session.parameters);
}

// Reads a message from the buffer: the common fields, then the controller's own values.
int ReadFeedback(const Session& session, int count, Feedback& feedback) {
  if (count < kFeedbackFields || count > kFeedbackFields + Feedback::kMaxValues ||
      static_cast<std::size_t>(count) > session.buffer.size()) {
    return Fail("feedback", "expected six fields and at most 64 values");
  }
  const int values = count - kFeedbackFields;
  const double* in = session.buffer.data();
  if (CheckNumber(in[0], "time_us") != 0 || CheckFinite(in[1], "received_rate_bps") != 0) return 1;
  if (CheckNumber(in[2], "packets_received") != 0) return 1;
  if (CheckNumber(in[3], "packets_lost") != 0) return 1;
  if (CheckFinite(in[4], "echo_send_time_us") != 0 || CheckFinite(in[5], "echo_delay_us") != 0) return 1;
  feedback.time = Timestamp::Micros(in[0]);
  feedback.received_rate = DataRate::BitsPerSec(in[1]);
  feedback.packets_received = in[2];
  feedback.packets_lost = in[3];
  feedback.echo_send_time = Timestamp::Micros(in[4]);
  feedback.echo_delay = TimeDelta::Micros(in[5]);
  for (int i = 0; i < values; ++i) {
    if (CheckNumber(in[kFeedbackFields + i], "values") != 0) return 1;
    feedback.Add(in[kFeedbackFields + i]);
  }
  return 0;
}

}  // namespace
}  // namespace ccscope

using namespace ccscope;  // NOLINT: the functions below are the ABI and nothing includes this file

CCSCOPE_FN(void*, ccs_receiver_create)(int controller, double flow) {
  auto session = std::make_unique<ReceiverSession>();
  if (!SetUp(*session, controller, flow)) return nullptr;
  session->receiver = session->controller->make_receiver(session->parameters.data(), flow, session->recorder);
  return static_cast<Session*>(session.release());
}

CCSCOPE_FN(int, ccs_receiver_share_frames)(void* handle, void* other) {
  ReceiverSession& session = AsReceiver(handle);
  if (session.has_arrivals || AsReceiver(other).has_arrivals) return Fail("other", "expected two receiver halves that have not been given arrivals yet");
  FrameCapacity* mine = session.receiver->frame_capacity();
  const FrameCapacity* theirs = AsReceiver(other).receiver->frame_capacity();
  if (mine != nullptr && theirs != nullptr) mine->ShareFrames(*theirs);
  return 0;
}

CCSCOPE_FN(void*, ccs_sender_create)(int controller, double flow, double seed) {
  auto session = std::make_unique<SenderSession>();
  if (CheckSeed(seed) != 0 || !SetUp(*session, controller, flow)) return nullptr;
  session->sender = session->controller->make_sender(session->parameters.data(), flow,
                                                     static_cast<std::uint64_t>(seed), session->recorder);
  return static_cast<Session*>(session.release());
}

CCSCOPE_FN(void, ccs_session_destroy)(void* handle) { delete static_cast<Session*>(handle); }

CCSCOPE_FN(void, ccs_session_record)(void* handle, int tables) {
  AsSession(handle).recorder.KeepOnly(static_cast<std::uint32_t>(tables));
}

CCSCOPE_FN(double, ccs_session_parameter)(void* handle, int index) {
  const auto& parameters = AsSession(handle).parameters;
  const auto place = static_cast<std::size_t>(index);
  return place < parameters.size() ? parameters[place] : kAbsent;
}

CCSCOPE_FN(int, ccs_session_set_parameter)(void* handle, int index, double value) {
  Session& session = AsSession(handle);
  if (index < 0 || index >= session.controller->parameter_count) return Fail("parameter", "expected the index of a parameter");
  const ParameterSpec& spec = session.controller->parameters[index];
  if (const auto error = CheckValues(&spec, 1, &value, 1)) return Fail(error.field, error.expectation);
  session.parameters[static_cast<std::size_t>(index)] = value;
  session.Configure();
  return 0;
}

CCSCOPE_FN(int, ccs_session_configure)(void* handle) {
  Session& session = AsSession(handle);
  if (!ReadParameters(*session.controller, Input(session.controller->parameter_count), session.parameters)) return 1;
  session.Configure();
  return 0;
}

CCSCOPE_FN(double*, ccs_session_buffer)(void* handle, int doubles) {
  Session& session = AsSession(handle);
  const std::size_t size = doubles > 0 ? static_cast<std::size_t>(doubles) : 0;
  if (session.buffer.size() < size) session.buffer.resize(size);
  return session.buffer.data();
}

CCSCOPE_FN(int, ccs_receiver_push_arrivals)(void* handle, int rows) {
  ReceiverSession& session = AsReceiver(handle);
  if (CheckRows<ArrivalRow>(session, rows) != 0) return 1;
  for (int i = 0; i < rows; ++i) {
    if (PushArrival(session, RowFrom<ArrivalRow>(session, i)) != 0) return 1;
  }
  return 0;
}

CCSCOPE_FN(int, ccs_receiver_push_inbound)(void* handle, int rows) {
  ReceiverSession& session = AsReceiver(handle);
  if (CheckRows<InboundRow>(session, rows) != 0) return 1;
  for (int i = 0; i < rows; ++i) {
    if (PushInbound(session, RowFrom<InboundRow>(session, i)) != 0) return 1;
  }
  return 0;
}

CCSCOPE_FN(int, ccs_receiver_take_feedback)(void* handle) {
  ReceiverSession& session = AsReceiver(handle);
  if (!session.feedback) return 0;
  const Feedback& f = *session.feedback;
  const int count = kFeedbackFields + f.value_count;
  double* out = ccs_session_buffer(handle, count);
  const double fields[kFeedbackFields] = {f.time.us(),    f.received_rate.bps(),   f.packets_received,
                                          f.packets_lost, f.echo_send_time.us(), f.echo_delay.us()};
  std::copy_n(fields, kFeedbackFields, out);
  std::copy_n(f.values.begin(), f.value_count, out + kFeedbackFields);
  session.feedback.reset();
  return count;
}

CCSCOPE_FN(int, ccs_sender_push_feedback)(void* handle, double now_us, int count) {
  SenderSession& session = AsSender(handle);
  Feedback feedback;
  if (CheckNumber(now_us, "now_us") != 0 || ReadFeedback(session, count, feedback) != 0) return 1;
  if (const auto error = session.sender->Check(feedback)) return Fail(error.field, error.expectation);
  session.sender->OnFeedback(feedback, Timestamp::Micros(now_us));
  return 0;
}

CCSCOPE_FN(int, ccs_sender_push_receiver_report)
(void* handle, double now_us, double packets_received, double packets_lost) {
  if (CheckNumber(now_us, "now_us") != 0) return 1;
  if (CheckNumber(packets_received, "packets_received") != 0) return 1;
  if (CheckNumber(packets_lost, "packets_lost") != 0) return 1;
  AsSender(handle).sender->OnReceiverReport(packets_received, packets_lost, Timestamp::Micros(now_us));
  return 0;
}

CCSCOPE_FN(int, ccs_sender_push_sent)(void* handle, double now_us, double sent_bytes, double rtt_us,
                                      double browser_estimate_bps) {
  SenderSession& session = AsSender(handle);
  if (CheckNumber(now_us, "now_us") != 0 || CheckIfPresent(sent_bytes, "sent_bytes") != 0 ||
      CheckIfPresent(rtt_us, "rtt_us") != 0) {
    return 1;
  }
  if (!std::isnan(sent_bytes)) {
    const DataSize sent = DataSize::Bytes(sent_bytes);
    session.sent_rate.Add({Timestamp::Micros(now_us), 0, 0, sent});
    session.sender->OnSent({Timestamp::Micros(now_us), sent, DataSize::Zero()});
  }
  if (rtt_us > 0) session.sender->OnRtt(TimeDelta::Micros(rtt_us));
  session.browser_estimate_bps = browser_estimate_bps;
  return 0;
}

CCSCOPE_FN(int, ccs_sender_run)(void* handle, double now_us) {
  SenderSession& session = AsSender(handle);
  if (CheckNumber(now_us, "now_us") != 0) return 1;
  const RateUpdate update = session.sender->Process(Timestamp::Micros(now_us));
  const double out[] = {update.target.bps(), update.pacing.bps(), update.a_s.bps(),
                        update.a_r.bps(),    update.fraction_lost, update.rtt.us()};
  std::memcpy(ccs_session_buffer(handle, sizeof out / sizeof(double)), out, sizeof out);
  const auto sent = session.sent_rate.Rate(TimeDelta::Millis(500));
  session.recorder.Output(RateRow{
      .flow = session.flow,
      .time_us = now_us,
      .a_r_bps = update.a_r.bps(),
      .a_s_bps = update.a_s.bps(),
      .target_bps = update.target.bps(),
      .sent_bps = sent ? sent->bps() : kAbsent,
      .fraction_lost = update.fraction_lost,
      .rtt_us = update.rtt.us(),
      .browser_estimate_bps = session.browser_estimate_bps,
  });
  return 0;
}

CCSCOPE_FN(void*, ccs_sender_half)(void* handle) { return AsSender(handle).sender.get(); }

CCSCOPE_FN(void*, ccs_session_recorder)(void* handle) { return &AsSession(handle).recorder; }
