#include "sim/media_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ccscope {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
// A compound RTCP packet (report and SDES, or report and REMB) with its UDP and IPv4 headers.
constexpr DataSize kRtcpSize = DataSize::Bytes(96);
constexpr double kRtpClockHz = 90000;
// The sender keeps this many of its latest packets for retransmission. Once it knows an RTT, it answers a request with
// at most as much data as the target rate carries in one round trip (WebRTC of 2016: RTPPacketHistory,
// RTPSender::OnReceivedNACK).
constexpr std::size_t kSentPackets = 600;
// A packet that was retransmitted less than the RTT and this time ago may still arrive, and is not retransmitted again
// (RTPSender::ReSendPacket).
constexpr TimeDelta kResendMargin = TimeDelta::Millis(5);
constexpr TimeDelta kLongestReportInterval = TimeDelta::Seconds(1);
constexpr double kRtpModulus = 4294967296.0;

}  // namespace

MediaFlow::MediaFlow(const FlowParams& params, const MediaSource::Params& source, std::vector<Window> pauses,
                     Controller controller, int index, int windows, std::uint64_t seed, FlowNetwork& network,
                     Recorder& recorder)
    : Flow(FlowKind::kMedia, params, index, windows, network),
      source_params_(source),
      pauses_(std::move(pauses)),
      controller_(std::move(controller)),
      recorder_(recorder),
      random_(seed),
      source_(source, controller_.sender->Process(params.start).target) {
  ApplyRate(params.start);
}

// Frames of different flows have different phases, even if the flows start at the same time.
void MediaFlow::Begin() {
  const Timestamp start = params().start;
  network().SetTimer(index(), kFrame, start + source_params_.frame_interval() * random_.Uniform());
  network().SetTimer(index(), kProbe, start + TimeDelta::Millis(source_params_.rtcp_interval_ms) * random_.Uniform());
  if (source_params_.receiver_report_kbit > 0) network().SetTimer(index(), kReport, start + kLongestReportInterval * random_.Uniform());
}

bool MediaFlow::Paused(Timestamp now) const {
  return std::any_of(pauses_.begin(), pauses_.end(), [now](const Window& w) { return w.Contains(now); });
}

bool MediaFlow::ActiveThrough(Timestamp begin, Timestamp end) const {
  const auto overlaps = [begin, end](const Window& w) { return w.begin < end && w.end > begin; };
  return Flow::ActiveThrough(begin, end) && std::none_of(pauses_.begin(), pauses_.end(), overlaps);
}

void MediaFlow::OnTimer(int timer, Timestamp now) {
  switch (timer) {
    case kFrame:
      return OnFrame(now);
    case kPacer:
      return OnPacer(now);
    case kReport:
      return OnReport(now);
    default:
      return OnProbe(now);
  }
}

void MediaFlow::OnFrame(Timestamp now) {
  if (now >= params().stop) return;
  network().SetTimer(index(), kFrame, now + source_params_.frame_interval());
  if (Paused(now)) return;
  if (controller_.sender->OnSent({now, sent_, paced_size_})) ApplyRate(now);
  const MediaSource::Frame frame = source_.NextFrame(random_);
  const double rtp_timestamp = std::fmod(std::floor(now.seconds() * kRtpClockHz), kRtpModulus);
  const auto held = static_cast<int>(paced_.size());
  DataSize left = frame.size;
  const DataSize largest = source_params_.LargestFragment(frame.size);
  while (left > DataSize::Zero()) {
    const DataSize payload = std::min(left, largest);
    left -= payload;
    paced_.PushBack({.key_frame = frame.key_frame,
                     .rtp_timestamp = rtp_timestamp,
                     .payload = payload,
                     .size = payload + source_params_.header(),
                     .encoded = now});
    paced_size_ += paced_.back().size;
  }
  network().Hold(static_cast<int>(paced_.size()) - held);
  // A source that ignores the controller's target must not be limited by the controller's pacing rate either.
  if (source_params_.ramp_time_constant_s > 0) pacer_.SetRate(std::max(rate_.pacing, source_.rate() * 2));
  StartPacer(now);
}

void MediaFlow::StartPacer(Timestamp now) {
  if (pacing_ || (repeats_.empty() && paced_.empty())) return;
  pacing_ = true;
  network().SetTimer(index(), kPacer, std::max(now, next_pacer_));
}

