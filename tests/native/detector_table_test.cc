// Compares the detector with the expected values of libwebrtc's own OveruseDetectorTest (constants of August 2016). The
// results must be equal, since this test uses the same random number generator (xorshift64*). The values and the
// procedure are in tests/vectors/detector_table.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cc/gcc/arrival_filter.h"
#include "cc/gcc/overuse_detector.h"
#include "cc/gcc/packet_grouping.h"
#include "cc/gcc/parameters.h"

namespace ccscope::gcc {
namespace {

struct Case {
  std::string name;
  int packets_per_frame;
  int frame_ms;
  int drift_ms;
  int sigma_ms;
  int spurious_overuses;
  int frames_until_overuse;
};

const std::string& Table() {
  static const std::string text = [] {
    std::ifstream file("tests/vectors/detector_table.json");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  return text;
}

// The position, in the file, of the first value of `key` at or after `from`. The file needs no real parser: it has no
// escapes and little nesting.
std::size_t ValueOf(const std::string& key, std::size_t from) {
  const std::string quoted = "\"" + key + "\": ";
  const std::size_t found = Table().find(quoted, from);
  if (found == std::string::npos) return found;
  return found + quoted.size();
}

int IntegerOf(const std::string& key, std::size_t from) {
  const std::size_t at = ValueOf(key, from);
  if (at != std::string::npos) return std::stoi(Table().substr(at, 20));
  ADD_FAILURE() << "tests/vectors/detector_table.json has no " << key << " from " << from << " on";
  return -1;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (std::size_t at = ValueOf("name", 0); at != std::string::npos; at = ValueOf("name", at)) {
    const std::string name = Table().substr(at + 1, Table().find('"', at + 1) - at - 1);
    cases.push_back({name, IntegerOf("packets_per_frame", at), IntegerOf("frame_ms", at), IntegerOf("drift_ms", at),
                     IntegerOf("sigma_ms", at), IntegerOf("libwebrtc_expected_unique", at),
                     IntegerOf("libwebrtc_expected_frames", at)});
  }
  return cases;
}

// The random number generator of libwebrtc's tests.
class Generator {
 public:
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

 private:
  std::uint64_t state_ = 123456789;
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

  // Feeds one frame. The next frame is sent `frame_ms` later, and arrives `frame_ms + drift_ms` later if there is no
  // noise.
  Signal Frame(const Case& c, int drift_ms) {
    for (int i = 0; i < c.packets_per_frame; ++i) {
      const auto deltas = grouping_.OnArrival(Timestamp::Millis(send_ms_), Timestamp::Millis(receive_ms_), DataSize::Bytes(1200));
      if (!deltas) continue;
      filter_.Update(deltas->arrival, deltas->send, deltas->size, detector_.signal());
      detector_.Detect(filter_.m(), deltas->send, filter_.num_deltas(), Timestamp::Millis(receive_ms_));
    }
    send_ms_ += c.frame_ms;
    now_ms_ += c.frame_ms + drift_ms;
    receive_ms_ = std::max(receive_ms_, now_ms_ + std::trunc(generator_.Gaussian(0, c.sigma_ms) + 0.5));
    return detector_.signal();
  }

  int SpuriousOveruses(const Case& c) {
    int overuses = 0;
    int last = -1;
    const int frames = IntegerOf("samples_before_drift", 0);
    for (int i = 0; i < frames; ++i) {
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
  Generator generator_;
  double send_ms_ = 10;
  double now_ms_ = 0;
  double receive_ms_ = 0;
};

TEST_P(DetectorTable, OverusesWhenLibwebrtcDoes) {
  EXPECT_EQ(SpuriousOveruses(GetParam()), GetParam().spurious_overuses);
  EXPECT_EQ(FramesUntilOveruse(GetParam()), GetParam().frames_until_overuse);
}

INSTANTIATE_TEST_SUITE_P(Libwebrtc, DetectorTable, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

TEST(DetectorTableFile, HasFiveCasesAndTheGeneratorsFirstNumbers) {
  EXPECT_EQ(Cases().size(), 5u);
  Generator draws;
  std::size_t at = ValueOf("first_draws", 0);
  for (int i = 0; i < 4; ++i) {
    at = Table().find('"', at) + 1;
    EXPECT_EQ(draws.Next(), std::stoull(Table().substr(at))) << i;
    at = Table().find('"', at) + 1;
  }
  Generator gaussian;
  at = Table().find('[', ValueOf("first_gauss_0_1", 0));
  for (int i = 0; i < 4; ++i, at = Table().find(',', at)) {
    EXPECT_NEAR(gaussian.Gaussian(0, 1), std::stod(Table().substr(++at)), 1e-15) << i;
  }
}

}  // namespace
}  // namespace ccscope::gcc
