#include "cc/live/frame_dispersion.h"

#include <algorithm>
#include <cmath>

#include "units/deterministic_math.h"

namespace ccscope {
namespace {

// The data of a frame, as an encoded transform sees it, is sent in packets with up to 1173 B of payload. Each packet
// adds 28 B of IPv4 and UDP, 12 B of RTP and 10 B of SRTP's tag (RFC 3711), and, as measured in Chromium, 13 B of
// header extensions and payload descriptor.
constexpr DataSize kPayloadPerPacket = DataSize::Bytes(1173);
constexpr DataSize kHeadersPerPacket = DataSize::Bytes(63);

// The regression starts with this many frames.
constexpr int kMinPoints = 6;
// Dispersion per frame below this is clock noise.
constexpr TimeDelta kMinServiceTime = TimeDelta::Millis(2);

// Quantile regression: this fraction of the points lies below the line.
constexpr double kQuantile = 0.25;
// The range of capacities searched, by golden section over the logarithm: 160 Mbps to 50 kbps.
constexpr double kMinUsPerByte = 0.05;
constexpr double kMaxUsPerByte = 160;
constexpr double kGolden = 0.6180339887498949;
constexpr int kSections = 20;
// The base (the propagation delay b) is an exponential average of the regression's intercepts. These are the weights of
// a new intercept. The base rises more slowly than it falls, since a queue that lasts for seconds raises all points
// alike. The base changes much more slowly if the regression fits badly, as it does while frames queue: only few points
// then lie on the line.
constexpr TimeDelta kGoodFit = TimeDelta::Millis(1);  // of the regression: its mean pinball loss
constexpr double kWeightDown = 0.1;
constexpr double kWeightUp = 0.05;
constexpr double kWeightOfBadFit = 0.1;

// A frame is bunched with its predecessor if the time between their arrivals is less than this fraction of the time
// that the link needs for the frame.
constexpr double kBunched = 0.3;

// The lateness of stamps is this quantile of Frame::service_excess over the latest frames.
constexpr int kLatenessFrames = 64;
constexpr double kLatenessQuantile = 0.85;

DataSize OnTheWire(DataSize frame) {
  return frame + kHeadersPerPacket * std::max(1.0, std::ceil(frame / kPayloadPerPacket));
}

// Missing frames are assumed to be as large as the next frame. At most this many of them count; if more are missing,
// the sender has probably paused.
constexpr double kMostMissing = 3;

double Pinball(double residual) { return residual > 0 ? kQuantile * residual : (kQuantile - 1) * residual; }

// The n-th smallest of `count` numbers, where n counts from 0 (C. A. R. Hoare, CACM 4, 1961). Reorders the numbers.
// The partition has no branch that depends on a number, since such a branch would often be mispredicted.
double NthSmallest(double* from, int count, int n) {
  while (count > 1) {
    const double a = from[0];
    const double b = from[count / 2];
    const double c = from[count - 1];
    const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    int below = 0;
    int equal = 0;
    for (int i = 0; i < count; ++i) {
      const double value = from[i];
      from[i] = from[below];
      from[below] = value;
      below += value < pivot ? 1 : 0;
      equal += value == pivot ? 1 : 0;
    }
    if (n < below) {
      count = below;
    } else if (n < below + equal) {
      return pivot;
    } else {
      int above = 0;
      for (int i = below; i < count; ++i) {
        const double value = from[i];
        from[above] = value;
        above += value > pivot ? 1 : 0;
      }
      n -= below + equal;
      count = above;
    }
  }
  return from[0];
}

struct Minimum {
  double at;
  double value;
};

// The minimum of a unimodal function in [low, high], searched on a logarithmic scale.
template <class F>
Minimum LeastOf(double low, double high, F&& f) {
  double from = det::Log(low);
  double to = det::Log(high);
  double left = to - kGolden * (to - from);
  double right = from + kGolden * (to - from);
  double at_left = f(det::Exp(left));
  double at_right = f(det::Exp(right));
  for (int i = 0; i < kSections; ++i) {
    if (at_left <= at_right) {
      to = right;
      right = left;
      at_right = at_left;
      left = to - kGolden * (to - from);
      at_left = f(det::Exp(left));
    } else {
      from = left;
      left = right;
      at_left = at_right;
      right = from + kGolden * (to - from);
      at_right = f(det::Exp(right));
    }
  }
  return at_left <= at_right ? Minimum{det::Exp(left), at_left} : Minimum{det::Exp(right), at_right};
}

}  // namespace

FrameDispersion::Frame& FrameDispersion::Back(int k) {
  return frames_[static_cast<std::size_t>((next_ - 1 - k + 2 * kFrames) % kFrames)];
}
const FrameDispersion::Frame& FrameDispersion::Back(int k) const {
  return frames_[static_cast<std::size_t>((next_ - 1 - k + 2 * kFrames) % kFrames)];
}

void FrameDispersion::Order() {
  ordered_.count = count_;
  for (int i = 0; i < count_; ++i) {
    const Frame& frame = Back(count_ - 1 - i);
    const auto at = static_cast<std::size_t>(i);
    ordered_.send_us[at] = frame.send.us();
    ordered_.arrival_us[at] = frame.arrival.us();
    ordered_.bytes[at] = frame.size.bytes();
    ordered_.missing[at] = std::min(frame.missing, kMostMissing);
    ordered_.tells_time[at] = frame.tells_time();
  }
}

double FrameDispersion::Ordered::ServedUs(int i, double free_us, double us_per_byte) const {
  const auto at = static_cast<std::size_t>(i);
  const double own_us = us_per_byte * bytes[at];
  if (missing[at] > 0) free_us += own_us * missing[at];
  return std::max(free_us, send_us[at]) + own_us;
}

// The intercept that fits all frames best at this capacity, and the loss of that fit.
FrameDispersion::Fit FrameDispersion::BestBase(double us_per_byte) {
  int count = 0;
  double free_us = Timestamp::MinusInfinity().us();
  for (int i = 0; i < ordered_.count; ++i) {
    free_us = ordered_.ServedUs(i, free_us, us_per_byte);
    const auto at = static_cast<std::size_t>(i);
    residuals_[static_cast<std::size_t>(count)] = ordered_.arrival_us[at] - free_us;
    count += ordered_.tells_time[at] ? 1 : 0;
  }
  if (count < kMinPoints) return {us_per_byte, 0, kMaxUsPerByte};
  // NthSmallest() reorders its numbers, so it gets a copy: the sum below is reproducible only in a fixed order.
  std::copy(residuals_.begin(), residuals_.begin() + count, partitioned_.begin());
  Fit fit{us_per_byte, NthSmallest(partitioned_.data(), count, static_cast<int>(kQuantile * (count - 1))), 0};
  for (int k = 0; k < count; ++k) fit.loss += Pinball(residuals_[static_cast<std::size_t>(k)] - fit.base_us);
  fit.loss /= count;
  return fit;
}

void FrameDispersion::UpdateBase() {
  const Minimum least = LeastOf(kMinUsPerByte, kMaxUsPerByte, [this](double x) { return BestBase(x).loss; });
  const Fit best = BestBase(least.at);
  if (best.base_us == 0) return;  // too few usable stamps (tells_time())
  us_per_byte_ = best.us_per_byte;
  const bool good = best.loss < kGoodFit.us();
  if (!base_us_ || !had_good_fit_) {
    base_us_ = best.base_us;
    had_good_fit_ = good && count_ >= 2 * kMinPoints;
    return;
  }
  const double weight = (best.base_us < *base_us_ ? kWeightDown : kWeightUp) * (good ? 1 : kWeightOfBadFit);
  *base_us_ += (best.base_us - *base_us_) * weight;
}

void FrameDispersion::UpdateLateness() {
  const int count = std::min(kLatenessFrames, count_);
  int known = 0;
  for (int k = 0; k < count; ++k) {
    if (Back(k).tells_service()) partitioned_[static_cast<std::size_t>(known++)] = Back(k).service_excess.us();
  }
  if (known == 0) return;
  const auto quantile = partitioned_.begin() + static_cast<int>(kLatenessQuantile * (known - 1));
  std::nth_element(partitioned_.begin(), quantile, partitioned_.begin() + known);
  lateness_ = std::max(TimeDelta::Micros(*quantile), TimeDelta::Zero());
}

// The regression's loss over the latest `frames` frames, with the current base. If a frame arrived earlier than
// predicted, the queue in the model is shortened to match. If a frame arrived later, the queue in the model is not
// lengthened, since the stamp may be late. After missing frames, the queue in the model is set from the stamp.
double FrameDispersion::Loss(double us_per_byte, int frames) const {
  const int first = ordered_.count - frames;
  double free_us = ordered_.arrival_us[static_cast<std::size_t>(first - 1)] - *base_us_;
  double loss = 0;
  int counted = 0;
  for (int i = first; i < ordered_.count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double left_us = ordered_.arrival_us[at] - *base_us_;
    free_us = ordered_.ServedUs(i, free_us, us_per_byte);
    if (ordered_.tells_time[at]) {
      loss += Pinball(left_us - free_us);
      ++counted;
    }
    free_us = ordered_.missing[at] > 0 ? left_us : std::min(free_us, std::max(left_us, ordered_.send_us[at]));
  }
  return loss / std::max(counted, 1);
}

std::optional<FrameDispersion::Estimate> FrameDispersion::Capacity(TimeDelta horizon, int min_frames) const {
  if (!base_us_) return std::nullopt;
  int frames = 0;
  int counted = 0;
  DataSize size;
  while (frames + 1 < count_ && (Back(0).arrival - Back(frames).arrival <= horizon || counted < min_frames)) {
    size += Back(frames).size;
    if (Back(frames++).tells_time()) ++counted;
  }
  if (counted < min_frames) return std::nullopt;
  const auto loss = [this, frames](double us_per_byte) { return Loss(us_per_byte, frames); };
  const Minimum best = LeastOf(kMinUsPerByte, kMaxUsPerByte, loss);
  const double service_us = best.at * size.bytes() / frames;
  if (service_us < kMinServiceTime.us()) return std::nullopt;
  return Estimate{DataSize::Bytes(1) / TimeDelta::Micros(best.at), best.value / service_us};
}

std::optional<TimeDelta> FrameDispersion::Base() const {
  if (!base_us_) return std::nullopt;
  return TimeDelta::Micros(*base_us_);
}

// Calls `visit` for frames, the newest first, until `visit` has returned true for `frames` of them. Returns whether
// that number was reached.
template <class Visit>
bool FrameDispersion::ForLatest(int frames, Visit&& visit) const {
  for (int k = 0; k < count_ && frames > 0; ++k) {
    if (visit(Back(k))) --frames;
  }
  return frames == 0;
}

TimeDelta FrameDispersion::Wait(int frames) const {
  TimeDelta least = TimeDelta::PlusInfinity();
  const bool enough = ForLatest(frames, [&least](const Frame& frame) {
    if (!frame.sent_again) least = std::min(least, frame.excess);
    return !frame.sent_again;
  });
  return base_us_ && enough ? std::max(least, TimeDelta::Zero()) : TimeDelta::Zero();
}

// Reduces each wait by a multiple of the lateness of single stamps. The fewer frames show the wait, the larger the
// multiple.
TimeDelta FrameDispersion::Wait() const {
  struct Evidence {
    int frames;
    double latenesses;
  };
  constexpr std::array<Evidence, 4> kEnough{{{2, 3}, {3, 1.5}, {5, 0.7}, {8, 0.2}}};
  TimeDelta wait;
  for (const auto& [frames, latenesses] : kEnough) wait = std::max(wait, Wait(frames) - lateness_ * latenesses);
  return wait;
}

TimeDelta FrameDispersion::ServiceExcess(int frames) const {
  TimeDelta least = TimeDelta::PlusInfinity();
  const bool enough = ForLatest(frames, [&least](const Frame& frame) {
    if (frame.tells_service()) least = std::min(least, frame.service_excess);
    return frame.tells_service();
  });
  return base_us_ && enough ? least : TimeDelta::Zero();
}

FrameDispersion::ServiceRates FrameDispersion::ServiceRatesOf(int frames) const {
  ServiceRates rates{DataRate::PlusInfinity(), DataRate::Zero()};
  ForLatest(frames, [&rates](const Frame& frame) {
    if (!frame.tells_service()) return false;
    const DataRate rate = frame.served / std::max(frame.service, kMinServiceTime);
    rates = {std::min(rates.slowest, rate), std::max(rates.fastest, rate)};
    return true;
  });
  return rates;
}

std::optional<DataRate> FrameDispersion::Delivered(TimeDelta window) const {
  if (count_ < kMinPoints) return std::nullopt;
  DataSize size;
  int k = 0;
  for (; k < count_ && (k < kMinPoints || Back(0).arrival - Back(k).arrival < window); ++k) size += Back(k).size;
  if (k < count_) return size / (k > kMinPoints ? window : std::max(window, Back(0).arrival - Back(k).arrival));
  // The time must include the transmission of the oldest frame, which ended when that frame arrived.
  return size / std::min(window, Back(0).arrival - Back(k - 1).arrival + Back(k - 1).size / (size / window));
}

// Marks the two newest frames if they arrived closer together than the capacity of the last seconds allows. The earlier
// frame then did not wait for the link but for the process that stamps the frames.
void FrameDispersion::MarkBunch() {
  if (!Back(0).tells_service() || Back(1).sent_again) return;
  const TimeDelta served = TimeDelta::Micros(us_per_byte_ * Back(0).size.bytes());
  if (Back(0).arrival - Back(1).arrival < served * kBunched) Back(0).bunched = Back(1).bunched = true;
}

// Inserts the frame in the order of sending. Returns how many frames were sent later than this frame; no value if
// this frame is older than all frames that are kept.
std::optional<int> FrameDispersion::Insert(const Frame& frame) {
  int later = 0;  // the number of frames that were sent later
  while (later < count_ && Back(later).seq > frame.seq) ++later;
  if (later > 0 && later == count_) return std::nullopt;
  next_ = (next_ + 1) % kFrames;
  count_ = std::min(count_ + 1, kFrames);
  for (int k = 0; k < later; ++k) Back(k) = Back(k + 1);
  Back(later) = frame;
  Back(later).sent_again = later > 0;
  for (int k = later; k >= std::max(0, later - 1); --k) {
    if (k + 1 < count_) Back(k).missing = std::max(0.0, Back(k).seq - Back(k + 1).seq - 1);
  }
  return later;
}

// Computes the frame's excess delay and its service time, given that the frames before it have arrived.
void FrameDispersion::Measure(int k) {
  Frame& frame = Back(k);
  const TimeDelta base = TimeDelta::Micros(*base_us_);
  frame.excess = frame.one_way_delay() - base - TimeDelta::Micros(us_per_byte_ * frame.size.bytes());
  frame.served = frame.size;
  int before = k + 1;
  while (before + 1 < count_ && Back(before).sent_again) frame.served += Back(before++).size;
  const TimeDelta expected = TimeDelta::Micros(us_per_byte_ * frame.served.bytes());
  frame.service = frame.arrival - std::max(frame.send + base, Back(before).arrival);
  frame.service_excess = frame.service - expected;
}

void FrameDispersion::OnFrame(const Arrival& arrival) {
  const Seen seen{arrival.seq, arrival.arrival_time};
  if (latest_ == seen) return;
  latest_ = seen;
  const Frame frame{arrival.seq, arrival.send_time, arrival.arrival_time, OnTheWire(arrival.size)};
  if (count_ > 0 && frame.seq < Back(0).seq - kFrames) count_ = 0;  // the sender was restarted
  const std::optional<int> later = Insert(frame);
  if (!later || count_ < kMinPoints) return;
  MarkBunch();
  Order();
  UpdateBase();
  if (!base_us_) return;
  // A frame that came late also changes the service time of its successor.
  for (int k = *later; k >= std::max(0, *later - 1); --k) Measure(k);
  UpdateLateness();
}

}  // namespace ccscope
