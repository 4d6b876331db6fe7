// A congestion control algorithm. The sender detects losses and recovers from them; the algorithm decides how the
// window grows and how far it falls. Windows are in segments and need not be whole numbers. The sender may send a
// segment if the pipe is smaller than the window by at least one segment.
#ifndef CCSCOPE_SIM_TCP_CONGESTION_CONTROL_H_
#define CCSCOPE_SIM_TCP_CONGESTION_CONTROL_H_

#include <algorithm>
#include <cstdint>

#include "units/units.h"

namespace ccscope::tcp {

struct Window {
  double cwnd = 1;
  double ssthresh = kInfinity;

  bool InSlowStart() const { return cwnd < ssthresh; }
};

// RFC 5681, section 3.1: ssthresh is never less than this.
inline constexpr double kMinSsthresh = 2;

// An ACK that acknowledges new data outside of fast recovery.
struct AckEvent {
  Timestamp now = {};
  double acked = 0;        // segments newly acknowledged
  std::int64_t una = 0;    // the first unacknowledged segment
  std::int64_t next = 0;   // the next new segment
  TimeDelta rtt = {};        // the RTT sample of this ACK
  TimeDelta srtt = {};
  bool window_limited = true;  // the window, not the application, limited the sender
};

class CongestionControl {
 public:
  virtual ~CongestionControl() = default;

  // Starts a new connection.
  virtual void Reset() = 0;
  // Raises the window.
  virtual void OnAck(const AckEvent& ack, Window& window) = 0;
  // Called when a loss was detected from ACKs. Returns the new ssthresh. `flight` is the number of outstanding
  // segments, at most the window.
  virtual double OnCongestionEvent(Timestamp now, double flight, const Window& window) = 0;
  // Called when the retransmission timer expired. Returns the new ssthresh.
  virtual double OnTimeout(Timestamp now, double flight, const Window& window) = 0;
  // Called when the window was reset after idling.
  virtual void OnRestart() = 0;
};

// Slow start (RFC 5681, section 3.1, equation 2). Raises the window by at most `limit` segments (RFC 3465). Returns
// the acknowledged segments that are left over for congestion avoidance.
inline double SlowStart(double acked, double limit, Window& window) {
  const double cwnd = std::min(window.cwnd + std::min(acked, limit), window.ssthresh);
  const double used = cwnd - window.cwnd;
  window.cwnd = cwnd;
  return window.InSlowStart() ? 0 : std::max(0.0, acked - used);
}

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_CONGESTION_CONTROL_H_
