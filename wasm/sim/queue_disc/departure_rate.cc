#include "sim/queue_disc/departure_rate.h"

#include <cmath>

namespace ccscope {
namespace {

constexpr double kRateWeight = 1.0 / 8;
constexpr double kTimeWeight = 1.0 / 4;  // RFC 8033, 5.2: DQ_THRESHOLD / 2^16
// The units of Linux: a tick of psched_time_t (PSCHED_SHIFT), and rates in 1/256 bytes per tick (PIE_SCALE).
constexpr TimeDelta kTick = TimeDelta::Micros(0.064);
constexpr double kPieScale = 256;

}  // namespace

std::optional<TimeDelta> DepartureRate::OnDeparture(DataSize size, DataSize backlog, Timestamp now) {
  const bool enough = backlog >= threshold_;
  // In Linux, a measurement includes the packet with which it begins; in the RFC it begins after that packet.
  if (average_ == Average::kRate && enough && !measuring_) Begin(now);
  std::optional<TimeDelta> took;
  if (measuring_) {
    departed_ += size;
    if (departed_ >= threshold_ && now > since_) {
      took = now - since_;
      Measure(*took);
      measuring_ = false;
    }
  }
  if (enough && !measuring_) Begin(now);
  return took;
}

TimeDelta DepartureRate::DelayOf(DataSize backlog) const {
  if (!known_) return TimeDelta::Zero();
  return average_ == Average::kRate ? backlog / rate_ : time_ * (backlog / threshold_);
}

void DepartureRate::Begin(Timestamp now) {
  measuring_ = true;
  since_ = now;
  departed_ = DataSize::Zero();
}

// As in Linux's pie_process_dequeue(), divisions discard their remainders.
void DepartureRate::MeasureWhole(TimeDelta took) {
  const double ticks = std::floor(took / kTick);
  if (ticks < 1) return;
  const double measured = std::floor(departed_.bytes() * kPieScale / ticks);
  units_ = known_ ? units_ - std::floor(units_ * kRateWeight) + std::floor(measured * kRateWeight) : measured;
  known_ = units_ > 0;
  rate_ = DataSize::Bytes(units_ / kPieScale) / kTick;
}

void DepartureRate::Measure(TimeDelta took) {
  if (whole_) return MeasureWhole(took);
  const DataRate rate = departed_ / took;
  rate_ = known_ ? rate_ * (1 - kRateWeight) + rate * kRateWeight : rate;
  time_ = known_ ? time_ * (1 - kTimeWeight) + took * kTimeWeight : took;
  known_ = true;
}

}  // namespace ccscope
