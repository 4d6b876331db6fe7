#include "sim/live/live_flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ccscope::live {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
// The size of an RTCP packet with its UDP and IPv4 headers. All kinds are assumed to be equally large: compound
// reports, requests for packets, and requests for a key frame.
constexpr DataSize kRtcpSize = DataSize::Bytes(96);
constexpr double kRtpClockHz = 90000;
constexpr double kRtpModulus = 4294967296.0;
// How many packets a sender keeps for retransmission.
constexpr std::size_t kHistory = 1024;
// Feedback counts as missing if none has arrived for this long. A real call waits for 1.5 s
// (src/worker/media/sender_seat.ts).
constexpr TimeDelta kFeedbackMissing = TimeDelta::Seconds(1);
constexpr TimeDelta kTickInterval = TimeDelta::Millis(100);
constexpr TimeDelta kAudioInterval = TimeDelta::Millis(20);
// A freeze (webrtc-stats, freezeCount) is an interval between two frames that is longer than three times the mean and
// longer than the mean plus 150 ms. The mean is an exponential average over about 30 intervals.
constexpr TimeDelta kFreezeBeyond = TimeDelta::Millis(150);
// A picture that is shown for this long is frozen, although the next one has not come.
constexpr TimeDelta kStill = TimeDelta::Seconds(1);
constexpr double kIntervals = 30;
// The jitter buffer forgets the delay of a late frame over about this many frames.
constexpr double kPlayoutFrames = 300;

Lateness::Params LatenessOf(const Parameters& live, TimeDelta usual) {
  return {usual, live.stalls_per_s, TimeDelta::Millis(live.stall_ms), live.stall_tail};
}

}  // namespace

const ParameterSpec kParameterSpecs[kParameterCount] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "sim/live/parameters.def"
#undef PARAMETER
};

LiveFlow::LiveFlow(const FlowParams& params, const MediaSource::Params& source, const Parameters& live,
                   MediaFlow::Controller controller, int index, int windows, std::uint64_t seed,
                   FlowNetwork& network, Recorder& recorder)
    : Flow(FlowKind::kMedia, params, index, windows, network),
      source_params_(source),
      live_(live),
      controller_(std::move(controller)),
      recorder_(recorder),
      random_(seed),
      source_(source, controller_.sender->Process(params.start).target),
      rate_(controller_.sender->Process(params.start)),
      camera_(LatenessOf(live, TimeDelta::Zero()), random_.Next()),
      sender_(LatenessOf(live, TimeDelta::Micros(live.stamp_delay_us)), random_.Next()),
      relay_in_(LatenessOf(live, TimeDelta::Zero()), random_.Next()),
      relay_out_(LatenessOf(live, TimeDelta::Zero()), random_.Next()),
      receiver_(LatenessOf(live, TimeDelta::Micros(live.receive_delay_us)), random_.Next()),
      receiver_page_(LatenessOf(live, TimeDelta::Micros(live.receive_delay_us)), random_.Next()),
      sender_page_(LatenessOf(live, TimeDelta::Micros(live.receive_delay_us)), random_.Next()),
      history_(kHistory),
      encoder_target_(rate_.target),
      wanted_(rate_.target),
      assembly_({IsOn(live.nack), TimeDelta::Millis(live.nack_interval_ms), static_cast<int>(live.nack_retries)}),
      mean_interval_(source.frame_interval()) {
  due_.fill(Timestamp::PlusInfinity());
}

void LiveFlow::Begin() {
  const Timestamp start = params().start;
  next_frame_ = start + source_params_.frame_interval() * random_.Uniform();
  Schedule(kCapture, camera_.Handled(next_frame_));
  Schedule(kStats, start + TimeDelta::Millis(live_.stats_interval_ms) * random_.Uniform());
  Schedule(kTick, start + kTickInterval * random_.Uniform());
  Schedule(kReport, start + TimeDelta::Millis(source_params_.rtcp_interval_ms) * random_.Uniform());
  if (live_.audio_bps > 0) Schedule(kAudio, start + kAudioInterval * random_.Uniform());
}

void LiveFlow::Schedule(Event event, Timestamp at) {
  due_[event] = at;
  network().SetTimer(index(), 0, *std::min_element(due_.begin(), due_.end()));
}

void LiveFlow::OnTimer(int, Timestamp now) {
  for (int event = 0; event < kEvents; ++event) {
    if (due_[static_cast<std::size_t>(event)] > now) continue;
    due_[static_cast<std::size_t>(event)] = Timestamp::PlusInfinity();
    Run(static_cast<Event>(event), now);
  }
  network().SetTimer(index(), 0, *std::min_element(due_.begin(), due_.end()));
}

