// LCC's density fitter, and the density that the ABI returns for a sender half. A density must be finite, must not be
// negative, and must have a mass of about 1. Its conditional mean must agree with an independent implementation.
#include <algorithm>
#include <memory>
#include <vector>

#include "cc/lcc/density_fitter.h"
#include "tests/fuzz/native/controller_parameters.h"

namespace ccscope::fuzz {
namespace {

constexpr int kController = 2;
constexpr double kTwoPi = 6.283185307179586;

class DensityExercise {
 public:
  explicit DensityExercise(Input& input) : input_(input), fitter_(Draw()) {}

  void Run() {
    while (!input_.ended()) {
      const int what = input_.Byte();
      if (what < 200) {
        Add(what);
      } else if (what < 220) {
        Refit();
      } else if (what < 224) {
        fitter_.Clear();
        pairs_.clear();
        fitted_.clear();
      } else {
        Look();
      }
    }
    Refit();
    Look();
  }

 private:
  struct Pair {
    double rate_bps;
    double delay_us;
    double weight;
  };

  lcc::Parameters Draw() {
    parameters_.window_pairs = 1 + input_.Pick(40);
    parameters_.bandwidth_delay_ms = input_.Scaled(0.1, 1000);
    parameters_.bandwidth_rate_bps = input_.Scaled(1, 1e8);
    return parameters_;
  }

  void Add(int what) {
    const double rate = what < 150 ? 1e5 + input_.Byte() * 1e4 : input_.Scaled(1, 1e9);
    // A delay is the difference of two clocks, so it may be negative or huge.
    const double delay = what < 150 ? 1e4 + input_.Byte() * 1e3 : input_.Between(-1, 1) * (what < 180 ? 1e6 : 1e15);
    fitter_.Add(DataRate::BitsPerSec(rate), TimeDelta::Micros(delay));
    pairs_.push_back({rate, delay, 0});
    if (static_cast<double>(pairs_.size()) > parameters_.window_pairs) pairs_.erase(pairs_.begin());
    EXPECT_THAT_HOLDS(fitter_.pairs() == static_cast<int>(pairs_.size()), "the window has the latest pairs");
    const auto by_delay = [](const Pair& a, const Pair& b) { return a.delay_us < b.delay_us; };
    const auto [least, most] = std::minmax_element(pairs_.begin(), pairs_.end(), by_delay);
    const auto range = fitter_.DelayRange();
    EXPECT_THAT_HOLDS(range.smallest.us() == least->delay_us && range.largest.us() == most->delay_us, "the range is that of the window");
  }

  void Refit() {
    fitter_.Refit();
    fitted_ = pairs_;
    double sum = 0;
    for (std::size_t i = 0; i < fitted_.size(); ++i) {
      fitted_[i].weight = std::exp(-static_cast<double>(fitted_.size() - 1 - i) / parameters_.window_pairs);
      sum += fitted_[i].weight;
    }
    for (Pair& pair : fitted_) pair.weight /= sum;
    EXPECT_THAT_HOLDS(fitter_.fitted() == !fitted_.empty(), "a density needs a pair");
  }

  void Look() {
    if (!fitter_.fitted()) return;
    CheckMean();
    CheckGrid();
  }

  // Compares the mean with the Nadaraya-Watson estimator. Here, all kernel weights are divided by that of the nearest
  // pair. Otherwise, all of them would underflow when the delay is far from all pairs.
  void CheckMean() {
    const double delay = input_.Flag() ? fitted_[static_cast<std::size_t>(input_.Byte()) % fitted_.size()].delay_us : input_.Between(-2e6, 2e6);
    const double h = parameters_.bandwidth_delay_ms * 1e3;
    const auto half_square = [&](const Pair& pair) { return std::pow((delay - pair.delay_us) / h, 2) / 2; };
    double nearest = kInfinity;
    double least = kInfinity;
    double most = -kInfinity;
    for (const Pair& pair : fitted_) {
      nearest = std::min(nearest, half_square(pair));
      least = std::min(least, pair.rate_bps);
      most = std::max(most, pair.rate_bps);
    }
    double sum = 0;
    double weights = 0;
    for (const Pair& pair : fitted_) {
      const double weight = pair.weight * std::exp(nearest - half_square(pair));
      sum += weight * pair.rate_bps;
      weights += weight;
    }
    const double mean = fitter_.ConditionalMean(TimeDelta::Micros(delay)).bps();
    EXPECT_THAT_HOLDS(mean >= least * (1 - 1e-9) && mean <= most * (1 + 1e-9), "the mean lies between the least and the greatest rate in the window");
    EXPECT_THAT_HOLDS(std::fabs(mean - sum / weights) <= 1e-6 * most, "the mean is the estimator's");
  }

