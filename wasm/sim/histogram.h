// A distribution in bounded memory: counts in bins. Bins up to 256 are 1 wide; bins above are at most 1/256 of the
// value wide. So the error of a percentile is less than 0.2 % above 256, for any number of samples. Mean, standard
// deviation, minimum and maximum are exact.
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
  double sd() const;  // of the population
  double min() const;
  double max() const;
  // The smallest value that at least `percent` % of the samples do not exceed (nearest rank).
  double Percentile(double percent) const;

 private:
  std::vector<std::uint32_t> bins_;  // the largest sample determines their number
  double count_ = 0;
  // Welford's running mean and sum of squares.
  double mean_ = 0;
  double squares_ = 0;
  double min_ = 0;
  double max_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_HISTOGRAM_H_