void LiveFlow::Run(Event event, Timestamp now) {
  // A call that has ended begins nothing new; what it has sent still arrives.
  const bool begins = event == kCapture || event == kStats || event == kTick || event == kReport || event == kAudio;
  if (begins && now >= params().stop) return;
  switch (event) {
    case kCapture:
      return OnCapture(now);
    case kSend:
      return OnSend(now);
    case kPace:
      return OnPace(now);
    case kEnter:
      return OnEnter(now);
    case kArrive:
      return OnArrive(now);
    case kReply:
      return OnReply(now);
    case kHear:
      return OnHear(now);
    case kStats:
      return OnStats(now);
    case kTick:
      return OnTick(now);
    case kApply:
      return OnApply(now);
    case kEncode:
      return source_.SetTarget(encoder_target_);
    case kAskAgain:
      return AskAgain(now);
    case kAudio:
      Schedule(kAudio, now + kAudioInterval);
      return Leave({.what = What::kAudio, .size = DataRate::BitsPerSec(live_.audio_bps) * kAudioInterval}, now);
    case kReport:
      // The next report follows after 0.5 to 1.5 mean intervals, at random (RFC 3550 6.2).
      Schedule(kReport, now + TimeDelta::Millis(source_params_.rtcp_interval_ms) * (0.5 + random_.Uniform()));
      return Leave({.what = What::kReport, .size = kRtcpSize}, now);
    case kEvents:
      return;
  }
}

// If several pictures are captured while the encoder waits for the processor, only the last picture is encoded.
void LiveFlow::OnCapture(Timestamp now) {
  while (next_frame_ <= now) next_frame_ += source_params_.frame_interval();
  Schedule(kCapture, std::max(next_frame_, camera_.Handled(next_frame_)));
  SeeStill(now);
  Packetise(source_.NextFrame(random_), now);
}

void LiveFlow::Packetise(const MediaSource::Frame& frame, Timestamp now) {
  const DataSize coded = frame.size + DataSize::Bytes(live_.trailer_bytes);
  const int packets = std::max(1, static_cast<int>(std::ceil(coded / live_.payload())));
  const DataSize payload = coded / packets;  // the packets of a frame are about equal in size
  for (int i = 0; i < packets; ++i) {
    DataPacket packet{.payload = payload, .size = payload + live_.header(), .encoded = now};
    packet.frame = {.seq = next_seq_++,
                    .frame = frames_,
                    .packets = packets,
                    .frame_size = coded,
                    .key_frame = frame.key_frame,
                    .rtp_timestamp = std::fmod(std::floor(now.seconds() * kRtpClockHz), kRtpModulus),
                    .stamped = now};
    if (rate_.rtt > TimeDelta::Zero()) packet.frame.rtt = rate_.rtt;
    encoded_.PushBack(packet);
  }
  network().Hold(packets);
  ++frames_;
  stamped_.PushBack({sender_.Handled(now), packets});
  Schedule(kSend, stamped_.front().at);
}

void LiveFlow::OnSend(Timestamp now) {
  while (!stamped_.empty() && stamped_.front().at <= now) {
    for (int left = stamped_.PopFront().what; left > 0; --left) pacer_.PushBack(encoded_.PopFront());
  }
  if (!stamped_.empty()) Schedule(kSend, stamped_.front().at);
  if (!due_[kPace].IsFinite()) Schedule(kPace, now);
}

void LiveFlow::SendAgain(const FrameAssembly::Request& request, Timestamp now) {
  for (int i = 0; i < request.count; ++i) {
    const double seq = request.seqs[static_cast<std::size_t>(i)];
    if (seq + static_cast<double>(kHistory) <= next_seq_) continue;
    DataPacket& packet = history_[static_cast<std::size_t>(seq) % kHistory];
    // A packet that was retransmitted less than one RTT ago is skipped, since it may still be in flight.
    if (packet.frame.seq != seq || (packet.again && now - packet.sent < rate_.rtt)) continue;
    packet.again = true;
    packet.sent = now;
    pacer_again_.PushBack(packet);
    network().Hold(1);
  }
  if (!pacer_again_.empty() && !due_[kPace].IsFinite()) Schedule(kPace, now);
}

void LiveFlow::OnPace(Timestamp now) {
  if (pacer_.empty() && pacer_again_.empty()) return;
  const DataPacket packet = pacer_again_.empty() ? pacer_.PopFront() : pacer_again_.PopFront();
  network().Hold(-1);
  Leave(packet, now);
  Schedule(kPace, now + packet.size / DataRate::BitsPerSec(live_.pacing_bps));
}

void LiveFlow::Leave(const DataPacket& packet, Timestamp now) {
  network().Hold(1);
  entering_.PushBack({relay_in_.Handled(now), packet});
  Schedule(kEnter, entering_.front().at);
}

