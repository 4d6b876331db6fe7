#include "sim/media_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ccscope {
namespace {

constexpr DataRate kMbps = DataRate::KilobitsPerSec(1000);

MediaSource::Params Quiet() {
  MediaSource::Params params;
  params.noise_sd = 0;
  params.encoder_lag_ms = 0;
  return params;
}

DataSize OnTheWire(const MediaSource::Frame& frame, const MediaSource::Params& params) {
  return frame.size + params.header() * frame.packets;
}

// Sizes of frames on the wire, in bytes.
std::vector<double> Sizes(const MediaSource::Params& params, DataRate rate, int frames, std::uint64_t seed) {
  MediaSource source(params, rate);
  Random random(seed);
  std::vector<double> sizes;
  for (int i = 0; i < frames; ++i) sizes.push_back(OnTheWire(source.NextFrame(random), params).bytes());
  return sizes;
}

double Mean(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}

// The autocovariance of x at a lag.
double Covariance(const std::vector<double>& x, std::size_t lag) {
  const double mean = Mean(x);
  double sum = 0;
  for (std::size_t i = lag; i < x.size(); ++i) sum += (x[i] - mean) * (x[i - lag] - mean);
  return sum / static_cast<double>(x.size());
}

// The frame sizes are a first-order autoregression. So the mean of n frames has a standard error of sigma sqrt((1 +
// rho) / (1 - rho) / n): 0.17 % for the defaults over 1000 s. Payloads are whole bytes, which makes a frame of 4167
// bytes half a byte smaller on average.
TEST(MediaSource, SendsItsTargetRateOnAverage) {
  const MediaSource::Params params;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const double bps = Mean(Sizes(params, kMbps, 30000, seed)) * 8 * params.frame_rate;
    EXPECT_NEAR(bps, 1e6, 1e6 * 0.01) << "seed " << seed;
  }
}

// The standard errors for n frames are sigma sqrt((1 + rho^2) / (1 - rho^2) / 2n) for the standard deviation and
// sqrt((1 - rho^2) / n) for the correlation (Bartlett 1946). The tolerance is four standard errors on either side.
TEST(MediaSource, FramesVaryAndCorrelateAsToldTo) {
  constexpr int kFrames = 200000;
  struct Case {
    double sd;
    double correlation;
  };
  for (const Case& c : {Case{0.1, 0.8}, Case{0.1, 0}, Case{0.15, 0.5}, Case{0.05, 0.95}}) {
    MediaSource::Params params;
    params.noise_sd = c.sd;
    params.noise_correlation = c.correlation;
    params.recovery_ms = 0;
    const std::vector<double> sizes = Sizes(params, kMbps, kFrames, 7);
    const double r2 = c.correlation * c.correlation;
    const double sd = std::sqrt(Covariance(sizes, 0)) / Mean(sizes);
    EXPECT_NEAR(sd, c.sd, 4 * c.sd * std::sqrt((1 + r2) / (1 - r2) / (2.0 * kFrames))) << c.sd << " " << c.correlation;
    for (const std::size_t lag : {std::size_t{1}, std::size_t{2}}) {
      // Bartlett's standard error at lag 2 is sqrt((1 + 2 rho^2 - 3 rho^4) / n).
      const double expected = std::pow(c.correlation, static_cast<double>(lag));
      const double error = lag == 1 ? std::sqrt((1 - r2) / kFrames) : std::sqrt((1 + 2 * r2 - 3 * r2 * r2) / kFrames);
      EXPECT_NEAR(Covariance(sizes, lag) / Covariance(sizes, 0), expected, 4 * error) << lag;
    }
  }
}

