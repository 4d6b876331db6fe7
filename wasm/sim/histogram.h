// A distribution in bounded memory: the number of samples in each bin. Bins are 1 wide up to 256; above 256, the width
// of a bin is at most 1/256 of its values. So percentiles above 256 are accurate to 0.2 %, for any number of samples.
// Mean, standard deviation, minimum and maximum are exact.
#ifndef CCSCOPE_SIM_HISTOGRAM_H_
#define CCSCOPE_SIM_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccscope {

class Histogram {
 public:
  // For percentiles, negative samples count as 0, and samples above 2^40 count as 2^40.
  void Add(double sample);

  double count() const { return count_; }
  // NaN if there are no samples.
  double mean() const;
  double sd() const;  // population standard deviation
  double min() const;
  double max() const;
  // The smallest value that at least `percent` % of the samples do not exceed (nearest rank).
  double Percentile(double percent) const;

 private:
  std::vector<std::uint32_t> bins_;  // as many bins as the largest sample needs
  double count_ = 0;
  // Welford's running mean and sum of squares.
  double mean_ = 0;
  double squares_ = 0;
  double min_ = 0;
  double max_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_HISTOGRAM_H_