void LiveFlow::OnEnter(Timestamp now) {
  while (!entering_.empty() && entering_.front().at <= now) {
    DataPacket packet = entering_.PopFront().what;
    network().Hold(-1);
    packet.sent = now;
    sent_ += packet.size;
    if (packet.what == What::kVideo) {
      meter().OnSent(packet.size);
      DataPacket& kept = history_[static_cast<std::size_t>(packet.frame.seq) % kHistory];
      if (!packet.again) kept = packet;
      if (kept.frame.seq == packet.frame.seq) kept.sent = now;
    }
    const std::uint32_t id = data_.Put(packet);
    if (!network().Send(*this, Leg::kData, id, packet.size, now)) OnDropped(Leg::kData, id, now);
  }
  if (!entering_.empty()) Schedule(kEnter, entering_.front().at);
}

void LiveFlow::OnDropped(Leg leg, std::uint32_t id, Timestamp) {
  if (leg == Leg::kReturn) {
    messages_.Take(id);
    return;
  }
  const DataPacket packet = data_.Take(id);
  if (packet.what == What::kVideo) meter().OnLost(packet.size);
}

void LiveFlow::OnDelivered(Leg leg, std::uint32_t id, TimeDelta queue_delay, Timestamp now) {
  if (leg == Leg::kReturn) {
    hearing_.PushBack({sender_page_.Handled(now), id});
    return Schedule(kHear, hearing_.front().at);
  }
  const DataPacket packet = data_.Take(id);
  if (packet.what == What::kVideo) {
    DataPacket& kept = history_[static_cast<std::size_t>(packet.frame.seq) % kHistory];
    const bool is_known = kept.frame.seq == packet.frame.seq;
    const bool is_first = is_known ? !std::exchange(kept.delivered, true) : !packet.again;
    meter().OnReceived(packet.size, is_first ? packet.payload : DataSize::Zero(), queue_delay);
    const Timestamp undelayed = now - network().MinOneWayDelay(index());
    meter().OnOneWayDelay(undelayed - packet.sent, undelayed - packet.encoded);
  }
  network().Hold(1);
  arriving_.PushBack({receiver_.Handled(relay_out_.Handled(now)), {packet, queue_delay}});
  Schedule(kArrive, arriving_.front().at);
}

void LiveFlow::OnArrive(Timestamp now) {
  while (!arriving_.empty() && arriving_.front().at <= now) {
    const DataPacket packet = arriving_.PopFront().what.packet;
    network().Hold(-1);
    if (packet.what == What::kReport) {
      Reply(Echo{packet.sent}, kRtcpSize, now);
      Reply(Losses{packets_received_, assembly_.packets_lost()}, kRtcpSize, now);
    }
    if (packet.what != What::kVideo) continue;
    ++packets_received_;
    bytes_received_ += packet.size;
    if (!still_since_.IsFinite()) still_since_ = now;
    if (const auto whole = assembly_.OnPacket(packet.frame, packet.again, now)) OnFrame(*whole);
    while (const auto frame = assembly_.NextFrame()) Show(frame->of, now);
  }
  if (!arriving_.empty()) Schedule(kArrive, arriving_.front().at);
  AskAgain(now);
}

void LiveFlow::AskAgain(Timestamp now) {
  const FrameAssembly::Request request = assembly_.TakeRequest(now);
  if (request.count > 0) Reply(request, kRtcpSize, now);
  if (assembly_.TakeNeedsKeyFrame(now)) Reply(KeyFrameRequest{}, kRtcpSize, now);
  Schedule(kAskAgain, assembly_.NextRequest());
}

void LiveFlow::OnFrame(const FrameAssembly::Frame& frame) {
  const FramePacket& of = frame.of;
  const Arrival arrival{of.frame, of.stamped, frame.arrived, of.frame_size, of.rtp_timestamp, of.key_frame, of.rtt};
  recorder_.Input(ArrivalRow{.flow = static_cast<double>(index()),
                             .seq = arrival.seq,
                             .send_time_us = arrival.send_time.us(),
                             .arrival_time_us = arrival.arrival_time.us(),
                             .size_bytes = arrival.size.bytes(),
                             .rtp_timestamp = of.rtp_timestamp,
                             .abs_send_time = kAbsent,
                             .key_frame = of.key_frame ? 1.0 : 0.0,
                             .rtt_us = of.rtt ? of.rtt->us() : kAbsent});
  if (const auto feedback = controller_.receiver->OnArrival(arrival)) {
    Reply(*feedback, DataSize::Bytes(live_.feedback_bytes), frame.arrived);
  }
}

