#include "cc/gcc/frame_dispersion.h"

#include <algorithm>
#include <cmath>

namespace ccscope::gcc {
namespace {

// A frame's payload travels in packets of about 1,150 B with 12 B of RTP, 16 B of header
// extensions and payload descriptor, and 28 B of UDP and IP before each.
constexpr DataSize kPayloadPerPacket = DataSize::Bytes(1150);
constexpr DataSize kHeadersPerPacket = DataSize::Bytes(56);

// The regression starts with this many frames.
constexpr int kMinPoints = 6;
// Less dispersion than this per frame is clock noise.
constexpr TimeDelta kMinServiceTime = TimeDelta::Millis(2);

// How much the ratio of sums may fall short of the capacity: stamps can only be late, on a busy
// machine by a tenth of the service time in the mean (measured in calls; the median by a fiftieth).
constexpr double kSumsFallShort = 1.25;

// Regression: the line has this share of the points below it.
constexpr double kQuantile = 0.25;
// Slopes looked at: infinite capacity to 50 kbps, by golden section.
constexpr double kMaxSlopeUsPerByte = 160;
constexpr double kGolden = 0.6180339887498949;
constexpr int kSections = 24;
// The intercept follows a regression that fits: while frames queue, few lie on the line. It follows
// slowly upwards, since a queue that stays for seconds lifts all points alike.
constexpr TimeDelta kGoodFit = TimeDelta::Millis(1);  // mean pinball loss
constexpr double kWeightDown = 0.1;
constexpr double kWeightUp = 0.05;
constexpr double kWeightOfBadFit = 0.1;

DataSize OnTheWire(DataSize payload) {
  return payload + kHeadersPerPacket * std::max(1.0, std::ceil(payload / kPayloadPerPacket));
}

}  // namespace

const FrameDispersion::Frame& FrameDispersion::Back(int k) const {
  return frames_[static_cast<std::size_t>((next_ - 1 - k + 2 * kFrames) % kFrames)];
}

// The intercept that fits best at this slope, and how well it does (pinball loss).
FrameDispersion::Line FrameDispersion::BestLine(double slope_us_per_byte) {
  for (int k = 0; k < count_; ++k) {
    residuals_[static_cast<std::size_t>(k)] =
        Back(k).one_way_delay().us() - slope_us_per_byte * Back(k).size.bytes();
  }
  // In another array: standard libraries leave what they partition in different orders, and a sum has
  // the same bits in one order only.
  const auto end = std::copy(residuals_.begin(), residuals_.begin() + count_, partitioned_.begin());
  const auto quantile = partitioned_.begin() + static_cast<int>(kQuantile * (count_ - 1));
  std::nth_element(partitioned_.begin(), quantile, end);
  Line line{*quantile, slope_us_per_byte, 0};
  for (int k = 0; k < count_; ++k) {
    const double above = residuals_[static_cast<std::size_t>(k)] - line.intercept_us;
    line.loss += above > 0 ? kQuantile * above : (kQuantile - 1) * above;
  }
  return line;
}

// The loss is convex in the slope: golden-section search.
void FrameDispersion::UpdateBase() {
  double low = 0;
  double high = kMaxSlopeUsPerByte;
  Line left = BestLine(high - kGolden * (high - low));
  Line right = BestLine(low + kGolden * (high - low));
  for (int i = 0; i < kSections; ++i) {
    if (left.loss <= right.loss) {
      high = right.slope_us_per_byte;
      right = left;
      left = BestLine(high - kGolden * (high - low));
    } else {
      low = left.slope_us_per_byte;
      left = right;
      right = BestLine(low + kGolden * (high - low));
    }
  }
  const Line& best = left.loss <= right.loss ? left : right;
  const bool good = best.loss / count_ < kGoodFit.us();
  if (!base_us_ || !had_good_fit_) {
    base_us_ = best.intercept_us;
    had_good_fit_ = good && count_ >= 2 * kMinPoints;
    return;
  }
  const double weight = (best.intercept_us < *base_us_ ? kWeightDown : kWeightUp) * (good ? 1 : kWeightOfBadFit);
  *base_us_ += (best.intercept_us - *base_us_) * weight;
}

TimeDelta FrameDispersion::ServiceTime(int k) const {
  const Frame& frame = Back(k);
  const Timestamp start = std::max(frame.send + TimeDelta::Micros(*base_us_), Back(k + 1).arrival);
  return std::max(frame.arrival - start, TimeDelta::Zero());
}

std::optional<FrameDispersion::Estimate> FrameDispersion::Capacity(TimeDelta horizon, int min_frames) const {
  if (!base_us_) return std::nullopt;
  struct Sample {
    double service_us_per_byte;
    DataSize size;
  };
  std::array<Sample, kFrames> samples;
  int count = 0;
  TimeDelta service;
  DataSize size;
  for (int k = 0; k + 1 < count_ && (Back(0).arrival - Back(k).arrival <= horizon || count < min_frames); ++k) {
    if (Back(k).seq - Back(k + 1).seq != 1) continue;  // a frame is missing in between
    const TimeDelta x = ServiceTime(k);
    // In ascending order: a few dozen at most, and std::sort alone is a thirtieth of the module.
    const Sample sample{x.us() / Back(k).size.bytes(), Back(k).size};
    auto place = samples.begin() + count++;
    for (; place != samples.begin() && sample.service_us_per_byte < (place - 1)->service_us_per_byte; --place) {
      *place = *(place - 1);
    }
    *place = sample;
    service += x;
    size += Back(k).size;
  }
  if (count < min_frames || service < kMinServiceTime * count) return std::nullopt;
  int median = 0;
  for (DataSize below = samples[0].size; below < size / 2; below += samples[static_cast<std::size_t>(median)].size) {
    ++median;
  }
  const auto capacity = [](double us_per_byte) {
    return us_per_byte > 0 ? DataSize::Bytes(1) / TimeDelta::Micros(us_per_byte) : DataRate::PlusInfinity();
  };
  const DataRate by_median = capacity(samples[static_cast<std::size_t>(median)].service_us_per_byte);
  const DataRate by_sums = capacity(service.us() / size.bytes());
  return Estimate{std::min(by_median, by_sums * kSumsFallShort), std::max(by_median, by_sums)};
}

std::optional<TimeDelta> FrameDispersion::Base() const {
  if (!base_us_) return std::nullopt;
  return TimeDelta::Micros(*base_us_);
}

void FrameDispersion::OnFrame(const Arrival& arrival) {
  frames_[static_cast<std::size_t>(next_)] = {arrival.seq, arrival.send_time, arrival.arrival_time, OnTheWire(arrival.size)};
  next_ = (next_ + 1) % kFrames;
  count_ = std::min(count_ + 1, kFrames);
  if (count_ < kMinPoints) return;
  UpdateBase();
  wait_ = std::max(Back(1).arrival - Back(0).send - TimeDelta::Micros(*base_us_), TimeDelta::Zero());
}

}  // namespace ccscope::gcc
