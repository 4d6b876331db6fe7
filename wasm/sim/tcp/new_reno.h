// Slow start and congestion avoidance of RFC 5681. Together with the sender's recovery (RFC 6582) this is NewReno.
#ifndef CCSCOPE_SIM_TCP_NEW_RENO_H_
#define CCSCOPE_SIM_TCP_NEW_RENO_H_

#include "sim/tcp/congestion_control.h"
#include "sim/tcp/parameters.h"

namespace ccscope::tcp {

class NewReno final : public CongestionControl {
 public:
  explicit NewReno(const Parameters& parameters);

  void Reset() override {}
  void OnAck(const AckEvent& ack, Window& window) override;
  double OnCongestionEvent(Timestamp now, double flight, const Window& window) override;
  double OnTimeout(Timestamp now, double flight, const Window& window) override;
  void OnRestart() override {}

 private:
  double slow_start_limit_;
  bool per_ack_;
};

}  // namespace ccscope::tcp

#endif  // CCSCOPE_SIM_TCP_NEW_RENO_H_
