#include "cc/nada/sender.h"

#include <limits>
#include <optional>

#include "cc/nada/rate_shaping_buffer.h"

namespace ccscope::nada {
namespace {

constexpr DataRate kNone = DataRate::BitsPerSec(std::numeric_limits<double>::quiet_NaN());

}  // namespace

void Sender::Configure(const double* values) {
  params_ = ParamsFromValues<Parameters>(values);
  rate_controller_.Configure(params_);
}

ParameterError Sender::Check(const Feedback& feedback) const {
  if (const auto error = ExpectValues(feedback, kFeedbackValues)) return error;
  const double mode = feedback.values[kMode];
  if (mode != 0 && mode != 1) return {"mode", "expected 0 or 1"};
  if (!(feedback.values[kSignal] >= 0)) return {"x_curr_ms", "expected a number >= 0"};
  if (!(feedback.values[kLossRatio] >= 0 && feedback.values[kLossRatio] <= 1)) return {"loss_ratio", "expected 0 to 1"};
  if (!(feedback.values[kBound] >= 0)) return {"bound_bps", "expected a number >= 0"};
  if (!(feedback.received_rate >= DataRate::Zero())) return {"received_rate_bps", "expected a number >= 0"};
  return {};
}

void Sender::OnFeedback(const Feedback& feedback, Timestamp now) {
  rtt_ = feedback.Rtt(now).value_or(rtt_);
  loss_ratio_ = feedback.values[kLossRatio];
  const std::optional<DataRate> bound =
      feedback.values[kBound] > 0 ? std::optional(DataRate::BitsPerSec(feedback.values[kBound])) : std::nullopt;
  rate_controller_.Update(static_cast<Mode>(static_cast<int>(feedback.values[kMode])),
                          TimeDelta::Millis(feedback.values[kSignal]), feedback.received_rate, rtt_, now, bound);
}

bool Sender::OnSent(const SentCounters& counters) {
  const bool changed = counters.queued != buffer_len_;
  buffer_len_ = counters.queued;
  return changed;
}

RateUpdate Sender::Process(Timestamp) {
  const ShapedRates rates = ShapeRates(rate_controller_.r_ref(), buffer_len_, params_);
  return {rates.r_vin, rates.r_send * params_.pacing_factor, kNone, kNone, loss_ratio_, rtt_};
}

}  // namespace ccscope::nada
