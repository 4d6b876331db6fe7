#include "cc/nada/loss_estimator.h"

#include <algorithm>
#include <cstddef>

namespace ccscope::nada {
namespace {

// Arrivals within this time are counted together.
constexpr TimeDelta kBucket = TimeDelta::Millis(5);

}  // namespace

void LossEstimator::Configure(const Parameters& parameters) {
  window_ = parameters.logwin();
  alpha_ = parameters.alpha;
  multiloss_ = parameters.multiloss;
}

void LossEstimator::Advance(Timestamp now) {
  while (!buckets_.empty() && now - buckets_.front().begin >= window_) {
    const Bucket old = buckets_.PopFront();
    received_ -= old.received;
    lost_ -= old.lost;
  }
  if (buckets_.empty()) received_ = lost_ = 0;
}

// Called for a loss that is more than one RTT after the first loss of the previous event; earlier losses belong to
// that event (RFC 5348 5.2).
void LossEstimator::BeginLossEvent(double packets_before, Timestamp now) {
  std::copy_backward(intervals_.begin(), intervals_.end() - 1, intervals_.end());
  intervals_[0] = packets_before;
  interval_count_ = std::min(interval_count_ + 1, kIntervals);
  since_event_ = 0;
  event_began_ = now;
}

void LossEstimator::OnPackets(double received, double lost, TimeDelta rtt, Timestamp now) {
  Advance(now);
  if (buckets_.empty() || now - buckets_[buckets_.size() - 1].begin >= kBucket) buckets_.PushBack({now, 0, 0});
  Bucket& bucket = buckets_[buckets_.size() - 1];
  bucket.received += received;
  bucket.lost += lost;
  received_ += received;
  lost_ += lost;
  if (lost > 0) {
    if (now - event_began_ > rtt) BeginLossEvent(since_event_, now);
    last_loss_ = now;
    since_loss_ = 0;
  }
  since_event_ += received + lost;
  since_loss_ += received;
}

void LossEstimator::Update(Timestamp now) {
  Advance(now);
  // Clamped, since the running sums are inexact if large and small counts are mixed.
  const double p_inst = lost_ > 0 ? std::clamp(lost_ / (lost_ + received_), 0.0, 1.0) : 0;
  p_loss_ += (p_inst - p_loss_) * alpha_;
}

// The mean of the closed intervals only. RFC 5348 also includes the open interval I_0 if that makes the mean larger.
// Then loss_int would be at least I_0 / 6 (6: the sum of the weights), and loss_exp = MULTILOSS * loss_int = 7
// loss_int would exceed I_0. So after the first loss, losses would count as recent forever.
double LossEstimator::LossInterval() const {
  constexpr double kWeights[kIntervals] = {1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2};
  double sum = 0;
  double weights = 0;
  for (int i = 0; i < interval_count_; ++i) {
    sum += kWeights[i] * intervals_[static_cast<std::size_t>(i)];
    weights += kWeights[i];
  }
  return weights > 0 ? sum / weights : 0;
}

double LossEstimator::WarpingShare() const {
  if (interval_count_ == 0) return 0;
  const double interval = std::max(LossInterval(), 1.0);
  return std::clamp(1 + multiloss_ - since_loss_ / interval, 0.0, 1.0);
}

}  // namespace ccscope::nada
