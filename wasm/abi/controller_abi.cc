// The controllers behind the ABI: a receiver half and a sender half, each with its trace.
// Rows go in through the session's buffer, columns in the order of trace/columns.def, NaN = absent.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "abi/export.h"
#include "cc/gcc/parameters.h"
#include "cc/gcc/receiver.h"
#include "cc/gcc/sender.h"
#include "cc/send_clock.h"
#include "trace/recorder.h"

namespace ccscope {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr int kGcc = 0;

// What receiver and sender sessions share. A handle is a pointer to one.
struct Session {
  virtual ~Session() = default;
  virtual void Configure() = 0;

  gcc::Parameters parameters;
  double flow = 0;
  Recorder recorder;
  std::vector<double> buffer;
};

struct ReceiverSession final : Session {
  void Configure() override { receiver->Configure(parameters); }
  std::unique_ptr<gcc::Receiver> receiver;
  std::optional<Feedback> feedback;
  SendClock abs_send_clock;
  SendClock rtp_clock;
};

struct SenderSession final : Session {
  void Configure() override { sender->Configure(parameters); }
  std::unique_ptr<gcc::Sender> sender;
  gcc::WireRate sent_rate;
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

// Whether the buffer has room for that many rows: what was never written is not read.
template <class Row>
int CheckRows(const Session& session, int rows) {
  if (rows >= 0 && static_cast<std::size_t>(rows) * (sizeof(Row) / sizeof(double)) <= session.buffer.size()) return 0;
  return Fail("rows", "expected no more rows than the buffer holds");
}

bool ValidPreset(int controller, int preset) {
  return controller == kGcc && preset >= 0 && preset < gcc::kPresetCount;
}

// Numbers up to here count exactly: microseconds of 285 years, and any counter.
constexpr double kMaxExact = 9007199254740992.0;  // 2^53

int CheckNumber(double value, const char* field) {
  return std::fabs(value) <= kMaxExact ? 0 : Fail(field, "expected a finite number of at most 2^53");
}

int CheckArrival(const ArrivalRow& row) {
  if (CheckNumber(row.arrival_time_us, "arrival_time_us") != 0) return 1;
  if (CheckNumber(row.seq, "seq") != 0) return 1;
  if (!(row.size_bytes >= 0 && row.size_bytes <= kMaxExact)) return Fail("size_bytes", "expected a number from 0 to 2^53");
  if (!std::isnan(row.send_time_us) && CheckNumber(row.send_time_us, "send_time_us") != 0) return 1;
  if (std::isnan(row.send_time_us) && std::isnan(row.abs_send_time) && std::isnan(row.rtp_timestamp)) {
    return Fail("send_time_us", "expected a number, or abs_send_time or rtp_timestamp in its place");
  }
  return 0;
}

// The send time that the sender stamped, else one of RTP's.
Timestamp SendTime(ReceiverSession& session, const ArrivalRow& row) {
  if (!std::isnan(row.send_time_us)) return Timestamp::Micros(row.send_time_us);
  if (!std::isnan(row.abs_send_time)) return session.abs_send_clock.UnwrapAbsSendTime(row.abs_send_time);
  return session.rtp_clock.UnwrapRtp90kHz(row.rtp_timestamp);
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
  if (std::isfinite(row.rtt_us) && row.rtt_us > 0) arrival.rtt = TimeDelta::Micros(row.rtt_us);
  session.recorder.Input(row);
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

}  // namespace
}  // namespace ccscope

using namespace ccscope;  // NOLINT: the functions below are the ABI and nothing includes this file

// A receiver half of `controller` (0: gcc) with preset number `preset`; null on bad arguments.
CCSCOPE_FN(void*, ccs_receiver_create)(int controller, int preset, double flow) {
  if (!ValidPreset(controller, preset)) return Fail("preset", "expected a preset of the schema"), nullptr;
  auto* session = new ReceiverSession;
  session->parameters = gcc::WithPreset(preset);
  session->flow = flow;
  session->receiver = std::make_unique<gcc::Receiver>(session->parameters, flow, session->recorder);
  return static_cast<Session*>(session);
}

// A sender half, likewise.
CCSCOPE_FN(void*, ccs_sender_create)(int controller, int preset, double flow) {
  if (!ValidPreset(controller, preset)) return Fail("preset", "expected a preset of the schema"), nullptr;
  auto* session = new SenderSession;
  session->parameters = gcc::WithPreset(preset);
  session->flow = flow;
  session->sender = std::make_unique<gcc::Sender>(session->parameters);
  return static_cast<Session*>(session);
}

CCSCOPE_FN(void, ccs_session_destroy)(void* handle) { delete static_cast<Session*>(handle); }

CCSCOPE_FN(double, ccs_session_parameter)(void* handle, int index) {
  return gcc::Get(AsSession(handle).parameters, index);
}

// Changes one parameter, also during a call; the status is 1 when the value is out of range.
CCSCOPE_FN(int, ccs_session_set_parameter)(void* handle, int index, double value) {
  if (index < 0 || index >= gcc::kParameterCount) return Fail("parameter", "expected an index of the schema");
  const ParameterSpec& spec = gcc::kParameterSpecs[index];
  if (!(value >= spec.min && value <= spec.max)) return Fail(spec.name, spec.expectation);
  gcc::Set(AsSession(handle).parameters, index, value);
  AsSession(handle).Configure();
  return 0;
}

// Changes to another preset, but for the application's own bounds.
CCSCOPE_FN(int, ccs_session_apply_preset)(void* handle, int controller, int preset) {
  if (!ValidPreset(controller, preset)) return Fail("preset", "expected a preset of the schema");
  Session& session = AsSession(handle);
  const gcc::Parameters old = session.parameters;
  session.parameters = gcc::WithPreset(preset);
  session.parameters.min_bitrate_bps = old.min_bitrate_bps;
  session.parameters.max_bitrate_bps = old.max_bitrate_bps;
  session.parameters.start_bitrate_bps = old.start_bitrate_bps;
  session.Configure();
  return 0;
}

// Room for `doubles` numbers to be read by the next push.
CCSCOPE_FN(double*, ccs_session_buffer)(void* handle, int doubles) {
  Session& session = AsSession(handle);
  if (session.buffer.size() < static_cast<std::size_t>(doubles)) session.buffer.resize(static_cast<std::size_t>(doubles));
  return session.buffer.data();
}

// `rows` arrival rows from the buffer. Stops at the first bad one; the rows before it count.
CCSCOPE_FN(int, ccs_receiver_push_arrivals)(void* handle, int rows) {
  ReceiverSession& session = AsReceiver(handle);
  if (CheckRows<ArrivalRow>(session, rows) != 0) return 1;
  for (int i = 0; i < rows; ++i) {
    if (PushArrival(session, RowFrom<ArrivalRow>(session, i)) != 0) return 1;
  }
  return 0;
}

// `rows` inbound rows from the buffer, likewise.
CCSCOPE_FN(int, ccs_receiver_push_inbound)(void* handle, int rows) {
  ReceiverSession& session = AsReceiver(handle);
  if (CheckRows<InboundRow>(session, rows) != 0) return 1;
  for (int i = 0; i < rows; ++i) {
    if (PushInbound(session, RowFrom<InboundRow>(session, i)) != 0) return 1;
  }
  return 0;
}

// The latest feedback that became due since the last call, in the buffer as a feedback row;
// 0 when there is none.
CCSCOPE_FN(int, ccs_receiver_take_feedback)(void* handle) {
  ReceiverSession& session = AsReceiver(handle);
  if (!session.feedback) return 0;
  const Feedback& f = *session.feedback;
  const FeedbackRow row{session.flow, f.time.us(), f.a_r.bps(), f.received_rate.bps(), f.packets_received,
                        f.packets_lost, f.echo_send_time.us(), f.echo_delay.us(), f.drain.bps()};
  std::memcpy(ccs_session_buffer(handle, sizeof row / sizeof(double)), &row, sizeof row);
  session.feedback.reset();
  return 1;
}

// One feedback row from the buffer, received at `now_us` on the sender's clock.
CCSCOPE_FN(int, ccs_sender_push_feedback)(void* handle, double now_us) {
  SenderSession& session = AsSender(handle);
  if (CheckRows<FeedbackRow>(session, 1) != 0) return 1;
  const auto row = RowFrom<FeedbackRow>(session, 0);
  if (CheckNumber(now_us, "now_us") != 0) return 1;
  if (!(row.a_r_bps > 0 && row.a_r_bps <= kMaxExact)) return Fail("a_r_bps", "expected a number > 0, at most 2^53");
  if (CheckNumber(row.packets_received, "packets_received") != 0) return 1;
  if (CheckNumber(row.packets_lost, "packets_lost") != 0) return 1;
  session.sender->OnFeedback({Timestamp::Micros(row.time_us), DataRate::BitsPerSec(row.a_r_bps),
                              DataRate::BitsPerSec(row.received_rate_bps), row.packets_received, row.packets_lost,
                              Timestamp::Micros(row.echo_send_time_us), TimeDelta::Micros(row.echo_delay_us),
                              DataRate::BitsPerSec(row.drain_bps >= 0 ? row.drain_bps : 0)},
                             Timestamp::Micros(now_us));
  return 0;
}

// What the sender knows of itself: cumulative bytes sent, the RTT and the browser's own estimate
// (each NaN where unknown).
CCSCOPE_FN(int, ccs_sender_push_sent)(void* handle, double now_us, double sent_bytes, double rtt_us,
                                      double browser_estimate_bps) {
  SenderSession& session = AsSender(handle);
  if (CheckNumber(now_us, "now_us") != 0) return 1;
  if (std::isfinite(sent_bytes)) session.sent_rate.Add({Timestamp::Micros(now_us), 0, 0, DataSize::Bytes(sent_bytes)});
  if (std::isfinite(rtt_us) && rtt_us > 0) session.sender->OnRtt(TimeDelta::Micros(rtt_us));
  session.browser_estimate_bps = browser_estimate_bps;
  return 0;
}

// The rate at `now_us`; also a rate row. In the buffer: target, pacing, A_s, A_r (bps), fraction
// lost, RTT (us).
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

// Its trace, for the functions of trace_abi.cc.
CCSCOPE_FN(void*, ccs_session_recorder)(void* handle) { return &AsSession(handle).recorder; }
