#include "cc/nada/congestion_signal.h"

#include <algorithm>
#include <cmath>

#include "cc/nada/whole_numbers.h"
#include "units/deterministic_math.h"

namespace ccscope::nada {
namespace {

constexpr TimeDelta kLargestSignal = TimeDelta::Micros(3276.7e3);

}  // namespace

TimeDelta ExponentialWarping(TimeDelta delay, const Parameters& parameters) {
  const TimeDelta qth = TimeDelta::Millis(parameters.qth_ms);
  if (delay < qth) return delay;
  return qth * det::Exp(-parameters.lambda * ((delay - qth) / qth));
}

TimeDelta PowerWarping(TimeDelta delay, const Parameters& parameters) {
  const TimeDelta qth = TimeDelta::Millis(parameters.qth_ms);
  const TimeDelta end = TimeDelta::Millis(parameters.warping_end_ms);
  if (delay < qth) return delay;
  if (delay >= end) return TimeDelta::Zero();
  const double ratio = (end - delay) / (end - qth);
  const TimeDelta warped = qth * (ratio * ratio * ratio * ratio);
  return parameters.is_whole() ? TimeDelta::Millis(std::trunc(warped.ms())) : warped;
}

TimeDelta WarpedDelay(TimeDelta delay, double share, const Parameters& parameters) {
  switch (Choice<Warping>(parameters.warping)) {
    case Warping::kOff:
      return delay;
    case Warping::kBehindLosses:
      return share > 0 ? delay + (ExponentialWarping(delay, parameters) - delay) * share : delay;
    case Warping::kAlways:
      return PowerWarping(delay, parameters);
  }
  return delay;
}

TimeDelta CongestionSignal(TimeDelta warped_delay, double p_loss, double p_mark, const Parameters& parameters) {
  const double mark = p_mark / parameters.pmrref;
  double loss = p_loss / parameters.plrref;
  if (Choice<LossPenalty>(parameters.loss_penalty) == LossPenalty::kQuadratic) loss *= loss;
  const TimeDelta penalty =
      TimeDelta::Millis(parameters.dloss_ms) * loss + TimeDelta::Millis(parameters.dmark_ms) * (mark * mark);
  return std::min(warped_delay + (parameters.is_whole() ? WholeMs(penalty) : penalty), kLargestSignal);
}

}  // namespace ccscope::nada
