// Rate controller: the finite state machine that turns the detector's signal into A_r (ToN III-A
// "Rate control", eq. 13, Fig. 4; increase laws of draft-ietf-rmcat-gcc-02 5.5, CMP Fig. 4 and AQM
// Fig. 2; the regions of remote_rate_control.cc, which Chromium ran until 2015).
#ifndef CCSCOPE_CC_GCC_RATE_CONTROLLER_H_
#define CCSCOPE_CC_GCC_RATE_CONTROLLER_H_

#include <optional>

#include "cc/gcc/arrival_filter.h"
#include "cc/gcc/parameters.h"
#include "units/units.h"

namespace ccscope::gcc {

enum class RateState { kHold = 0, kIncrease = 1, kDecrease = 2 };

// The transition table of Fig. 4.
RateState NextState(RateState state, Signal signal);

// The growth factor per second in Chromium's code until 2015 (eta of AQM Fig. 2), between 1.005 and 1.3. The factor
// falls as the response time and the noise of the delay grow.
double AdaptiveEta(TimeDelta response_time, double noise_variance_ms2);

class RateController {
 public:
  struct Input {
    Signal signal;
    std::optional<DataRate> received_rate;    // R_r
    double loss = 0;                          // recent fraction lost; loss_low or more ends the fast start
    TimeDelta rtt;
    double noise_variance_ms2 = 0;            // sigma^2 of the arrival filter
  };

  explicit RateController(const Parameters& parameters);
  void Configure(const Parameters& parameters);

  // Updates A_r. Call it with each feedback message, and immediately on overuse.
  DataRate Update(const Input& input, Timestamp now);
  // Sets A_r to a rate that the hooks (receiver_hooks.h) have determined.
  void Follow(DataRate rate, Timestamp now);
  // Whether overuse may cut the rate again: either the last cut was long enough ago, or R_r is far below A_r.
  bool MayDecreaseAgain(std::optional<DataRate> received_rate, TimeDelta rtt, Timestamp now) const;

  DataRate a_r() const { return a_r_; }
  RateState state() const { return state_; }
  // The state according to which the last update changed A_r. It may be kDecrease although state() is kHold, since
  // Update() moves from kDecrease to kHold before it returns.
  RateState acted_state() const { return acted_state_; }

 private:
  bool Initialised(const Input& input, Timestamp now);
  DataRate Increased(const Input& input, Timestamp now);
  DataRate Decreased(const Input& input);
  DataRate AdditiveIncrease(TimeDelta elapsed, TimeDelta rtt) const;
  DataRate AdaptiveIncrease(TimeDelta elapsed, const Input& input) const;
  DataRate Bounded(DataRate rate, const Input& input) const;
  DataRate Clamped(DataRate rate) const;
  // How the received rate relates to the known maximum (the parameter `regions`).
  enum class Region { kMaxUnknown, kAboveMax, kNearMax };
  double Alpha() const;
  double RegionalGrowth() const;
  // With the parameter `regions`: after a hold, raises the rate to alpha times the highest R_r of that hold, unless the
  // rate is already higher. Returns whether the rate was raised.
  bool Recover(DataRate& rate);
  double MaxDeviationKbps() const;
  void OnMaximumSeen(DataRate received_rate);

  Parameters params_;
  DataRate a_r_;
  RateState state_ = RateState::kHold;
  RateState acted_state_ = RateState::kHold;
  bool updated_ = false;  // false: A_r is still the start bitrate
  bool initialised_;
  bool fast_start_ = true;
  std::optional<Timestamp> first_received_;
  std::optional<Timestamp> last_change_;
  std::optional<Timestamp> last_decrease_;
  // The time of the last update of A_r, and the average time between two updates.
  std::optional<Timestamp> last_update_;
  TimeDelta update_period_ = TimeDelta::Seconds(1);
  // Mean and normalised variance of R_r at decreases (draft-02 5.5), in kbps.
  std::optional<double> mean_max_kbps_;
  double variance_max_ = 0.4;
  Region region_ = Region::kMaxUnknown;
  DataRate most_on_hold_ = DataRate::Zero();  // the highest R_r during the hold
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_RATE_CONTROLLER_H_
