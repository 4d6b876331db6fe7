// libwebrtc's own OveruseDetectorTest expectations for the constants of August 2016 (see
// tests/vectors/detector_table.json), with its xorshift64* generator: exact integers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "cc/gcc/arrival_filter.h"
#include "cc/gcc/overuse_detector.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"

namespace ccscope::gcc {
namespace {

struct Case {
  const char* name;
  int packets_per_frame;
  int frame_ms;
  int drift_ms;
  int sigma_ms;
  int spurious_overuses;
  int frames_until_overuse;
};

Parameters Preset(const std::string& name) {
  for (int i = 0; i < kPresetCount; ++i) {
    if (kPresets[i].name == name) return WithPreset(i);
  }
  ADD_FAILURE() << "no preset " << name;
  return {};
}

class DetectorTable : public ::testing::TestWithParam<Case> {
 protected:
  DetectorTable()
      : parameters_(Preset("libwebrtc-2016-08")), grouping_(parameters_), filter_(parameters_), detector_(parameters_) {}

  std::uint64_t Next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717ULL;
  }

  double Gaussian(double mean, double standard_deviation) {
    const double u1 = static_cast<double>(Next()) / static_cast<double>(0xFFFFFFFFFFFFFFFFULL);
    const double u2 = static_cast<double>(Next()) / static_cast<double>(0xFFFFFFFFFFFFFFFFULL);
    return mean + standard_deviation * std::sqrt(-2 * std::log(u1)) * std::cos(2 * M_PI * u2);
  }

  // One frame; the next one is due `frame_ms + drift_ms` later.
  Signal Frame(const Case& c, int drift_ms) {
    for (int i = 0; i < c.packets_per_frame; ++i) {
      const auto deltas = grouping_.OnArrival(Timestamp::Millis(send_ms_), Timestamp::Millis(receive_ms_), DataSize::Bytes(1200));
      if (!deltas) continue;
      filter_.Update(deltas->arrival, deltas->send, deltas->size, detector_.signal());
      detector_.Detect(filter_.m(), deltas->send, filter_.num_deltas(), Timestamp::Millis(receive_ms_));
    }
    send_ms_ += c.frame_ms;
    now_ms_ += c.frame_ms + drift_ms;
    receive_ms_ = std::max(receive_ms_, now_ms_ + std::trunc(Gaussian(0, c.sigma_ms) + 0.5));
    return detector_.signal();
  }

  int SpuriousOveruses(const Case& c) {
    int overuses = 0;
    int last = -1;
    for (int i = 0; i < 100000; ++i) {
      if (Frame(c, 0) != Signal::kOveruse) continue;
      if (last + 1 != i) ++overuses;
      last = i;
    }
    return overuses;
  }

  int FramesUntilOveruse(const Case& c) {
    for (int i = 0; i < 1000; ++i) {
      if (Frame(c, c.drift_ms) == Signal::kOveruse) return i + 1;
    }
    return -1;
  }

 private:
  Parameters parameters_;
  PacketGrouping grouping_;
  ArrivalFilter filter_;
  OveruseDetector detector_;
  std::uint64_t state_ = 123456789;
  double send_ms_ = 10;
  double now_ms_ = 0;
  double receive_ms_ = 0;
};

TEST_P(DetectorTable, OverusesWhenLibwebrtcDoes) {
  EXPECT_EQ(SpuriousOveruses(GetParam()), GetParam().spurious_overuses);
  EXPECT_EQ(FramesUntilOveruse(GetParam()), GetParam().frames_until_overuse);
}

INSTANTIATE_TEST_SUITE_P(
    Libwebrtc, DetectorTable,
    ::testing::Values(Case{"SimpleOveruse2000Kbit30fps", 6, 33, 1, 0, 0, 7},
                      Case{"HighGaussianVariance30Kbit3fps", 1, 333, 1, 10, 0, 44},
                      Case{"LowGaussianVariance100Kbit10fps", 1, 100, 1, 3, 0, 20},
                      Case{"HighGaussianVarianceFastDrift300Kbit30fps", 1, 33, 10, 10, 0, 10},
                      Case{"HighGaussianVarianceFastDrift2000Kbit30fps", 6, 33, 10, 10, 0, 10}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ccscope::gcc