void MediaFlow::OnPacer(Timestamp now) {
  pacer_.BeginInterval(now, paced_size_);
  while (pacing_ && pacer_.may_send()) {
    const bool is_repeat = !repeats_.empty();
    DataPacket packet = is_repeat ? repeats_.PopFront() : paced_.PopFront();
    if (!is_repeat) {
      packet.seq = next_seq_++;
      packet.first_sent = now;
      if (may_repeat()) sent_packets_.PushBack(packet);
      if (sent_packets_.size() > kSentPackets) sent_packets_.Pop();
    }
    pacing_ = !repeats_.empty() || !paced_.empty();
    paced_size_ -= packet.size;
    pacer_.OnSent(packet.size);
    network().Hold(-1);
    SendData(packet, now);
  }
  next_pacer_ = now + Pacer::kInterval;
  if (pacing_) network().SetTimer(index(), kPacer, next_pacer_);
}

// Sends a sender report. The next report follows after 0.5 to 1.5 mean intervals, at random, so that reports are not
// synchronised with frames (RFC 3550 6.2).
void MediaFlow::OnProbe(Timestamp now) {
  if (now >= params().stop) return;
  SendData({.probe = true, .size = kRtcpSize}, now);
  const double factor = 0.5 + random_.Uniform();
  network().SetTimer(index(), kProbe, now + TimeDelta::Millis(source_params_.rtcp_interval_ms) * factor);
}

// Sends a receiver report. As in WebRTC for a video stream (RTCPSender), the next report follows after 0.5 to 1.5 mean
// intervals, at random.
void MediaFlow::OnReport(Timestamp now) {
  if (now >= params().stop) return;
  if (arrived_.highest_seq()) SendMessage(ReceiverReport{arrived_.received(), arrived_.lost()}, kRtcpSize, now);
  const TimeDelta interval = TimeDelta::Seconds(source_params_.receiver_report_kbit / rate_.target.kbps());
  network().SetTimer(index(), kReport, now + std::min(interval, kLongestReportInterval) * (0.5 + random_.Uniform()));
}

void MediaFlow::Repeat(const MissingRun& run, Timestamp now) {
  if (sent_packets_.empty()) return;
  const double oldest = sent_packets_.front().seq;
  const double newest = sent_packets_.back().seq;
  const auto held = static_cast<int>(repeats_.size());
  const DataSize allowed = rate_.rtt > TimeDelta::Zero() ? rate_.target * rate_.rtt : DataSize::PlusInfinity();
  DataSize repeated;
  for (double seq = std::max(run.first, oldest); seq < run.first + run.count && seq <= newest; ++seq) {
    DataPacket& packet = sent_packets_[static_cast<std::size_t>(seq - oldest)];
    if (packet.sent > packet.first_sent && now - packet.sent < rate_.rtt + kResendMargin) continue;
    packet.sent = now;
    repeats_.PushBack(packet);
    paced_size_ += packet.size;
    repeated += packet.size;
    if (repeated > allowed) break;
  }
  network().Hold(static_cast<int>(repeats_.size()) - held);
}

void MediaFlow::AskForMissing(TimeDelta rtt, Timestamp now) {
  while (const auto run = nacks_.Due(rtt, now)) SendMessage(Nack{*run}, kRtcpSize, now);
  if (nacks_.TakeGivenUp()) SendMessage(PictureLoss{}, kRtcpSize, now);
}

void MediaFlow::SendData(DataPacket packet, Timestamp now) {
  packet.sent = now;
  packet.rtt = rate_.rtt;
  sent_ += packet.size;
  if (!packet.probe) meter().OnSent(packet.size);
  const std::uint32_t id = data_.Put(packet);
  if (!network().Send(*this, Leg::kData, id, packet.size, now)) OnDropped(Leg::kData, id, now);
}

void MediaFlow::SendMessage(const Message& message, DataSize size, Timestamp now) {
  const std::uint32_t id = messages_.Put(message);
  if (!network().Send(*this, Leg::kReturn, id, size, now)) OnDropped(Leg::kReturn, id, now);
}

void MediaFlow::OnDropped(Leg leg, std::uint32_t id, Timestamp) {
  if (leg == Leg::kReturn) {
    messages_.Take(id);
    return;
  }
  const DataPacket packet = data_.Take(id);
  if (!packet.probe) meter().OnLost(packet.size);
}

