#include "cc/lcc/sender.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cc/lcc/receiver.h"

namespace ccscope::lcc {
namespace {

constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
constexpr TimeDelta kLossInterval = TimeDelta::Seconds(1);
// A message that is older than the previous one by more than this is not a late message: the receiver's clock was set
// back.
constexpr TimeDelta kMaxReordering = TimeDelta::Seconds(3);

// If the received rate is below this fraction of the bound from the receiver half, exploration takes larger steps.
constexpr double kMuchUnused = 0.8;

}  // namespace

Sender::Sender(const Parameters& parameters, double flow, std::uint64_t seed, Recorder& recorder)
    : params_(parameters),
      flow_(flow),
      recorder_(recorder),
      tracker_(parameters),
      fitter_(parameters),
      controller_(parameters),
      exploration_(parameters, seed),
      rate_(Bounded(parameters.start_bitrate())) {}

void Sender::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  tracker_.Configure(params_);
  fitter_.Configure(params_);
  controller_.Configure(params_);
  exploration_.Configure(params_);
  rate_ = Bounded(has_feedback_ ? rate_ : params_.start_bitrate());
}

DataRate Sender::Bounded(DataRate rate) const {
  return std::clamp(rate, params_.min_bitrate(), std::max(params_.min_bitrate(), params_.max_bitrate()));
}

ParameterError Sender::Check(const Feedback& feedback) const {
  if (const auto error = ExpectValues(feedback, kFeedbackValues)) return error;
  if (!(feedback.values[kBound] >= 0)) return {"bound_bps", "expected a number >= 0"};
  return {};
}

void Sender::OnRtt(TimeDelta rtt) {
  if (!Feedback::IsRtt(rtt)) return;
  rtt_ = rtt;
  smallest_rtt_ = std::min(smallest_rtt_, rtt);
}

// The rate changes when feedback arrives, not here.
bool Sender::OnSent(const SentCounters& counters) {
  sent_rate_.Add({counters.time, 0, 0, counters.sent});
  return false;
}

// The two clocks have an unknown offset, so the propagation delay is taken to be half of the smallest RTT.
BayesianController::Delays Sender::delays() const {
  return {tracker_.average(), tracker_.smallest(), smallest_rtt_.IsFinite() ? smallest_rtt_ / 2 : TimeDelta::Zero()};
}

// S_i. Depending on the parameter sending_rate, it is the rate that was requested until now or the measured rate of
// the data sent.
DataRate Sender::SendingRate() const {
  if (Choice<SentRate>(params_.sending_rate) == SentRate::kTarget) return rate_;
  return sent_rate_.Rate(TimeDelta::Millis(params_.sent_window_ms)).value_or(rate_);
}

void Sender::OnFeedback(const Feedback& feedback, Timestamp now) {
  const auto rtt = feedback.Rtt(now);
  if (rtt) OnRtt(*rtt);
  const TimeDelta since = feedback.time - last_feedback_;
  if (has_feedback_ && since <= TimeDelta::Zero() && since > -kMaxReordering) return;  // a newer message overtook it
  has_feedback_ = true;
  last_feedback_ = feedback.time;
  CountLosses(feedback);
  const EpochDelays epoch{TimeDelta::Micros(feedback.values[kMeanDelay]), TimeDelta::Micros(feedback.values[kSmallestDelay])};
  const DataRate sent = SendingRate();
  Learn(epoch, MayBeClock(feedback, rtt), sent, now);
  const DataRate bound = DataRate::BitsPerSec(feedback.values[kBound]);
  rate_ = Decide(sent, feedback.received_rate, bound);
  if (bound > DataRate::Zero()) rate_ = Bounded(std::min(rate_, bound));
  Record(epoch, sent, bound, now);
}

// Whether a clock may have been set. Without an RTT, nothing speaks against it. After an outage of seconds, delays jump
// as if a clock had been set, but the offset between the clocks has not changed.
bool Sender::MayBeClock(const Feedback& feedback, std::optional<TimeDelta> rtt) {
  if (!rtt) return true;
  const TimeDelta offset = feedback.ClockOffset(*rtt);
  const TimeDelta change = offset - clock_offset_.value_or(offset);
  if (std::fabs(change.us()) >= TimeDelta::Millis(params_.delay_jump_reset_ms).us()) return true;
  clock_offset_ = offset;
  return false;
}

