// Frames of a video on an ideal link, for the tests of estimators that see only frames.
#ifndef CCSCOPE_TESTS_NATIVE_FRAMES_ON_A_LINK_H_
#define CCSCOPE_TESTS_NATIVE_FRAMES_ON_A_LINK_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cc/controller.h"
#include "units/units.h"

namespace ccscope {

// Propagation plus the unknown offset of the clocks.
inline constexpr double kOffsetMs = -87654.3;
// Packets have up to 1173 B of payload and 63 B of headers.
inline double WireBytes(double payload) { return payload + 63 * std::max(1.0, std::ceil(payload / 1173)); }

// Sends 30 frames a second, of varying size, through an ideal first-in first-out link.
class Fifo {
 public:
  explicit Fifo(double capacity_mbps) : capacity_mbps_(capacity_mbps) {}

  void SetCapacity(double capacity_mbps) { capacity_mbps_ = capacity_mbps; }

  // `load`: the mean rate of the frames, without headers, divided by the capacity; `noise_ms`: the largest error of the
  // arrival time; `late_ms`: the delay from the arrival of the frame to its time stamp.
  template <class Estimator>
  void Frame(Estimator& estimator, double load, double noise_ms = 0, double late_ms = 0) {
    const double send_ms = seq_ * 1000.0 / 30;
    const double payload = std::floor(load * capacity_mbps_ * 125000 / 30 * (0.6 + 0.8 * Uniform()));
    const double start_ms = std::max(send_ms, free_ms_);
    wait_ms_ = start_ms - send_ms;
    free_ms_ = start_ms + WireBytes(payload) * 8 / (capacity_mbps_ * 1000);
    Arrival arrival;
    arrival.seq = seq_++;
    arrival.send_time = Timestamp::Millis(send_ms);
    // One process stamps the frames in their order, so a late stamp delays the next ones.
    stamped_ms_ = std::max(stamped_ms_, free_ms_ + kOffsetMs + noise_ms * (2 * Uniform() - 1) + late_ms);
    arrival.arrival_time = Timestamp::Millis(stamped_ms_);
    arrival.size = DataSize::Bytes(payload);
    estimator.OnFrame(arrival);
  }

  double wait_ms() const { return wait_ms_; }

  double Uniform() {
    random_ = random_ * 1664525u + 1013904223u;
    return random_ / 4294967296.0;
  }

 private:
  double capacity_mbps_;
  double seq_ = 0;
  double free_ms_ = 0;
  double wait_ms_ = 0;
  double stamped_ms_ = kOffsetMs;
  std::uint32_t random_ = 7;
};

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_FRAMES_ON_A_LINK_H_