  void CheckGrid() {
    constexpr double kFit = std::numeric_limits<double>::quiet_NaN();
    DensityAxes axes{{kFit, kFit, 2 + input_.Pick(60)}, {kFit, kFit, 2 + input_.Pick(60)}};
    fitter_.FitAxes(axes);
    const double rate_step = (axes.rate_bps.to - axes.rate_bps.from) / (axes.rate_bps.count - 1);
    const double delay_step = (axes.delay_us.to - axes.delay_us.from) / (axes.delay_us.count - 1);
    EXPECT_THAT_HOLDS(rate_step > 0 && delay_step > 0 && std::isfinite(rate_step * delay_step), "axes that fit have a length");
    std::vector<double> values(static_cast<std::size_t>(axes.rate_bps.count * axes.delay_us.count));
    fitter_.Grid(axes, values.data());
    const double h_rate = parameters_.bandwidth_rate_bps;
    const double h_delay = parameters_.bandwidth_delay_ms * 1e3;
    const double peak = 1 / (kTwoPi * h_rate * h_delay);
    double mass = 0;
    for (const double value : values) {
      EXPECT_THAT_HOLDS(value >= 0 && value <= peak * (1 + 1e-9), "a density is not negative, and no higher than its kernel");
      mass += value * rate_step * delay_step;
    }
    // If the grid's steps are smaller than the kernels' bandwidths, the sum over the grid is the whole mass except for
    // the tails.
    if (rate_step < h_rate && delay_step < h_delay) EXPECT_THAT_HOLDS(std::fabs(mass - 1) < 1e-3, "the mass is about 1");
    const int r = input_.Pick(axes.rate_bps.count);
    const int d = input_.Pick(axes.delay_us.count);
    const double point = fitter_.Density(DataRate::BitsPerSec(axes.rate_bps.at(r)), TimeDelta::Micros(axes.delay_us.at(d)));
    const double value = values[static_cast<std::size_t>(d * axes.rate_bps.count + r)];
    EXPECT_THAT_HOLDS(std::fabs(point - value) <= 1e-9 * peak, "the grid has the density's values");
  }

  Input& input_;
  lcc::Parameters parameters_;
  lcc::DensityFitter fitter_;
  std::vector<Pair> pairs_;
  std::vector<Pair> fitted_;
};

// The density that the ABI returns for a sender half. The axes of the grid get arbitrary values, since callers may pass
// arbitrary values.
void AskSender(Input& input) {
  const int controller = input.Pick(8) < 2 ? input.Pick(2) : kController;
  ControllerParameters parameters(controller);
  parameters.TakePreset(input);
  parameters.Pass();
  void* sender = ccs_sender_create(controller, 0, 1);
  EXPECT_THAT_HOLDS(sender != nullptr, "a preset makes a session");
  int messages = 0;
  for (int i = input.Pick(20); i > 0; --i) {
    const double now = i * -50e3;
    const double mean = input.Word() * 100.0;
    const double message[] = {now, input.Word() * 1e3, 10.0 * i, 0, now - 2e4, 0, mean, mean - input.Byte()};
    std::copy(std::begin(message), std::end(message), ccs_session_buffer(sender, 8));
    if (ccs_sender_push_feedback(sender, now, 8) == 0) ++messages;
  }
  const int rates = input.Pick(20) - 1;
  const int delays = input.Flag() ? 8 : input.Pick(20);
  const int room = 4 + std::max(rates, 0) * std::max(delays, 0);
  double* buffer = ccs_input_buffer(room);
  for (int i = 0; i < 4; ++i) buffer[i] = input.Flag() ? std::numeric_limits<double>::quiet_NaN() : input.Wild();
  ForgetError();
  const int answer = ccs_density(ccs_sender_half(sender), rates, delays);
  if (answer < 0) CheckRefusal();
  EXPECT_THAT_HOLDS(answer == (controller == kController && messages > 0) || answer < 0, "a controller that learns has a density");
  if (answer == 1) {
    EXPECT_THAT_HOLDS(rates >= 2 && delays >= 2, "a grid has two points at least");
    for (int i = 0; i < room; ++i) EXPECT_THAT_HOLDS(std::isfinite(buffer[i]) && (i < 4 || buffer[i] >= 0), "axes and densities are finite");
    EXPECT_THAT_HOLDS(buffer[0] <= buffer[1] && buffer[2] <= buffer[3], "axes go up");
  }
  ccs_session_destroy(sender);
}

FUZZ_TARGET(density) {
  if (input.Byte() < 64) return AskSender(input);
  DensityExercise(input).Run();
}

}  // namespace
}  // namespace ccscope::fuzz