void MediaFlow::OnDelivered(Leg leg, std::uint32_t id, TimeDelta queue_delay, Timestamp now) {
  if (leg == Leg::kData) {
    const DataPacket packet = data_.Take(id);
    if (packet.probe) {
      SendMessage(Echo{packet.sent}, kRtcpSize, now);
    } else {
      OnArrival(packet, queue_delay, now);
    }
    return;
  }
  OnMessage(messages_.Take(id), now);
}

void MediaFlow::OnMessage(const Message& message, Timestamp now) {
  if (const auto* echo = std::get_if<Echo>(&message)) {
    const TimeDelta rtt = now - echo->probe_sent;
    meter().OnProbe(rtt, rtt - network().MinRtt(index()));
    controller_.sender->OnRtt(rtt);
    return;
  }
  if (const auto* nack = std::get_if<Nack>(&message)) {
    Repeat(nack->run, now);
    return StartPacer(now);
  }
  if (std::holds_alternative<PictureLoss>(message)) return source_.RequestKeyFrame();
  if (const auto* report = std::get_if<ReceiverReport>(&message)) {
    controller_.sender->OnReceiverReport(report->packets_received, report->packets_lost, now);
  } else {
    controller_.sender->OnFeedback(*std::get_if<Feedback>(&message), now);
  }
  ApplyRate(now);
}

void MediaFlow::OnArrival(const DataPacket& packet, TimeDelta queue_delay, Timestamp now) {
  const bool is_new = !may_repeat() || nacks_.OnArrival(packet.seq);
  meter().OnReceived(packet.size, is_new ? packet.payload : DataSize::Zero(), queue_delay);
  const Timestamp undelayed = now - network().MinOneWayDelay(index());
  meter().OnOneWayDelay(undelayed - packet.sent, undelayed - packet.encoded);
  if (!is_new) return;
  const bool is_rtx = source_params_.uses_rtx() && packet.sent > packet.first_sent;
  if (!is_rtx) arrived_.OnArrival(packet.seq);
  if (may_repeat()) AskForMissing(packet.rtt, now);
  if (is_rtx) return;
  // A retransmitted packet keeps the time of its first transmission.
  const Arrival arrival{packet.seq,           packet.first_sent, now,       packet.size,
                        packet.rtp_timestamp, packet.key_frame,  packet.rtt};
  recorder_.Input(ArrivalRow{.flow = static_cast<double>(index()),
                             .seq = arrival.seq,
                             .send_time_us = arrival.send_time.us(),
                             .arrival_time_us = arrival.arrival_time.us(),
                             .size_bytes = arrival.size.bytes(),
                             .rtp_timestamp = packet.rtp_timestamp,
                             .abs_send_time = kAbsent,
                             .key_frame = packet.key_frame ? 1.0 : 0.0,
                             .rtt_us = packet.rtt.us()});
  if (const auto feedback = controller_.receiver->OnArrival(arrival)) SendMessage(*feedback, kRtcpSize, now);
}

void MediaFlow::ApplyRate(Timestamp now) {
  rate_ = controller_.sender->Process(now);
  source_.SetTarget(rate_.target);
  pacer_.SetRate(rate_.pacing);
}

void MediaFlow::Trace(Timestamp now, TimeDelta interval, Recorder& recorder) {
  TraceRates(*this, rate_, now, interval, recorder);
}

void TraceRates(Flow& flow, const RateUpdate& rate, Timestamp now, TimeDelta interval, Recorder& recorder) {
  const FlowMeter::Interval passed = flow.meter().TakeInterval();
  const double number = static_cast<double>(flow.index());
  const TimeDelta rtt = flow.meter().last_rtt();
  recorder.Output(RateRow{.flow = number,
                          .time_us = now.us(),
                          .a_r_bps = rate.a_r.bps(),
                          .a_s_bps = rate.a_s.bps(),
                          .target_bps = rate.target.bps(),
                          .sent_bps = (passed.sent / interval).bps(),
                          .fraction_lost = rate.fraction_lost,
                          .rtt_us = rate.rtt.us(),
                          .browser_estimate_bps = kAbsent});
  recorder.Output(ThroughputRow{.flow = number,
                                .time_us = now.us(),
                                .received_bps = (passed.received / interval).bps(),
                                .queue_delay_us = passed.mean_queue_delay_us(),
                                .rtt_us = rtt.IsFinite() ? rtt.us() : kAbsent});
}

}  // namespace ccscope