// Sizes are in units of the mean frame. d is the total excess of all frames so far, and e is independent noise.
// Recovery takes k = 0.6 s * 30 fps = 18 frames. A frame then has the size 1 + e - d / k, and d becomes phi d + e with
// phi = 1 - 1 / k. So sigma_d^2 = sigma^2 / (1 - phi^2). The sum of n frames differs from n by d_n - d_0, whose
// variance is 2 sigma_d^2 (1 - phi^n).
TEST(MediaSource, GivesBackWhatItsFramesTookBeyondTheirMean) {
  MediaSource::Params params;
  params.noise_sd = 0.17;
  params.noise_correlation = 0;
  params.recovery_ms = 600;
  const std::vector<double> sizes = Sizes(params, kMbps, 300000, 11);
  const double phi = 1 - 1 / 18.0;
  const double variance = 0.17 * 0.17 / (1 - phi * phi);
  for (const std::size_t n : {std::size_t{6}, std::size_t{15}, std::size_t{30}, std::size_t{60}}) {
    std::vector<double> means;
    for (std::size_t i = 0; i + n <= sizes.size(); i += n) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += sizes[i + k];
      means.push_back(sum / static_cast<double>(n) / (1e6 / 240));
    }
    const double expected = std::sqrt(2 * variance * (1 - std::pow(phi, static_cast<double>(n)))) / static_cast<double>(n);
    // There are at least 5000 values in `means`, so the standard error is at most 1 %.
    EXPECT_NEAR(std::sqrt(Covariance(means, 0)), expected, 0.04 * expected) << n;
  }
}

// A first-order lag: R(t) = R_1 + (R_0 - R_1) e^(-t / tau).
TEST(MediaSource, FollowsAStepOfItsTargetWithItsTimeConstant) {
  MediaSource::Params params = Quiet();
  params.encoder_lag_ms = 1000;
  for (const auto& [from, to] : {std::pair{300e3, 1e6}, std::pair{1e6, 300e3}}) {
    MediaSource source(params, DataRate::BitsPerSec(from));
    Random random(1);
    source.SetTarget(DataRate::BitsPerSec(to));
    for (int frame = 1; frame <= 150; ++frame) {
      const DataSize size = OnTheWire(source.NextFrame(random), params);
      const double expected = to + (from - to) * std::exp(-frame / 30.0);
      ASSERT_NEAR(source.rate().bps(), expected, expected * 1e-9) << frame;
      ASSERT_NEAR(size.bytes(), expected / 240, 1) << frame;
    }
  }
}

TEST(MediaSource, WithoutLagItHasItsTargetAtOnceWithinItsBounds) {
  MediaSource::Params params = Quiet();
  params.min_bitrate_bps = 100e3;
  params.max_bitrate_bps = 2e6;
  MediaSource source(params, kMbps);
  Random random(1);
  for (const auto& [target, rate] : {std::pair{5e5, 5e5}, std::pair{1e4, 1e5}, std::pair{9e6, 2e6}}) {
    source.SetTarget(DataRate::BitsPerSec(target));
    const MediaSource::Frame frame = source.NextFrame(random);
    EXPECT_EQ(source.rate().bps(), rate);
    EXPECT_NEAR(OnTheWire(frame, params).bytes(), rate / 240, 1);
  }
}

// Each packet has a header and at most `payload` bytes of payload. A frame has no more packets than it needs, and each
// packet contains payload.
TEST(MediaSource, CutsFramesIntoPacketsWhoseHeadersCount) {
  for (const double payload : {1.0, 100.0, 1200.0, 9000.0}) {
    for (const double header : {0.0, 28.0, 40.0}) {
      MediaSource::Params params = Quiet();
      params.payload_bytes = payload;
      params.header_bytes = header;
      params.min_bitrate_bps = 0;
      params.max_bitrate_bps = 1e8;
      for (double wire = 0.5; wire < 50000; wire *= 1.37) {
        SCOPED_TRACE(std::to_string(wire) + " B in packets of " + std::to_string(payload) + " + " + std::to_string(header));
        MediaSource source(params, DataRate::BitsPerSec(wire * 240));
        Random random(1);
        const MediaSource::Frame frame = source.NextFrame(random);
        ASSERT_EQ(frame.packets, std::max(1.0, std::ceil(wire / (payload + header) - 1e-9)));
        ASSERT_EQ(frame.size.bytes(), std::floor(frame.size.bytes()));
        ASSERT_GE(frame.size.bytes(), frame.packets);
        ASSERT_LE(frame.size.bytes(), frame.packets * payload);
        // A frame that is too small for its headers still sends one byte of payload in each packet.
        const double least = frame.packets * (header + 1);
        if (wire >= least) {
          ASSERT_NEAR(OnTheWire(frame, params).bytes(), wire, 1);
        }
      }
    }
  }
}

