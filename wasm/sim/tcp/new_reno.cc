#include "sim/tcp/new_reno.h"

#include <algorithm>

namespace ccscope::tcp {

NewReno::NewReno(const Parameters& parameters)
    : slow_start_limit_(parameters.slow_start_limit_segments),
      per_ack_(parameters.IncreasesPerAck(CongestionControlKind::kNewReno)) {}

void NewReno::OnAck(const AckEvent& ack, Window& window) {
  if (!ack.window_limited) return;
  double acked = ack.acked;
  if (window.InSlowStart()) {
    acked = SlowStart(acked, slow_start_limit_, window);
    if (acked == 0) return;
  }
  // Equation 3: one segment per round trip if each segment is acknowledged separately. Delayed ACKs halve this
  // increase, unless acknowledged segments are counted instead of ACKs (section 3.1).
  window.cwnd += (per_ack_ ? 1 : acked) / window.cwnd;
}

// The new ssthresh: equation 4.
double NewReno::OnCongestionEvent(Timestamp, double flight, const Window&) {
  return std::max(flight / 2, kMinSsthresh);
}

double NewReno::OnTimeout(Timestamp, double flight, const Window&) {
  return std::max(flight / 2, kMinSsthresh);
}

}  // namespace ccscope::tcp
