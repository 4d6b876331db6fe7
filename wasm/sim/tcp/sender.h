// A TCP sender: slow start and congestion avoidance by a CongestionControl, fast retransmit and recovery with SACK (RFC
// 6675, optionally RFC 6937) or without (RFC 6582), limited transmit (RFC 3042), retransmission timer (RFC 6298). The
// sender does not read a clock: the caller passes the time.
//
// Contract:
// 1. After each call of Start(), OnAck() and OnTimer(), call NextSegment() until it returns no segment.
// 2. Call OnTimer() at next_timer(); earlier calls do nothing.
// 3. At most max_window_segments segments are outstanding. A new segment is sent only if the pipe is smaller than the
//    congestion window.
// 4. Sequence numbers never restart. A new connection after Reset() continues with the next number, as if both ends had
//    agreed on that number. So late segments and ACKs of the old connection do no harm, and the receiver needs no
//    reset.
#ifndef CCSCOPE_SIM_TCP_SENDER_H_
#define CCSCOPE_SIM_TCP_SENDER_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "sim/tcp/congestion_control.h"
#include "sim/tcp/parameters.h"
#include "sim/tcp/prr.h"
#include "sim/tcp/rtt_estimator.h"
#include "sim/tcp/scoreboard.h"
#include "sim/tcp/segment.h"

namespace ccscope::tcp {

std::unique_ptr<CongestionControl> MakeCongestionControl(const Parameters& parameters, CongestionControlKind kind);

class Sender {
 public:
  enum class State {
    kOpen,      // no known loss
    kRecovery,  // fast recovery
    kLoss,      // after a timeout
  };
  struct Stats {
    double segments_sent = 0;  // retransmissions included
    double retransmissions = 0;
    double acked = 0;  // segments acknowledged cumulatively
    double fast_recoveries = 0;
    double timeouts = 0;
  };

  Sender(const Parameters& parameters, CongestionControlKind kind);

  // Starts sending an endless stream, or a file of `segments` further segments. Segments that were outstanding at
  // Stop() count as not sent and are sent again.
  void Start(Timestamp now);
  void Start(Timestamp now, std::int64_t segments);
  // Stops sending, and forgets what is outstanding.
  void Stop(Timestamp now);
  // Starts a new connection: resets the window, the RTT estimate and the congestion control. Nothing may be
  // outstanding.
  void Reset();

  std::optional<Segment> NextSegment(Timestamp now);
  void OnAck(const Ack& ack, Timestamp now);
  void OnTimer(Timestamp now);
  Timestamp next_timer() const { return timer_; }

  // Whether a file was given and is fully acknowledged.
  bool finished() const { return end_ != kEndless && board_.una() >= end_; }

  State state() const { return state_; }
  DataSize cwnd() const { return segment_size_ * window_.cwnd; }
  double cwnd_segments() const { return window_.cwnd; }
  double ssthresh_segments() const { return window_.ssthresh; }
  std::int64_t outstanding() const { return board_.outstanding(); }
  std::int64_t pipe() const { return board_.pipe(); }
  const RttEstimator& rtt() const { return rtt_; }
  const CongestionControl& congestion_control() const { return *law_; }
  const Stats& stats() const { return stats_; }

 private:
  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

  void Run(Timestamp now, std::int64_t end);
  bool MaySendNew(bool fits) const;
  Segment Send(std::int64_t seq, bool retransmission, Timestamp now);
  bool AcceptCumulative(const Ack& ack);
  void Account(const Ack& ack, std::int64_t acked);
  void OnNewData(const Ack& ack, std::int64_t acked, std::int64_t pipe_before, Timestamp now);
  void OnPartialAck();
  // Whether every partial ACK restarts the timer. In the impatient variant (RFC 6582, section 3.2, step 3), only the
  // first one does.
  bool RestartsAtPartialAck() const { return sack_ || slow_but_steady_; }
  void EnterRecovery(Timestamp now);
  void LeaveRecovery();
  bool ShouldRecover() const;
  void Grow(std::int64_t acked, std::int64_t pipe_before, Timestamp now);
  void RestartTimer(Timestamp now);

  const DataSize segment_size_;
  const double initial_window_;
  const double initial_ssthresh_;
  const std::int64_t max_window_;
  const bool idle_restart_;
  const bool sack_;
  const bool prr_on_;
  const bool limited_transmit_;
  const bool slow_but_steady_;
  const bool timeout_reduces_again_;

  std::unique_ptr<CongestionControl> law_;
  RttEstimator rtt_;
  Scoreboard board_;
  ProportionalRateReduction prr_;
  Window window_;
  State state_ = State::kOpen;
  bool running_ = false;
  std::int64_t end_ = kEndless;       // one past the last segment that the application provides
  std::int64_t highest_sent_ = 0;     // one past the highest segment ever sent
  std::int64_t recover_ = -1;         // board_.next() when the last loss was found
  std::int64_t duplicate_acks_ = 0;   // used without SACK only
  bool retransmit_now_ = false;       // one retransmission may be sent regardless of the window
  bool partial_ack_seen_ = false;
  bool timed_out_ = false;            // the timer has expired, and nothing has been acknowledged since
  Timestamp last_sent_;
  Timestamp timer_ = Timestamp::PlusInfinity();
  Stats stats_;
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_SENDER_H_
