#include "cc/gcc/frame_dispersion.h"

#include <algorithm>
#include <cmath>

namespace ccscope::gcc {
namespace {

// A frame's payload travels in packets of about 1,150 B with 12 B of RTP, 16 B of header
// extensions and payload descriptor, and 28 B of UDP and IP before each.
constexpr DataSize kPayloadPerPacket = DataSize::Bytes(1150);
constexpr DataSize kHeadersPerPacket = DataSize::Bytes(56);

constexpr int kMinSamples = 6;
constexpr int kIterations = 6;
// b is this order statistic instead of the minimum: single arrivals are stamped up to 1 ms early.
constexpr int kBaseRank = 2;
// Less dispersion than this per frame is clock noise.
constexpr TimeDelta kMinServiceTime = TimeDelta::Millis(2);
constexpr TimeDelta kHorizon = TimeDelta::Seconds(1);

DataSize OnTheWire(DataSize payload) {
  return payload + kHeadersPerPacket * std::ceil(payload / kPayloadPerPacket);
}

}  // namespace

const FrameDispersion::Frame& FrameDispersion::Back(int k) const {
  return frames_[static_cast<std::size_t>((next_ - 1 - k + 2 * kFrames) % kFrames)];
}

TimeDelta FrameDispersion::Base(double inverse_capacity_us_per_byte) const {
  std::array<double, kBaseRank + 1> lowest;
  lowest.fill(kInfinity);
  for (int k = 0; k < count_; ++k) {
    double value = Back(k).one_way_delay().us() - Back(k).size.bytes() * inverse_capacity_us_per_byte;
    for (double& rank : lowest) {
      if (value < rank) std::swap(value, rank);
    }
  }
  return TimeDelta::Micros(count_ > kFrames / 4 ? lowest[kBaseRank] : lowest[0]);
}

TimeDelta FrameDispersion::ServiceTime(int k) const {
  const Frame& frame = Back(k);
  const Timestamp start = std::max(frame.send + base_, Back(k + 1).arrival);
  return std::max(frame.arrival - start, TimeDelta::Zero());
}

std::optional<double> FrameDispersion::InverseCapacity(TimeDelta horizon) const {
  TimeDelta service;
  DataSize size;
  int samples = 0;
  for (int k = 0; k + 1 < count_ && (Back(0).arrival - Back(k).arrival <= horizon || samples < kMinSamples); ++k) {
    if (Back(k).seq - Back(k + 1).seq != 1) continue;  // a frame is missing in between
    service += ServiceTime(k);
    size += Back(k).size;
    ++samples;
  }
  if (samples < kMinSamples || service < kMinServiceTime * samples) return std::nullopt;
  return service.us() / size.bytes();
}

void FrameDispersion::Solve() {
  for (int i = 0; i < kIterations; ++i) {
    base_ = Base(inverse_capacity_us_per_byte_);
    const std::optional<double> inverse = InverseCapacity(kHorizon);
    if (!inverse) break;
    inverse_capacity_us_per_byte_ = *inverse;
  }
  wait_ = std::max(Back(1).arrival - Back(0).send - base_, TimeDelta::Zero());
}

void FrameDispersion::OnFrame(const Arrival& arrival) {
  frames_[static_cast<std::size_t>(next_)] = {arrival.seq, arrival.send_time, arrival.arrival_time, OnTheWire(arrival.size)};
  next_ = (next_ + 1) % kFrames;
  count_ = std::min(count_ + 1, kFrames);
  if (count_ >= 2) Solve();
}

std::optional<DataRate> FrameDispersion::Capacity(TimeDelta horizon) const {
  if (count_ < 2) return std::nullopt;
  const std::optional<double> inverse = InverseCapacity(horizon);
  if (!inverse) return std::nullopt;
  return DataSize::Bytes(1) / TimeDelta::Micros(*inverse);
}

}  // namespace ccscope::gcc
