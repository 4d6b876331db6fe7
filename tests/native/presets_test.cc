// Compares the presets with the constants of the papers and of the deployed code.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cc/gcc/arrival_filter.h"
#include "cc/gcc/overuse_detector.h"
#include "cc/gcc/parameters.h"
#include "tests/native/gcc_support.h"

namespace ccscope::gcc {
namespace {

int IndexOf(const std::string& name) {
  for (int i = 0; i < kParameterCount; ++i) {
    if (kParameterSpecs[i].name == name) return i;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

// The names of the parameters in which two presets differ.
std::set<std::string> Differences(const Parameters& a, const Parameters& b) {
  std::set<std::string> names;
  for (int i = 0; i < kParameterCount; ++i) {
    if (Get(a, i) != Get(b, i)) names.insert(kParameterSpecs[i].name);
  }
  return names;
}

TEST(Presets, AreTheseNineInThisOrder) {
  const char* const kNames[] = {"gcc",           "gcc-live", "ton-2017-literal",  "static-threshold",
                                "chromium-2015", "cmp-2016", "libwebrtc-2016-08", "libwebrtc-2016-03",
                                "libwebrtc-2016-02"};
  ASSERT_EQ(kPresetCount, 9);
  for (int i = 0; i < 9; ++i) EXPECT_STREQ(kPresets[i].name, kNames[i]);
}

TEST(Presets, HoldOnlyValuesWithinTheParametersRanges) {
  for (int preset = 0; preset < kPresetCount; ++preset) {
    const Parameters parameters = WithPreset(preset);
    for (int i = 0; i < kParameterCount; ++i) {
      const ParameterSpec& spec = kParameterSpecs[i];
      EXPECT_LE(spec.min, Get(parameters, i)) << kPresets[preset].name << " " << spec.name;
      EXPECT_GE(spec.max, Get(parameters, i)) << kPresets[preset].name << " " << spec.name;
    }
  }
}

TEST(Presets, TheFirstIsTheParametersDefaults) {
  for (int i = 0; i < kParameterCount; ++i) {
    EXPECT_EQ(Get(WithPreset(0), i), Get(Parameters{}, i)) << kParameterSpecs[i].name;
  }
}

TEST(Presets, AParameterIsReadAndWrittenByItsIndex) {
  Parameters parameters;
  Set(parameters, IndexOf("alpha"), 0.7);
  EXPECT_EQ(parameters.alpha, 0.7);
  EXPECT_EQ(Get(parameters, IndexOf("alpha")), 0.7);
  EXPECT_EQ(Differences(parameters, Parameters()), std::set<std::string>{"alpha"});
}

// The number of groups after which overuse is signalled; -1: not within `groups` groups. A frame arrives every 35 ms,
// and each frame has 2 ms more delay than the previous frame.
int GroupsUntilOveruse(const char* preset, int groups) {
  const Parameters parameters = PresetNamed(preset);
  ArrivalFilter filter(parameters);
  OveruseDetector detector(parameters);
  for (int i = 1; i <= groups; ++i) {
    filter.Update(TimeDelta::Millis(35), TimeDelta::Millis(33), DataSize::Zero(), detector.signal());
    detector.Detect(filter.m(), TimeDelta::Millis(33), filter.num_deltas(), Timestamp::Millis(35 * i));
    if (detector.signal() == Signal::kOveruse) return i;
  }
  return -1;
}

// ToN ("Congestion Control for Web Real-Time Communication", 2017) compares m itself with gamma; the deployed code
// compares min(n, 60) m. Without that factor, a growth of 2 ms a frame (60 ms of queue per second) stays below the
// first threshold of 12.5 ms for seconds.
TEST(Presets, AQueueThatGrowsIsOveruseWithinThreeSecondsButForTheLiteralPaper) {
  for (const char* preset : {"gcc", "gcc-live", "libwebrtc-2016-08", "libwebrtc-2016-03", "libwebrtc-2016-02"}) {
    EXPECT_GE(GroupsUntilOveruse(preset, 100), 2) << preset;
  }
  EXPECT_EQ(GroupsUntilOveruse("ton-2017-literal", 100), -1);
}

// ToN eq. 11: after gamma has risen, k_d determines how fast it falls again. The code of August 2016 had the largest
// k_d.
TEST(Presets, TheThresholdFallsFastestInAugust2016) {
  const auto gamma_after_calm = [](const char* preset) {
    OveruseDetector detector(PresetNamed(preset));
    for (int i = 1; i <= 30; ++i) detector.Detect(TimeDelta::Zero(), TimeDelta::Millis(33), 60 + i, Timestamp::Millis(33 * i));
    return detector.gamma().ms();
  };
  const double august = gamma_after_calm("libwebrtc-2016-08");
  const double paper = gamma_after_calm("gcc");
  const double march = gamma_after_calm("libwebrtc-2016-03");
  EXPECT_LT(august, paper);
  EXPECT_LT(paper, march);
  EXPECT_LT(march, 12.5);
  EXPECT_EQ(gamma_after_calm("static-threshold"), 52);
}

TEST(Presets, GccLiveTakesItsRatesFromTheWireAndHoldsBehindKeyFrames) {
  const Parameters p = PresetNamed("gcc-live");
  EXPECT_EQ(p.received_rate_source, 1);
  EXPECT_EQ(p.a_s_follows_a_r, 1);
  EXPECT_EQ(p.warm_up_ms, 1000);
  EXPECT_GE(p.hold_max_ms, 1000);
  EXPECT_EQ(p.hold_release_ms, 10);
  EXPECT_EQ(p.fast_start_factor, 1.5);
  EXPECT_EQ(p.loss_report_interval_ms, 1000);
}

TEST(Presets, TheStaticThresholdDiffersFromGccInNothingElse) {
  EXPECT_EQ(Differences(PresetNamed("gcc"), PresetNamed("static-threshold")),
            (std::set<std::string>{"adaptive_threshold", "gamma_init_ms"}));
  EXPECT_EQ(PresetNamed("static-threshold").gamma_init_ms, 52);
}

// Section II-B and Fig. 4 of CMP ("Congestion Control for RTC: a Comparison NADA/GCC", 2016): the rate always grows by
// eta, which is in [1.005, 1.3]. Received rates are measured over 500 ms. The upper bound is 1.5 R.
TEST(Presets, TheComparisonsVariantGrowsByEtaAlwaysAndFiltersAtTheSender) {
  const Parameters p = PresetNamed("cmp-2016");
  EXPECT_EQ(p.filter_at, 1);
  EXPECT_EQ(p.increase_mode, 4);
  EXPECT_EQ(p.received_rate_window_ms, 500);
  EXPECT_EQ(p.upper_bound_factor, 1.5);
  EXPECT_EQ(p.upper_bound_offset_bps, 0);
  EXPECT_EQ(p.fast_start_factor, 1);
  EXPECT_GE(p.alpha, 0.8);
  EXPECT_LE(p.alpha, 0.95);
}

TEST(Presets, TheEarlierLibwebrtcsDifferOnlyInTheThresholdAndTheStateNoise) {
  const Parameters august = PresetNamed("libwebrtc-2016-08");
  const Parameters march = PresetNamed("libwebrtc-2016-03");
  const Parameters february = PresetNamed("libwebrtc-2016-02");
  EXPECT_EQ(Differences(august, march), (std::set<std::string>{"k_u", "k_d"}));
  EXPECT_EQ(march.k_u, 0.004);
  EXPECT_EQ(march.k_d, 0.00006);
  EXPECT_EQ(Differences(march, february), (std::set<std::string>{"q_m", "threshold_delta_max_ms"}));
  EXPECT_EQ(february.q_m, 1e-2);
  EXPECT_EQ(february.threshold_delta_max_ms, 0);
}

}  // namespace
}  // namespace ccscope::gcc
