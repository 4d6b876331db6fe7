// Loss-based controller at the sender: A_s from the fraction of lost packets (ToN III-B, eq. 14). Every
// loss_report_interval (RFC 3550: about 1 s), it computes its own loss report from cumulative counters. It does not act
// on each report of a browser: browsers report several times a second, sometimes about only a handful of packets, and
// such reports could cut A_s to a quarter within a second.
#ifndef CCSCOPE_CC_GCC_LOSS_CONTROLLER_H_
#define CCSCOPE_CC_GCC_LOSS_CONTROLLER_H_

#include <array>
#include <optional>

#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

class LossController {
 public:
  explicit LossController(const Parameters& parameters) : params_(parameters), a_s_(parameters.start_bitrate()) {}
  void Configure(const Parameters& parameters);

  // Processes the receiver's cumulative counters and the A_r of the same message.
  void OnCounters(double packets_received, double packets_lost, DataRate a_r, TimeDelta rtt, Timestamp now);
  // Uses only the A_r of a message, not its loss counts.
  void OnDelayBasedRate(DataRate a_r);
  // Processes one report of the fraction lost (eq. 14).
  void OnReport(double fraction_lost, DataRate a_r, TimeDelta rtt, Timestamp now);

  DataRate a_s() const { return a_s_; }
  double fraction_lost() const { return fraction_lost_; }

 private:
  DataRate IncreaseBase(Timestamp now);
  bool FollowsDelayBased(double fraction_lost) const;
  void NoteDelayBasedRate(DataRate a_r);
  double Rounded(double fraction_lost) const;

  struct Sample {
    Timestamp time;
    DataRate rate;
  };

  Parameters params_;
  DataRate a_s_;
  double fraction_lost_ = 0;
  bool fast_start_ = true;  // A_r has not fallen yet, and no report has reached loss_low
  DataRate last_a_r_;
  bool counting_ = false;
  double received_at_report_ = 0;
  double lost_at_report_ = 0;
  Timestamp last_report_;
  Timestamp last_cut_ = Timestamp::MinusInfinity();
  std::array<Sample, 16> last_second_{};
  int samples_ = 0;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_LOSS_CONTROLLER_H_