// When the target falls by more than 60 %, only the first frame is larger, here 2.5 times the mean before the fall. The
// next frames follow the new target with a time constant of 1 s. After a fall of 50 %, no frame is larger.
TEST(MediaSource, TheFirstFrameAfterADeepCutIsLarge) {
  MediaSource::Params params = Quiet();
  params.encoder_lag_ms = 1000;
  params.cut_frame_factor = 2.5;
  const double before = 1e6 / 240;
  for (const auto& [to, factor] : {std::pair{3e5, 2.5}, std::pair{5e5, 1.0}}) {
    MediaSource source(params, kMbps);
    Random random(1);
    for (int i = 0; i < 30; ++i) source.NextFrame(random);
    source.SetTarget(DataRate::BitsPerSec(to));
    for (int frame = 1; frame <= 10; ++frame) {
      const double mean = (to + (1e6 - to) * std::exp(-frame / 30.0)) / 240;
      const double expected = frame == 1 && factor > 1 ? factor * before : mean;
      ASSERT_NEAR(OnTheWire(source.NextFrame(random), params).bytes(), expected, 2) << to << ' ' << frame;
    }
  }
}

// Every ten seconds there is a key frame of five times the mean size, which is four frames too much. Each later frame
// makes up for an eighteenth of the remaining excess (0.6 s at 30 fps).
TEST(MediaSource, PaysKeyFramesBack) {
  MediaSource::Params params = Quiet();
  params.key_frame_interval_s = 10;
  params.key_frame_factor = 5;
  params.recovery_ms = 600;
  MediaSource source(params, kMbps);
  Random random(1);
  const double mean = 1e6 / 240;
  double sent = 0;
  for (int i = 0; i < 900; ++i) {
    const MediaSource::Frame frame = source.NextFrame(random);
    const double size = OnTheWire(frame, params).bytes();
    sent += size;
    const int behind = i % 300;
    ASSERT_EQ(frame.key_frame, behind == 0) << i;
    const double left = 4 * std::pow(17 / 18.0, behind - 1);
    ASSERT_NEAR(size, behind == 0 ? 5 * mean : mean * (1 - left / 18), 2) << i;
    ASSERT_NEAR(sent, mean * (i + 1 + 4 * std::pow(17 / 18.0, behind)), i + 1) << i;
  }
}

TEST(MediaSource, TheFirstFrameIsAKeyFrameAndNoOtherUnlessAskedFor) {
  MediaSource source(Quiet(), kMbps);
  Random random(1);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(source.NextFrame(random).key_frame, i == 0);
}

// gcc-ton-2017, eq. 19: dr/dt = r / tau, so r(t) = r(0) e^(t / tau), regardless of the controller's target.
TEST(MediaSource, RampsUpExponentially) {
  MediaSource::Params params = Quiet();
  params.ramp_time_constant_s = 5;
  params.min_bitrate_bps = 500e3;
  params.max_bitrate_bps = 4e6;
  MediaSource source(params, DataRate::KilobitsPerSec(50));
  Random random(1);
  for (int frame = 1; frame <= 600; ++frame) {
    source.SetTarget(DataRate::KilobitsPerSec(frame % 2 == 0 ? 10 : 9000));
    const DataSize size = OnTheWire(source.NextFrame(random), params);
    const double expected = std::min(4e6, 500e3 * std::exp(frame / 150.0));
    ASSERT_NEAR(source.rate().bps(), expected, expected * 1e-9) << frame;
    ASSERT_NEAR(size.bytes(), expected / 240, 1) << frame;
  }
}

TEST(MediaSource, TheSameSeedGivesTheSameFrames) {
  const MediaSource::Params params;
  EXPECT_EQ(Sizes(params, kMbps, 1000, 3), Sizes(params, kMbps, 1000, 3));
  EXPECT_NE(Sizes(params, kMbps, 1000, 3), Sizes(params, kMbps, 1000, 4));
}

// A frame of 2500 B needs three packets: two full fragments and one of 100 B, or three equal fragments of at most 834
// B. A frame that fits into one packet is not divided.
TEST(MediaSource, FragmentsAreFullOrEqual) {
  MediaSource::Params params = Quiet();
  EXPECT_EQ(params.LargestFragment(DataSize::Bytes(2500)).bytes(), 1200);
  params.fragments = 1;
  EXPECT_EQ(params.LargestFragment(DataSize::Bytes(2500)).bytes(), 834);
  EXPECT_EQ(params.LargestFragment(DataSize::Bytes(2400)).bytes(), 1200);
  EXPECT_EQ(params.LargestFragment(DataSize::Bytes(700)).bytes(), 700);
}

}  // namespace
}  // namespace ccscope
