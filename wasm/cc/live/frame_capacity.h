// The bottleneck capacity that the frames of about the last second show (frame_dispersion.h), and falls of that
// capacity. A fall makes the service times of frames longer, but late time stamps may do so too. So the fewer frames
// show a fall, the longer their service times must be. A single frame raises only a suspicion (Suspected()).
#ifndef CCSCOPE_CC_LIVE_FRAME_CAPACITY_H_
#define CCSCOPE_CC_LIVE_FRAME_CAPACITY_H_

#include <memory>
#include <optional>

#include "cc/controller.h"
#include "cc/live/frame_dispersion.h"
#include "units/units.h"

namespace ccscope {

class FrameCapacity {
 public:
  // If a larger fraction of the packets than this is lost, a full queue must be the cause.
  static constexpr double kHeavyLoss = 0.1;
  // For this long after a loss, frames may be late because they wait for a retransmission.
  static constexpr TimeDelta kLossShows = TimeDelta::Millis(600);

  void OnFrame(const Arrival& arrival);
  // Shares the analysis of frames with another receiver of the same frames, since most of the analysis does not
  // depend on the receiver. Only allowed before the first frame.
  void ShareFrames(const FrameCapacity& other) { dispersion_ = other.dispersion_; }
  // Records a loss. Frames that wait for the lost packet do not show the capacity.
  void OnLoss(Timestamp now) { lost_at_ = now; }
  void Reset() { estimate_.reset(); }

  std::optional<DataRate> capacity() const { return estimate_ ? std::optional(estimate_->rate) : std::nullopt; }
  // FrameDispersion::Estimate::spread; 0 without an estimate.
  double spread() const { return estimate_ ? estimate_->spread : 0; }
  // The capacity that the latest frames show, if it is far below `sent` and the frames queue; otherwise no value.
  std::optional<DataRate> FallenBelow(DataRate sent) const;
  // A suspicion that the capacity has fallen: the rate at which the newest frame was served, if the frame took much
  // longer than expected and that rate is far below the delivered rate; otherwise no value. The next frame confirms the
  // suspicion or ends it. The queue could overflow before the next frame arrives, so the caller should send less
  // meanwhile. After an unconfirmed suspicion, no other suspicion begins for 20 s: on a machine that often stamps
  // frames late, suspicions would lower the rate too often.
  std::optional<DataRate> Suspected() const { return suspected_; }
  // Whether the rate must be lowered before the next message is due: the capacity has fallen far below `sent`, or
  // there is a suspicion that it has fallen.
  bool IsUrgent(DataRate sent) const { return suspected_ || FallenBelow(sent); }
  // Records a fall: from then on, the capacity is estimated only from frames since shortly before the fall.
  void OnFall(Timestamp now) { fell_at_ = now; }

  // Whether frames wait longer than late time stamps can explain, so that there must be a queue.
  bool SeesQueue() const;
  // Whether it is certain that a queue exists: losses are heavy; there are losses and SeesQueue() is true; the queue is
  // long; or the service times of the latest frames exceed the expected times by far more than the usual lateness of a
  // stamp. `loss`: the fraction of packets lost.
  bool IsSureOfQueue(double loss) const;
  // How long the newest frames waited behind earlier ones.
  TimeDelta Wait() const { return dispersion_->Wait(); }
  // The part of Wait() that is to be drained. A short wait is tolerated.
  TimeDelta WaitToDrain() const;
  const FrameDispersion& frames() const { return *dispersion_; }
  Timestamp latest_frame() const { return now_; }

 private:
  TimeDelta Horizon() const;
  std::optional<DataRate> Fallen() const;
  bool IsBehindLoss() const { return now_ - lost_at_ < kLossShows; }
  void UpdateSuspicion();

  std::shared_ptr<FrameDispersion> dispersion_ = std::make_shared<FrameDispersion>();
  std::optional<FrameDispersion::Estimate> estimate_;  // as of the latest frame
  Timestamp now_ = Timestamp::MinusInfinity();
  Timestamp lost_at_ = Timestamp::MinusInfinity();
  std::optional<Timestamp> fell_at_;
  std::optional<DataRate> suspected_;
  Timestamp suspected_at_ = Timestamp::MinusInfinity();  // when the latest suspicion began
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_FRAME_CAPACITY_H_
