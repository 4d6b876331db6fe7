// Probability density fitter (LCC II-B): estimates the joint density of sending rate S and one-way delay D from the
// latest N pairs. It uses weighted bivariate kernel density estimation (eq. 3 and 4) with a product of two normal
// kernels, one for each axis:
//
//   P(S, D) = 1/W sum w_i k(S - S_i; h_S) k(D - D_i; h_D),   w_i = e^(i/N - 1),   W = sum w_i
//
// New pairs change the density only when Refit() is called (each second in the paper). The conditional expectation of
// eq. 6 and 7 has a closed form, since the integral over S of S k(S - S_i) is S_i for every h_S. This form is the
// estimator of Nadaraya and Watson,
//
//   E[S | D] = sum w_i k(D - D_i) S_i / sum w_i k(D - D_i).
#ifndef CCSCOPE_CC_LCC_DENSITY_FITTER_H_
#define CCSCOPE_CC_LCC_DENSITY_FITTER_H_

#include <array>
#include <cstddef>

#include "cc/density_axes.h"
#include "cc/lcc/parameters.h"
#include "units/units.h"

namespace ccscope::lcc {

class DensityFitter {
 public:
  static constexpr int kMaxPairs = 300;  // the limit of window_pairs

  explicit DensityFitter(const Parameters& parameters) { Configure(parameters); }
  // New bandwidths take effect at once. A new window length changes the density at the next Refit().
  void Configure(const Parameters& parameters);
  void Clear() { count_ = fitted_ = 0; }

  // Adds the latest pair; a full window drops its oldest one.
  void Add(DataRate rate, TimeDelta delay);
  void Refit();

  int pairs() const { return count_; }
  bool fitted() const { return fitted_ > 0; }
  // The range of the delays in the window, which must hold at least one pair.
  struct Range {
    TimeDelta smallest;
    TimeDelta largest;
  };
  Range DelayRange() const;

  // The functions below evaluate the fitted density; they require fitted().
  DataRate ConditionalMean(TimeDelta delay) const;  // E[S | D = delay]
  double Density(DataRate rate, TimeDelta delay) const;  // in 1/(bps * us)
  // Replaces each end of an axis that is NaN by a value just beyond the pairs.
  void FitAxes(DensityAxes& axes) const;
  // The density on a grid: one row of rates for each delay.
  void Grid(const DensityAxes& axes, double* values) const;

 private:
  struct Pair {
    double rate_bps;
    double delay_us;
  };
  struct Fitted : Pair {
    double weight;  // w_i / W
  };
  const Pair& Window(int index) const;  // 0: the oldest

  double bandwidth_rate_bps_ = 1;
  double bandwidth_delay_us_ = 1;
  int capacity_ = 1;  // N
  std::array<Pair, kMaxPairs> window_;
  int next_ = 0;
  int count_ = 0;
  std::array<Fitted, kMaxPairs> model_;
  int fitted_ = 0;
};

}  // namespace ccscope::lcc

#endif  // CCSCOPE_CC_LCC_DENSITY_FITTER_H_
