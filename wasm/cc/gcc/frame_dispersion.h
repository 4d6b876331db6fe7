// Capacity from the dispersion of frames, for live calls. A frame leaves as a packet train, so the
// time that the bottleneck takes for it is its size over the capacity: a probe that costs nothing
// (packet-train dispersion; cf. Dovrolis et al., "What do packet dispersion techniques measure?",
// INFOCOM 2001). ccscope's own addition to GCC: the paper's filter also estimates 1/C, but only
// from pairs of frames between which the queue ran empty.
//
// Model of a serial bottleneck with propagation delay b (in which the clocks' offset stands):
//   start of service  s_i = max(T_i + b, t_{i-1}),   service time  x_i = t_i - s_i = L_i / C
//   b = min_i (t_i - T_i - L_i / C)
// solved by iteration over the latest frames, with 1/C = sum x_i / sum L_i over the newest of them.
// With the model comes the time that the newest frame waited behind earlier ones, w = s_i - T_i - b.
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

  // Over the frames of the last `horizon`; nothing while there are fewer than 6, or while their
  // dispersion is lost in the noise of the clocks.
  std::optional<DataRate> Capacity(TimeDelta horizon) const;
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
  void Solve();
  TimeDelta ServiceTime(int k) const;
  TimeDelta Base(double inverse_capacity_us_per_byte) const;
  std::optional<double> InverseCapacity(TimeDelta horizon) const;

  std::array<Frame, kFrames> frames_{};
  int count_ = 0;
  int next_ = 0;
  TimeDelta base_;
  double inverse_capacity_us_per_byte_ = 0;
  TimeDelta wait_;
};

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_FRAME_DISPERSION_H_
