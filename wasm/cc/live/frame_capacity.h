// The capacity of a bottleneck as the frames of about the last second show it (frame_dispersion.h), and its
// falls: the fewer frames speak of one, the further beyond the lateness of stamps each has to be.
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
  // A larger share of lost packets comes from a full queue only.
  static constexpr double kHeavyLoss = 0.1;

  void OnFrame(const Arrival& arrival);
  // From now on frames are gone through once for both, which see the same ones: most of the work does not depend on
  // whose they are. Only before the first one.
  void ShareFrames(const FrameCapacity& other) { dispersion_ = other.dispersion_; }
  // Something was lost: frames that wait for it say nothing of the capacity.
  void OnLoss(Timestamp now) { lost_at_ = now; }
  void Reset() { estimate_.reset(); }

  std::optional<DataRate> capacity() const { return estimate_ ? std::optional(estimate_->rate) : std::nullopt; }
  // FrameDispersion::Estimate::spread; 0 without an estimate.
  double spread() const { return estimate_ ? estimate_->spread : 0; }
  // The capacity that the latest frames speak of, where it is far below `sent` and they queue.
  std::optional<DataRate> FallenBelow(DataRate sent) const;
  // From now on what was before this fall says nothing.
  void OnFall(Timestamp now) { fell_at_ = now; }

  // Whether a queue is really there: beyond what late stamps explain.
  bool SeesQueue() const;
  // Whether it is beyond doubt: by heavy losses, by its length, or since frames take far longer to be served
  // than single stamps are late.
  bool IsSureOfQueue(double loss) const;
  // How long the newest frames waited behind earlier ones.
  TimeDelta Wait() const { return dispersion_->Wait(); }
  // The part of that wait that is worth draining.
  TimeDelta WaitToDrain() const;
  const FrameDispersion& frames() const { return *dispersion_; }
  Timestamp latest_frame() const { return now_; }

 private:
  TimeDelta Horizon() const;
  std::optional<DataRate> Fallen() const;

  std::shared_ptr<FrameDispersion> dispersion_ = std::make_shared<FrameDispersion>();
  std::optional<FrameDispersion::Estimate> estimate_;  // as of the latest frame
  Timestamp now_ = Timestamp::MinusInfinity();
  Timestamp lost_at_ = Timestamp::MinusInfinity();
  std::optional<Timestamp> fell_at_;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_FRAME_CAPACITY_H_
