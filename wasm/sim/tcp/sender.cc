#include "sim/tcp/sender.h"

#include <algorithm>
#include <cassert>

#include "sim/tcp/cubic.h"
#include "sim/tcp/new_reno.h"

namespace ccscope::tcp {

std::unique_ptr<CongestionControl> MakeCongestionControl(const Parameters& parameters, CongestionControlKind kind) {
  if (kind == CongestionControlKind::kNewReno) return std::make_unique<NewReno>(parameters);
  return std::make_unique<Cubic>(parameters);
}

Sender::Sender(const Parameters& parameters, CongestionControlKind kind)
    : segment_size_(parameters.segment_size()),
      initial_window_(parameters.initial_window_segments),
      initial_ssthresh_(parameters.initial_ssthresh_segments > 0 ? parameters.initial_ssthresh_segments : kInfinity),
      max_window_(static_cast<std::int64_t>(parameters.max_window_segments)),
      idle_restart_(IsOn(parameters.idle_restart)),
      sack_(parameters.UsesSack(kind)),
      prr_on_(parameters.UsesPrr(kind)),
      limited_transmit_(IsOn(parameters.limited_transmit)),
      slow_but_steady_(Choice<PartialAckTimer>(parameters.partial_ack_timer) == PartialAckTimer::kSlowButSteady),
      timeout_reduces_again_(IsOn(parameters.timeout_reduces_again)),
      law_(MakeCongestionControl(parameters, kind)),
      rtt_(parameters),
      board_(Choice<LossDetection>(parameters.loss_detection) == LossDetection::kFack && sack_) {
  Reset();
}

void Sender::Reset() {
  law_->Reset();
  rtt_.Reset();
  board_.Restart(board_.una());
  window_ = {.cwnd = initial_window_, .ssthresh = initial_ssthresh_};
  state_ = State::kOpen;
  running_ = false;
  end_ = board_.next();
  recover_ = board_.next() - 1;
  duplicate_acks_ = 0;
  retransmit_now_ = partial_ack_seen_ = timed_out_ = false;
  last_sent_ = Timestamp::MinusInfinity();
  timer_ = Timestamp::PlusInfinity();
}

void Sender::Start(Timestamp now) { Run(now, kEndless); }

void Sender::Start(Timestamp now, std::int64_t segments) { Run(now, board_.next() + segments); }

void Sender::Run(Timestamp now, std::int64_t end) {
  // RFC 5681, section 4.1: after idling for longer than the RTO, restarts with the initial window.
  if (idle_restart_ && board_.outstanding() == 0 && now - last_sent_ > rtt_.rto() && last_sent_.IsFinite()) {
    window_.cwnd = std::min(window_.cwnd, initial_window_);
    law_->OnRestart();
  }
  running_ = true;
  end_ = end;
}

void Sender::Stop(Timestamp) {
  running_ = false;
  board_.Restart(board_.una());
  state_ = State::kOpen;
  recover_ = board_.una() - 1;
  duplicate_acks_ = 0;
  retransmit_now_ = partial_ack_seen_ = false;
  timer_ = Timestamp::PlusInfinity();
}

bool Sender::MaySendNew(bool fits) const {
  if (!fits || board_.next() >= end_ || board_.outstanding() >= max_window_) return false;
  // Duplicate ACKs reduce the pipe, which permits new segments: limited transmit (RFC 3042). With limited transmit
  // off, the window limits all outstanding segments until recovery begins.
  return limited_transmit_ || state_ != State::kOpen ||
         static_cast<double>(board_.outstanding()) + 1 <= window_.cwnd;
}

std::optional<Segment> Sender::NextSegment(Timestamp now) {
  if (!running_) return std::nullopt;
  const bool fits = static_cast<double>(board_.pipe()) + 1 <= window_.cwnd;
  if (fits || retransmit_now_) {
    const std::int64_t lost = board_.NextLost();
    retransmit_now_ = false;
    if (lost != Scoreboard::kNone && state_ != State::kOpen) {
      board_.MarkRetransmitted(lost);
      return Send(lost, true, now);
    }
  }
  if (!MaySendNew(fits)) return std::nullopt;
  board_.Append();
  return Send(board_.next() - 1, false, now);
}

Segment Sender::Send(std::int64_t seq, bool retransmission, Timestamp now) {
  const bool resent = retransmission || seq < highest_sent_;
  highest_sent_ = std::max(highest_sent_, seq + 1);
  last_sent_ = now;
  ++stats_.segments_sent;
  if (resent) ++stats_.retransmissions;
  if (state_ == State::kRecovery) prr_.OnSent();
  // RFC 6298, 5.1. A retransmission of the first unacknowledged segment also restarts the timer. The impatient variant
  // (RFC 6582, section 3.2, step 3) does this only until the first partial ACK.
  const bool first = retransmission && seq == board_.una() && (RestartsAtPartialAck() || !partial_ack_seen_);
  if (timer_ == Timestamp::PlusInfinity() || first) RestartTimer(now);
  return {.seq = seq, .size = segment_size_, .sent = now, .retransmission = resent};
}

void Sender::RestartTimer(Timestamp now) {
  timer_ = board_.outstanding() > 0 ? now + rtt_.rto() : Timestamp::PlusInfinity();
}

// Returns whether the cumulative part of the ACK can be processed. If the ACK covers segments that were outstanding at
// Stop(), returns false, and sending continues with the segment after them.
bool Sender::AcceptCumulative(const Ack& ack) {
  if (ack.next_expected < board_.una() || ack.next_expected > highest_sent_) return false;
  if (ack.next_expected > board_.next()) {
    board_.Restart(ack.next_expected);
    state_ = State::kOpen;
    partial_ack_seen_ = false;
    recover_ = ack.next_expected - 1;
    timer_ = Timestamp::PlusInfinity();
    return false;
  }
  return true;
}

// Applies the ACK to the scoreboard.
void Sender::Account(const Ack& ack, std::int64_t acked) {
  if (acked > 0) board_.AckUpTo(ack.next_expected);
  if (sack_) {
    for (int i = 0; i < ack.sack_count; ++i) board_.Sack(ack.sack[i].begin, ack.sack[i].end);
    board_.DetectLosses();
  } else if (acked > 0) {
    duplicate_acks_ = 0;
    if (state_ == State::kRecovery && ack.next_expected < recover_) {
      // Deflation (RFC 6582, section 3.2, step 3). The first of the acknowledged segments was missing. The others had
      // caused duplicate ACKs, which no longer count.
      board_.CountDuplicates(1 - acked);
    } else {
      board_.ForgetDuplicates();
    }
  } else if (board_.outstanding() > 0 && state_ != State::kLoss) {
    ++duplicate_acks_;
    // RFC 6582, section 3.2, step 1: after a timeout, segments that were sent twice cause duplicate ACKs, which do not
    // count.
    if (board_.una() > recover_ || state_ == State::kRecovery) board_.CountDuplicates(1);
  }
}

void Sender::OnAck(const Ack& ack, Timestamp now) {
  if (!AcceptCumulative(ack)) return;
  if (!running_) {
    board_.Restart(ack.next_expected);
    return;
  }
  const std::int64_t acked = ack.next_expected - board_.una();
  const std::int64_t pipe_before = board_.pipe();
  const std::int64_t undelivered_before = board_.outstanding() - board_.sacked();
  Account(ack, acked);
  if (acked > 0) OnNewData(ack, acked, pipe_before, now);
  if (state_ == State::kOpen && ShouldRecover()) EnterRecovery(now);
  if (state_ == State::kRecovery && prr_on_) {
    const std::int64_t delivered = undelivered_before - (board_.outstanding() - board_.sacked());
    window_.cwnd = prr_.OnAck(std::max<std::int64_t>(delivered, 0), board_.pipe(), window_.ssthresh);
  }
}

bool Sender::ShouldRecover() const {
  if (sack_) return board_.IsLost(board_.una());
  return duplicate_acks_ >= Scoreboard::kDupThresh && board_.una() > recover_;
}

void Sender::OnNewData(const Ack& ack, std::int64_t acked, std::int64_t pipe_before, Timestamp now) {
  stats_.acked += static_cast<double>(acked);
  timed_out_ = false;
  // RFC 7323, section 4.1: each ACK of new data gives a sample.
  rtt_.OnSample(now - ack.echo);
  const bool complete = board_.una() >= recover_;
  // RFC 6298, 5.2 and 5.3: an ACK of new data restarts the timer.
  if (state_ != State::kRecovery || complete || RestartsAtPartialAck() || !partial_ack_seen_) RestartTimer(now);

  if (state_ == State::kRecovery) {
    if (complete) {
      LeaveRecovery();
    } else {
      OnPartialAck();
    }
    return;
  }
  if (state_ == State::kLoss && complete) state_ = State::kOpen;
  Grow(acked, pipe_before, now);
}

void Sender::Grow(std::int64_t acked, std::int64_t pipe_before, Timestamp now) {
  // Whether the window limited the sender (cf. RFC 7661). In slow start it is enough that half of the window was
  // used.
  const double used = static_cast<double>(pipe_before) * (window_.InSlowStart() ? 2 : 1);
  const AckEvent event = {.now = now,
                          .acked = static_cast<double>(acked),
                          .una = board_.una(),
                          .next = board_.next(),
                          .rtt = rtt_.latest(),
                          .srtt = rtt_.srtt(),
                          .window_limited = used + 1 > window_.cwnd};
  law_->OnAck(event, window_);
  window_.cwnd = std::min(window_.cwnd, static_cast<double>(max_window_));
}

// RFC 6582, section 3.2, step 3: a partial ACK shows that the first unacknowledged segment is lost.
void Sender::OnPartialAck() {
  partial_ack_seen_ = true;
  if (sack_) return;
  board_.MarkLost(board_.una());
  retransmit_now_ = true;
}

void Sender::EnterRecovery(Timestamp now) {
  ++stats_.fast_recoveries;
  // RFC 3042: segments sent by limited transmit do not count as flight.
  const double flight = std::min(static_cast<double>(board_.outstanding()), window_.cwnd);
  window_.ssthresh = law_->OnCongestionEvent(now, flight, window_);
  window_.cwnd = window_.ssthresh;
  prr_.Begin(board_.outstanding());
  recover_ = board_.next();
  state_ = State::kRecovery;
  if (!sack_) board_.MarkLost(board_.una());
  retransmit_now_ = true;
}

void Sender::LeaveRecovery() {
  state_ = State::kOpen;
  partial_ack_seen_ = false;
  window_.cwnd = window_.ssthresh;
  // RFC 6582, section 3.2, step 3, full acknowledgement, option 1: no burst.
  if (!sack_) window_.cwnd = std::min(window_.cwnd, std::max(static_cast<double>(board_.outstanding()), 1.0) + 1);
  duplicate_acks_ = 0;
}

void Sender::OnTimer(Timestamp now) {
  if (now < timer_ || !running_) return;
  if (board_.outstanding() == 0) {
    timer_ = Timestamp::PlusInfinity();
    return;
  }
  ++stats_.timeouts;
  // RFC 5681, equation 4, applied only once if the same segment times out repeatedly.
  if (!timed_out_ && (timeout_reduces_again_ || state_ != State::kRecovery)) {
    const double flight = std::min(static_cast<double>(board_.outstanding()), window_.cwnd);
    window_.ssthresh = law_->OnTimeout(now, flight, window_);
  }
  timed_out_ = true;
  window_.cwnd = 1;  // the loss window
  board_.MarkAllLost();
  state_ = State::kLoss;
  recover_ = board_.next();
  duplicate_acks_ = 0;
  partial_ack_seen_ = false;
  retransmit_now_ = true;
  rtt_.Backoff();
  RestartTimer(now);
}

}  // namespace ccscope::tcp
