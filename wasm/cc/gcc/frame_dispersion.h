// Capacity from the dispersion of frames, for live calls. A frame leaves as a packet train, so the
// time that the bottleneck takes for it is its size over the capacity: a probe that costs nothing
// (packet-train dispersion; cf. Dovrolis et al., "What do packet dispersion techniques measure?",
// INFOCOM 2001). ccscope's own addition to GCC: the paper's filter also estimates 1/C, but only
// from pairs of frames between which the queue ran empty.
//
// Model of a serial bottleneck with propagation delay b (in which the clocks' offset stands):
//   one-way delay  o_i = w_i + b + L_i / C   with the wait w_i >= 0 behind earlier frames
// The frames that did not wait lie on a line below all others: its intercept b comes from a linear
// quantile regression of o on L at a low quantile, over the latest frames. With b,
//   start of service  s_i = max(T_i + b, t_{i-1}),   service time  x_i = t_i - s_i = L_i / C
// hold for every frame, waiting or not, and 1/C = sum x_i / sum L_i follows changes within frames.
#ifndef CCSCOPE_CC_GCC_FRAME_DISPERSION_H_
#define CCSCOPE_CC_GCC_FRAME_DISPERSION_H_

#include <array>
#include <optional>

#include "cc/controller.h"
#include "units/units.h"

namespace ccscope::gcc {

class FrameDispersion {
 public:
  void OnFrame(const Arrival& arrival);

  // From two readings of the same frames, the median over their bytes and the ratio of the sums. A
  // pause of a scheduler or a Wi-Fi outage holds frames up and then lets several through at once:
  // the sums then show too little, the median may show too much.
  // lower: what is safe to grow by; upper: what both readings allow for.
  struct Estimate {
    DataRate lower;
    DataRate upper;
  };
  // Over the frames of the last `horizon`, at least `min_frames`; nothing before there are so many,
  // or while their dispersion is lost in the noise of the clocks.
  std::optional<Estimate> Capacity(TimeDelta horizon, int min_frames) const;
  // The propagation delay b, with the clocks' offset in it.
  std::optional<TimeDelta> Base() const;
  // How long the newest frame waited for its service.
  TimeDelta Wait() const { return wait_; }

 private:
  struct Frame {
    double seq;
    Timestamp send;
    Timestamp arrival;
    DataSize size;  // on the wire
    TimeDelta one_way_delay() const { return arrival - send; }
  };
  static constexpr int kFrames = 128;

  const Frame& Back(int k) const;
  struct Line {
    double intercept_us;
    double slope_us_per_byte;
    double loss;  // of the regression
  };
  Line BestLine(double slope_us_per_byte);
  void UpdateBase();
  TimeDelta ServiceTime(int k) const;

  std::array<Frame, kFrames> frames_{};
  int count_ = 0;
  int next_ = 0;
  std::array<double, kFrames> residuals_{};    // scratch
  std::array<double, kFrames> partitioned_{};  // scratch
  std::optional<double> base_us_;
  bool had_good_fit_ = false;
  TimeDelta wait_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_FRAME_DISPERSION_H_
