// A video encoder. It makes frames at a fixed rate. The mean size of the frames follows a target rate with a delay, and
// the sizes are noisy. media_source.md describes what was measured with VP8.
#ifndef CCSCOPE_SIM_MEDIA_SOURCE_H_
#define CCSCOPE_SIM_MEDIA_SOURCE_H_

#include "units/random.h"
#include "units/parameter.h"
#include "units/units.h"

namespace ccscope {

class MediaSource {
 public:
  struct Params {
#define PARAMETER CCSCOPE_PARAMETER_FIELD
#include "sim/media_source.def"
#undef PARAMETER

    TimeDelta frame_interval() const { return TimeDelta::Seconds(1 / frame_rate); }
    DataSize payload() const { return DataSize::Bytes(payload_bytes); }
    // The payload of the largest packet if a frame of this size is divided into packets.
    DataSize LargestFragment(DataSize frame) const;
    enum class Nack { kOff, kSameStream, kRtx };
    bool retransmits() const { return Choice<Nack>(nack) != Nack::kOff; }
    bool uses_rtx() const { return Choice<Nack>(nack) == Nack::kRtx; }
    DataSize header() const { return DataSize::Bytes(header_bytes); }
    DataRate min_rate() const { return DataRate::BitsPerSec(min_bitrate_bps); }
    DataRate max_rate() const { return DataRate::BitsPerSec(max_bitrate_bps); }
  };

  MediaSource(const Params& params, DataRate start_rate);

  void SetTarget(DataRate target);
  // Makes the next frame a key frame.
  void RequestKeyFrame() { key_frame_requested_ = true; }

  struct Frame {
    DataSize size;  // payload
    int packets = 0;
    bool key_frame = false;
  };
  // Makes the next frame. Call it at intervals of 1 / frame_rate.
  Frame NextFrame(Random& random);

  // The rate that the encoder aims at now. It follows the target with a delay.
  DataRate rate() const { return rate_; }

 private:
  DataRate GivenTarget() const;
  void FollowTarget();
  DataRate MeanRate() const;
  bool IsStill() const;

  Params params_;
  DataRate target_;
  DataRate rate_;
  double follow_down_;  // fraction by which each frame reduces the gap between rate_ and a lower target
  double follow_up_;    // the same for a higher target
  double inverse_;      // after a fall of the target: (mean rate - rate_) / (rate_ - target)
  double innovation_;   // standard deviation of the innovation of the frame-size noise
  double noise_ = 0;
  double ramp_ = 1;     // the factor by which rate_ grows with each frame
  int frames_ = 0;
  int frames_of_target_ = 0;
  DataSize cut_frame_;  // after a deep fall of the target, the least size of the next frame
  bool key_frame_requested_ = true;  // the first frame is a key frame
  double give_back_;    // fraction of `excess_` by which the next frame is made smaller
  double excess_ = 0;   // sum of the excess sizes of all frames so far, in units of the mean size
  int key_frame_interval_;  // in frames; 0: no periodic key frames
};

inline constexpr int kMediaSourceParameterCount = static_cast<int>(sizeof(MediaSource::Params) / sizeof(double));
extern const ParameterSpec kMediaSourceParameterSpecs[kMediaSourceParameterCount];

}  // namespace ccscope

#endif  // CCSCOPE_SIM_MEDIA_SOURCE_H_
