#include "sim/queue_disc/pie.h"

#include <algorithm>
#include <cmath>

namespace ccscope {
namespace {

// Linux starts its timer this long after the discipline was created. Here, the time counts from the first packet.
constexpr TimeDelta kLinuxFirstUpdate = TimeDelta::Millis(500);
// If the delay is longer than this, Linux adds kMaxStep to each step. According to sch_pie, the value was found by
// experiment.
constexpr TimeDelta kLinuxHighDelay = TimeDelta::Millis(250);
// RFC 8033, 5.5, and Linux: at a probability of 10 % or more, a step adds at most 2 %.
constexpr double kStepLimitFrom = 0.1;
constexpr double kMaxStep = 0.02;
// RFC 8033, 4.2, and Linux: each update multiplies the probability by this while there is no queue.
constexpr double kDecay = 0.98;
// RFC 8033, 4.1, and Linux: below this probability, nothing is dropped while the delay is below half of the target.
constexpr double kLowProbability = 0.2;
// RFC 8033, 5.4: if the accumulated probability is below kAccumulatedMin, nothing is dropped; from kAccumulatedMax
// on, the packet is always dropped.
constexpr double kAccumulatedMin = 0.85;
constexpr double kAccumulatedMax = 8.5;
// After a long time without packets, at most this many missed updates are computed. The others are omitted.
constexpr int kMaxUpdates = 10000;

struct TuningStep {
  double below;
  double factor;
};
// RFC 8033, 4.2.
constexpr TuningStep kRfcTuning[] = {{1e-6, 1.0 / 2048}, {1e-5, 1.0 / 512}, {1e-4, 1.0 / 128},
                                     {1e-3, 1.0 / 32},   {1e-2, 1.0 / 8},   {1e-1, 1.0 / 2}};
// Linux 3.14 to 5.0, sch_pie.
constexpr TuningStep kLinuxTuning[] = {{1e-2, 1.0 / 8}, {1e-1, 1.0 / 2}};

template <class Steps>
double Factor(const Steps& steps, double probability) {
  for (const TuningStep& step : steps) {
    if (probability < step.below) return step.factor;
  }
  return 1;
}

}  // namespace

Pie::Pie(const Params& params, std::uint64_t seed)
    : params_(params),
      departure_rate_(params.is_linux() ? DepartureRate::Average::kRate : DepartureRate::Average::kTime,
                      DataSize::Bytes(params.dq_threshold_bytes), params.is_linux() && IsOn(params.integer_rate)),
      random_(seed) {
  state_.burst_allowance = params_.burst_allowance();
}

double Pie::TuningFactor(const Params& params, double probability) {
  return params.is_linux() ? Factor(kLinuxTuning, probability) : Factor(kRfcTuning, probability);
}

void Pie::Enqueue(const Packet& packet, Timestamp now, DropSink& drops) {
  RunUpdates(now);
  const bool full = stats_.packets + 1 > params_.limit_packets;
  if (full || DropEarly()) {
    if (!full) ++pie_stats_.early_drops;
    state_.accumulated = 0;
    stats_.Refuse();
    drops.OnDrop(packet, full ? DropReason::kQueueFull : DropReason::kPie, now);
    return;
  }
  state_.packets.PushBack(packet);
  stats_.Accept(packet);
  // RFC 8033, 4.4 and appendix A: without congestion, the burst allowance is renewed.
  if (!params_.is_linux() && IsCalm()) state_.burst_allowance = params_.burst_allowance();
}

std::optional<Packet> Pie::Dequeue(Timestamp now, DropSink&) {
  RunUpdates(now);
  if (state_.packets.empty()) return std::nullopt;
  const Packet packet = state_.packets.PopFront();
  stats_.Release(packet);
  const auto took = departure_rate_.OnDeparture(packet.size, stats_.bytes, now);
  // Linux reduces the burst allowance only by the durations of measurements, so that the allowance lasts at least
  // until the rate is known.
  if (took && params_.is_linux()) {
    state_.burst_allowance = std::max(TimeDelta::Zero(), state_.burst_allowance - *took);
  }
  return packet;
}

// Runs the updates that have become due. They can run late, from Enqueue() and Dequeue(), since the queue changes
// only there. An update that is due at `now` runs before the packet is handled.
void Pie::RunUpdates(Timestamp now) {
  if (state_.next_update == Timestamp::MinusInfinity()) {
    state_.next_update = now + (params_.is_linux() ? kLinuxFirstUpdate : params_.t_update());
  }
  const TimeDelta interval = params_.t_update();
  for (int i = 0; now >= state_.next_update; ++i) {
    if (i < kMaxUpdates && Update()) {
      state_.next_update += interval;
      continue;
    }
    // Skips all further updates: they would change nothing, or kMaxUpdates is reached.
    const double late_us = std::fmod((now - state_.next_update).us(), interval.us());
    state_.next_update = now + interval - TimeDelta::Micros(late_us);
    return;
  }
}

// The control law of RFC 8033, 4.2:
//   p += factor(p) * (alpha * (delay - target) + beta * (delay - old_delay))
bool Pie::Update() {
  ++pie_stats_.updates;
  const State& s = state_;
  const double old_probability = s.probability;
  const TimeDelta old_delay = s.old_delay;
  const TimeDelta old_allowance = s.burst_allowance;

  state_.old_delay = s.delay;
  state_.delay = departure_rate_.DelayOf(stats_.bytes);
  const TimeDelta from_target = s.delay - params_.target();
  const TimeDelta change = s.delay - s.old_delay;
  double step = params_.alpha_per_s * from_target.seconds() + params_.beta_per_s * change.seconds();
  step *= TuningFactor(params_, s.probability);
  if (s.probability >= kStepLimitFrom) step = std::min(step, kMaxStep);
  if (params_.is_linux() && s.delay > kLinuxHighDelay) step += kMaxStep;
  state_.probability = std::clamp(s.probability + step, 0.0, 1.0);

  // In Linux, the probability does not decay while packets wait, since their delay may be unknown.
  const bool is_idle = !params_.is_linux() || stats_.bytes == DataSize::Zero();
  if (is_idle && s.delay == TimeDelta::Zero() && s.old_delay == TimeDelta::Zero()) state_.probability *= kDecay;
  bool restarted = false;
  if (params_.is_linux()) {
    restarted = RestartWhenCalm();
  } else {
    state_.burst_allowance = std::max(TimeDelta::Zero(), s.burst_allowance - params_.t_update());
  }
  return s.probability != old_probability || s.delay != s.old_delay || s.old_delay != old_delay ||
         s.burst_allowance != old_allowance || restarted;
}

bool Pie::IsCalm() const {
  const TimeDelta half = params_.target() / 2;
  return state_.probability == 0 && state_.delay < half && state_.old_delay < half;
}

// When congestion has ended, Linux restarts the measurement of the rate and renews the burst allowance.
bool Pie::RestartWhenCalm() {
  if (!IsCalm() || !departure_rate_.known()) return false;
  departure_rate_.Forget();
  state_.burst_allowance = params_.burst_allowance();
  return true;
}

// Whether to drop an arriving packet (RFC 8033, 4.1 and 5.4). Linux before 5.1 has no derandomisation (5.4).
bool Pie::DropEarly() {
  const double p = state_.probability;
  if (state_.burst_allowance > TimeDelta::Zero()) return false;
  if (state_.delay < params_.target() / 2 && p < kLowProbability) return false;
  const DataSize two_packets = DataSize::Bytes(2 * params_.mtu_bytes);
  if (stats_.bytes < two_packets) return false;
  if (params_.is_linux()) return random_.Uniform() < p;
  if (stats_.bytes == two_packets) return false;
  state_.accumulated = p == 0 ? 0 : state_.accumulated + p;
  if (state_.accumulated < kAccumulatedMin) return false;
  return state_.accumulated >= kAccumulatedMax || random_.Uniform() < p;
}

}  // namespace ccscope