void Sender::Learn(const EpochDelays& epoch, bool may_be_clock, DataRate sent, Timestamp now) {
  if (!tracker_.OnEpoch(epoch, may_be_clock)) {
    clock_offset_.reset();
    fitter_.Clear();
    controller_.Clear();
  }
  fitter_.Add(sent, tracker_.average());
  const bool due = std::fabs((now - refitted_).us()) >= TimeDelta::Millis(params_.refit_interval_ms).us();
  if (!fitter_.fitted() || due) {
    fitter_.Refit();
    refitted_ = now;
  }
  range_ = fitter_.DelayRange();
  controller_.Update(delays(), range_.smallest - exploration_.headroom(), range_.largest + exploration_.headroom());
}

// The next rate: S_{i+1} = f(D_ave,i, P(S, D)) (eq. 1).
DataRate Sender::Decide(DataRate sent, DataRate received, DataRate bound) {
  expected_ = fitter_.ConditionalMean(controller_.control_delay());
  const BayesianController::Delays now = delays();
  DataRate next = expected_;
  if (controller_.Exorbitant(now)) {
    action_ = Action::kCut;
    next = Choice<CutFrom>(params_.cut_from) == CutFrom::kSent ? sent * params_.cut_factor : std::min(sent, received * params_.cut_factor);
  } else if (exploration_.Wanted({controller_.control_delay(), range_.largest, now.average, controller_.delay_target()})) {
    action_ = Action::kExploration;
    next = exploration_.Raise(sent, expected_, received, received < bound * kMuchUnused);
  } else {
    action_ = Action::kExpectation;
  }
  return Bounded(exploration_.Vary(next));
}

void Sender::CountLosses(const Feedback& feedback) {
  if (std::fabs((feedback.time - counted_).us()) < kLossInterval.us()) return;
  const double lost = feedback.packets_lost - lost_;
  const double received = feedback.packets_received - received_;
  fraction_lost_ = lost > 0 && received >= 0 ? lost / (lost + received) : 0;
  counted_ = feedback.time;
  lost_ = feedback.packets_lost;
  received_ = feedback.packets_received;
}

void Sender::Record(const EpochDelays& epoch, DataRate sent, DataRate bound, Timestamp now) {
  const BayesianController::Delays known = delays();
  const TimeDelta offset = known.smallest - known.propagation;
  recorder_.Output(LccRow{
      .flow = flow_,
      .time_us = now.us(),
      .epoch_delay_us = (epoch.mean - offset).us(),
      .average_delay_us = (known.average - offset).us(),
      .smallest_delay_us = known.propagation.us(),
      .target_delay_us = (controller_.delay_target() - offset).us(),
      .control_delay_us = (controller_.control_delay() - offset).us(),
      .sending_rate_bps = sent.bps(),
      .expected_rate_bps = expected_.bps(),
      .next_rate_bps = rate_.bps(),
      .action = static_cast<double>(action_),
      .bound_bps = bound > DataRate::Zero() ? bound.bps() : kAbsent,
  });
}

RateUpdate Sender::Process(Timestamp) {
  const DataRate absent = DataRate::BitsPerSec(kAbsent);
  return {rate_, rate_ * params_.pacing_factor, absent, absent, fraction_lost_, rtt_};
}

bool Sender::Density(DensityAxes& axes, double* values) const {
  if (!fitter_.fitted()) return false;
  const BayesianController::Delays known = delays();
  const double offset_us = (known.smallest - known.propagation).us();
  const auto shift = [&axes](double us) {
    axes.delay_us.from += us;
    axes.delay_us.to += us;
  };
  shift(offset_us);
  fitter_.FitAxes(axes);
  fitter_.Grid(axes, values);
  shift(-offset_us);
  return true;
}

}  // namespace ccscope::lcc
