#include "sim/tcp_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "units/deterministic_math.h"

namespace ccscope {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
// IPv4 and TCP with the timestamp option (RFC 7323).
constexpr DataSize kHeaders = DataSize::Bytes(52);

DataSize Payload(const tcp::Parameters& parameters) {
  return std::max(DataSize::Bytes(1), parameters.segment_size() - kHeaders);
}

}  // namespace

TcpFlow::TcpFlow(const FlowParams& flow, const Params& params, int index, int windows, std::uint64_t seed,
                 FlowNetwork& network)
    : Flow(FlowKind::kTcp, flow, index, windows, network),
      tcp_params_(params),
      random_(seed),
      sender_(params.tcp, params.congestion_control),
      receiver_(params.tcp, params.congestion_control) {}

// Staggers the starts, so that connections with the same start time do not start in the same
// microsecond.
void TcpFlow::Begin() {
  constexpr TimeDelta kStagger = TimeDelta::Millis(100);
  network().SetTimer(index(), kStartOrStop, params().start + kStagger * random_.Uniform());
}

void TcpFlow::StartOrStop(Timestamp now) {
  if (now >= params().stop) {
    running_ = false;
    sender_.Stop(now);
    UpdateSenderTimer();
    return;
  }
  running_ = true;
  if (tcp_params_.files) {
    const ShortFiles& files = *tcp_params_.files;
    const DataSize size = files.smallest + (files.largest - files.smallest) * random_.Uniform();
    const double segments = std::ceil(size / Payload(tcp_params_.tcp));
    sender_.Reset();  // each file gets a new connection
    sender_.Start(now, static_cast<std::int64_t>(std::max(1.0, segments)));
  } else {
    sender_.Start(now);
  }
  network().SetTimer(index(), kStartOrStop, params().stop);
  Pump(now);
}

void TcpFlow::OnTimer(int timer, Timestamp now) {
  switch (timer) {
    case kStartOrStop:
      return StartOrStop(now);
    case kSender:
      sender_timer_ = Timestamp::PlusInfinity();
      if (sender_.next_timer() <= now) sender_.OnTimer(now);
      return Pump(now);
    default:
      receiver_timer_ = Timestamp::PlusInfinity();
      if (receiver_.next_timer() <= now) {
        if (const auto ack = receiver_.OnTimer(now)) SendAck(*ack, now);
      }
      return UpdateReceiverTimer();
  }
}

void TcpFlow::Pump(Timestamp now) {
  while (const auto segment = sender_.NextSegment(now)) {
    meter().OnSent(segment->size);
    const std::uint32_t id = segments_.Put(*segment);
    if (!network().Send(*this, Leg::kData, id, segment->size, now)) OnDropped(Leg::kData, id, now);
  }
  if (running_ && tcp_params_.files && sender_.finished()) {
    running_ = false;
    const double idle = -det::Log(1 - random_.Uniform());
    network().SetTimer(index(), kStartOrStop, std::min(now + tcp_params_.files->mean_idle * idle, params().stop));
  }
  UpdateSenderTimer();
}

void TcpFlow::SendAck(const tcp::Ack& ack, Timestamp now) {
  const std::uint32_t id = acks_.Put(ack);
  if (!network().Send(*this, Leg::kReturn, id, ack.size, now)) OnDropped(Leg::kReturn, id, now);
}

void TcpFlow::OnDelivered(Leg leg, std::uint32_t id, TimeDelta queue_delay, Timestamp now) {
  if (leg == Leg::kReturn) {
    sender_.OnAck(acks_.Take(id), now);
    Pump(now);
    return;
  }
  const tcp::Segment segment = segments_.Take(id);
  const double duplicates = receiver_.stats().duplicates;
  const auto ack = receiver_.OnSegment(segment, now);
  const bool fresh = receiver_.stats().duplicates == duplicates;
  meter().OnReceived(segment.size, fresh ? Payload(tcp_params_.tcp) : DataSize::Zero(), queue_delay);
  if (ack) SendAck(*ack, now);
  UpdateReceiverTimer();
}

void TcpFlow::OnDropped(Leg leg, std::uint32_t id, Timestamp) {
  if (leg == Leg::kReturn) {
    acks_.Take(id);
  } else {
    meter().OnLost(segments_.Take(id).size);
  }
}

void TcpFlow::UpdateSenderTimer() {
  const Timestamp wanted = sender_.next_timer();
  if (wanted < sender_timer_) network().SetTimer(index(), kSender, sender_timer_ = wanted);
}

void TcpFlow::UpdateReceiverTimer() {
  const Timestamp wanted = receiver_.next_timer();
  if (wanted < receiver_timer_) network().SetTimer(index(), kReceiver, receiver_timer_ = wanted);
}

void TcpFlow::Trace(Timestamp now, TimeDelta interval, Recorder& recorder) {
  const FlowMeter::Interval passed = meter().TakeInterval();
  const double flow = static_cast<double>(index());
  const double rtt_us = sender_.rtt().has_sample() ? sender_.rtt().srtt().us() : kAbsent;
  recorder.Output(RateRow{.flow = flow,
                          .time_us = now.us(),
                          .a_r_bps = kAbsent,
                          .a_s_bps = kAbsent,
                          .target_bps = kAbsent,
                          .sent_bps = (passed.sent / interval).bps(),
                          .fraction_lost = kAbsent,
                          .rtt_us = rtt_us,
                          .browser_estimate_bps = kAbsent});
  recorder.Output(ThroughputRow{.flow = flow,
                                .time_us = now.us(),
                                .received_bps = (passed.received / interval).bps(),
                                .queue_delay_us = passed.mean_queue_delay_us(),
                                .rtt_us = rtt_us});
}

}  // namespace ccscope
