// The presets against the table of what each is (the papers' and the deployed constants).
#include <gtest/gtest.h>

#include <set>
#include <string>

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

TEST(Presets, AreTheseEightInThisOrder) {
  const char* const kNames[] = {"gcc",      "gcc-live",          "ton-2017-literal",  "static-threshold",
                                "cmp-2016", "libwebrtc-2016-08", "libwebrtc-2016-03", "libwebrtc-2016-02"};
  ASSERT_EQ(kPresetCount, 8);
  for (int i = 0; i < 8; ++i) EXPECT_STREQ(kPresets[i].name, kNames[i]);
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

TEST(Presets, GccHasTheConstantsOfThePaper) {
  const Parameters p = PresetNamed("gcc");
  EXPECT_EQ(p.group_length_ms, 5);
  EXPECT_EQ(p.q_inverse_capacity, 1e-10);
  EXPECT_EQ(p.q_m, 1e-3);
  EXPECT_EQ(p.p0_inverse_capacity, 100);
  EXPECT_EQ(p.p0_m, 0.1);
  EXPECT_EQ(p.inverse_capacity_init, 1.0 / 64);
  EXPECT_EQ(p.noise_variance_init_ms2, 50);
  EXPECT_EQ(p.noise_variance_floor_ms2, 1);
  EXPECT_EQ(p.noise_clip_sigmas, 3);
  EXPECT_EQ(p.covariance_boost, 10);
  EXPECT_EQ(p.detector_gain_groups, 60);
  EXPECT_EQ(p.k_u, 0.01);
  EXPECT_EQ(p.k_d, 0.00018);
  EXPECT_EQ(p.gamma_init_ms, 12.5);
  EXPECT_EQ(p.gamma_min_ms, 6);
  EXPECT_EQ(p.gamma_max_ms, 600);
  EXPECT_EQ(p.threshold_delta_max_ms, 100);
  EXPECT_EQ(p.adaptation_guard_ms, 15);
  EXPECT_EQ(p.overuse_time_ms, 10);
  EXPECT_EQ(p.overuse_min_groups, 2);
  EXPECT_EQ(p.alpha, 0.85);
  EXPECT_EQ(p.eta, 1.08);
  EXPECT_EQ(p.upper_bound_factor, 1.5);
  EXPECT_EQ(p.received_rate_window_ms, 500);
  EXPECT_EQ(p.feedback_interval_ms, 200);
  EXPECT_EQ(p.feedback_fall_fraction, 0.03);
  EXPECT_EQ(p.loss_high, 0.1);
  EXPECT_EQ(p.loss_low, 0.02);
  EXPECT_EQ(p.loss_increase_factor, 1.05);
  EXPECT_EQ(p.loss_decrease_factor, 0.5);
  EXPECT_EQ(p.pacing_factor, 1.5);
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

TEST(Presets, TheLiteralPaperHasNothingThatWasDeployed) {
  const Parameters p = PresetNamed("ton-2017-literal");
  EXPECT_EQ(p.noise_variance, 0);
  EXPECT_EQ(p.noise_beta, 0.95);
  EXPECT_EQ(p.detector_gain_groups, 1);
  EXPECT_EQ(p.overuse_time_ms, 0);
  EXPECT_EQ(p.overuse_min_groups, 1);
  EXPECT_EQ(p.overuse_needs_rising_m, 0);
  EXPECT_EQ(p.adaptation_guard_ms, 0);
  EXPECT_EQ(p.threshold_delta_max_ms, 0);
  EXPECT_EQ(p.upper_bound_factor, 1.5);
  EXPECT_EQ(p.upper_bound_offset_bps, 0);
  EXPECT_EQ(p.fast_start_factor, 1);
}

TEST(Presets, TheStaticThresholdDiffersFromGccInNothingElse) {
  EXPECT_EQ(Differences(PresetNamed("gcc"), PresetNamed("static-threshold")),
            (std::set<std::string>{"adaptive_threshold", "gamma_init_ms"}));
  EXPECT_EQ(PresetNamed("static-threshold").gamma_init_ms, 52);
}

// CMP II-B and Fig. 4: the law whose eta is in [1.005, 1.3], rates over 500 ms, a bound of 1.5 R.
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

TEST(Presets, LibwebrtcOfAugust2016HasTheConstantsAsDeployed) {
  const Parameters p = PresetNamed("libwebrtc-2016-08");
  EXPECT_EQ(p.q_inverse_capacity, 1e-13);
  EXPECT_EQ(p.q_m, 1e-3);
  EXPECT_EQ(p.k_u, 0.0087);
  EXPECT_EQ(p.k_d, 0.039);
  EXPECT_EQ(p.burst_max_duration_ms, 100);
  EXPECT_EQ(p.additive_min_bps_per_s, 4000);
  EXPECT_EQ(p.loss_increase_factor, 1.08);
  EXPECT_EQ(p.loss_increase_offset_bps, 1000);
  EXPECT_EQ(p.loss_report_min_packets, 20);
  EXPECT_EQ(p.loss_decrease_interval_ms, 300);
  EXPECT_EQ(p.initialise_after_ms, 5000);
  EXPECT_EQ(p.pacing_factor, 2.5);
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
