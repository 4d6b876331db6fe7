// The axes of the joint density of sending rate and one-way delay (LCC Fig. 1).
#ifndef CCSCOPE_CC_DENSITY_AXES_H_
#define CCSCOPE_CC_DENSITY_AXES_H_

namespace ccscope {

// `count` points from `from` to `to`. A NaN in `from` or `to` is replaced by the corresponding end of the range that
// the density covers.
struct DensityAxis {
  static constexpr int kMaxCount = 256;

  double from = 0;
  double to = 0;
  int count = 2;
  double at(int index) const { return from + (to - from) * index / (count - 1); }
};

struct DensityAxes {
  DensityAxis rate_bps;
  DensityAxis delay_us;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_DENSITY_AXES_H_