// Shows a frame. The jitter buffer delays every frame by the largest recent delay; it forgets this delay slowly.
void LiveFlow::Show(const FramePacket& frame, Timestamp now) {
  meter().OnFrame();
  const TimeDelta delay = now - frame.stamped;
  if (!last_shown_.IsFinite()) playout_delay_ = delay;
  playout_delay_ = std::max(delay, playout_delay_ + (delay - playout_delay_) / kPlayoutFrames);
  const Timestamp shown = std::max(frame.stamped + playout_delay_, now);
  if (last_shown_.IsFinite()) {
    const TimeDelta interval = shown - last_shown_;
    const bool froze = interval > std::max(mean_interval_ * 3, mean_interval_ + kFreezeBeyond);
    if (froze || is_still_) meter().OnFreeze(interval, is_still_);
    mean_interval_ += (interval - mean_interval_) / kIntervals;
  }
  last_shown_ = still_since_ = shown;
  is_still_ = false;
}

// Counts a freeze that goes on. Otherwise a picture that never moves again would not be frozen.
void LiveFlow::SeeStill(Timestamp now) {
  const TimeDelta still = now - still_since_;
  if (still < kStill) return;
  meter().OnFreeze(still, is_still_);
  is_still_ = true;
}

void LiveFlow::Reply(const Message& message, DataSize size, Timestamp now) {
  replying_.PushBack({receiver_page_.Handled(now), messages_.Put({message, size})});
  Schedule(kReply, replying_.front().at);
}

void LiveFlow::OnReply(Timestamp now) {
  while (!replying_.empty() && replying_.front().at <= now) {
    const auto id = replying_.PopFront().what;
    if (!network().Send(*this, Leg::kReturn, id, messages_[id].size, now)) OnDropped(Leg::kReturn, id, now);
  }
  if (!replying_.empty()) Schedule(kReply, replying_.front().at);
}

void LiveFlow::OnHear(Timestamp now) {
  while (!hearing_.empty() && hearing_.front().at <= now) {
    const Message message = messages_.Take(hearing_.PopFront().what).message;
    if (const auto* echo = std::get_if<Echo>(&message)) {
      const TimeDelta rtt = now - echo->report_sent;
      meter().OnProbe(rtt, rtt - network().MinRtt(index()));
    } else if (const auto* request = std::get_if<FrameAssembly::Request>(&message)) {
      SendAgain(*request, now);
    } else if (std::holds_alternative<KeyFrameRequest>(message)) {
      source_.RequestKeyFrame();
    } else if (const auto* feedback = std::get_if<Feedback>(&message)) {
      last_feedback_ = now;
      controller_.sender->OnFeedback(*feedback, now);
      Want(now);
    } else if (const auto* losses = std::get_if<Losses>(&message); losses && now - last_feedback_ > kFeedbackMissing) {
      controller_.sender->OnReceiverReport(losses->packets_received, losses->packets_lost, now);
      Want(now);
    }
  }
  if (!hearing_.empty()) Schedule(kHear, hearing_.front().at);
}

void LiveFlow::OnStats(Timestamp now) {
  Schedule(kStats, now + TimeDelta::Millis(live_.stats_interval_ms));
  if (packets_received_ == 0) return;
  const InboundCounters counters{now, packets_received_, assembly_.packets_lost(), bytes_received_};
  recorder_.Input(InboundRow{.flow = static_cast<double>(index()),
                             .time_us = now.us(),
                             .packets_received = counters.packets_received,
                             .packets_lost = counters.packets_lost,
                             .bytes_received = counters.received.bytes()});
  if (const auto feedback = controller_.receiver->OnInboundCounters(counters)) {
    Reply(*feedback, DataSize::Bytes(live_.feedback_bytes), now);
  }
}

void LiveFlow::OnTick(Timestamp now) {
  Schedule(kTick, now + kTickInterval);
  (void)controller_.sender->OnSent({now, sent_, DataSize::Zero()});
  Want(now);
}

// Applies the controller's rate to the encoder by the same rules as src/rtc/actuator.ts.
void LiveFlow::Want(Timestamp now) {
  rate_ = controller_.sender->Process(now);
  wanted_ = rate_.target;
  if (wanted_ == encoder_target_ || (due_[kApply].IsFinite() && wanted_ >= encoder_target_)) return;
  const bool falls = wanted_ < encoder_target_ * (1 - live_.apply_at_once);
  Schedule(kApply, falls ? now : std::max(now, last_applied_ + TimeDelta::Millis(live_.apply_interval_ms)));
}

void LiveFlow::OnApply(Timestamp now) {
  last_applied_ = now;
  encoder_target_ = wanted_;
  Schedule(kEncode, now + TimeDelta::Millis(live_.apply_delay_ms));
}

void LiveFlow::Trace(Timestamp now, TimeDelta interval, Recorder& recorder) {
  TraceRates(*this, rate_, now, interval, recorder);
}

}  // namespace ccscope::live
