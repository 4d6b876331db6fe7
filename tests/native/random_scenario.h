// Random scenarios: media and TCP flows over random paths and queues. Their sizes are limited, so that a test of many
// scenarios does not take long.
#ifndef CCSCOPE_TESTS_NATIVE_RANDOM_SCENARIO_H_
#define CCSCOPE_TESTS_NATIVE_RANDOM_SCENARIO_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "units/random.h"
#include "tests/native/simulation_support.h"
#include "units/deterministic_math.h"

namespace ccscope {

// By this time, in seconds, every flow has stopped, and its pacer has sent all packets that it held back.
inline constexpr double kAllStoppedS = 12;

class RandomScenario {
 public:
  explicit RandomScenario(std::uint64_t seed) : random_(seed) {}

  SimulationSpec Draw() {
    SimulationSpec spec;
    spec.params.duration = TimeDelta::Seconds(5000);
    spec.params.seed = static_cast<std::uint64_t>(Between(0, 1e9));
    spec.params.rate_interval = TimeDelta::Seconds(1);
    spec.forward = DrawPath(0.9);
    spec.backward = DrawPath(0.5);
    for (int i = Whole(0, 3); i > 0; --i) {
      const double begin = Between(0, 6);
      spec.windows.push_back({AtSeconds(begin), AtSeconds(begin + Between(0.01, 4))});
    }
    for (int i = Whole(0, 4); i > 0; --i) spec.media.push_back(DrawMedia());
    for (int i = Whole(spec.media.empty() ? 1 : 0, 5); i > 0; --i) spec.tcp.push_back(DrawTcp(spec));
    spec.tables = kAllTables;
    spec.trace_interval = TimeDelta::Seconds(1);
    return spec;
  }

  double Between(double low, double high) { return low + (high - low) * random_.Uniform(); }
  double LogBetween(double low, double high) { return low * det::Exp(det::Log(high / low) * random_.Uniform()); }
  int Whole(int low, int high) { return low + static_cast<int>((high - low + 1) * random_.Uniform()); }
  bool Chance(double probability) { return random_.Uniform() < probability; }

 private:
  PathSpec DrawPath(double bottleneck) {
    PathSpec path;
    path.has_bottleneck = Chance(bottleneck);
    // Without a bottleneck, only TCP's window and the RTT limit how fast TCP sends. So the delay must not be 0.
    path.link.one_way_delay = TimeDelta::Millis(path.has_bottleneck && Chance(0.2) ? 0 : Between(5, 200));
    path.link.loss_ratio = Chance(0.5) ? 0 : Between(0, 0.2);
    path.link.jitter = TimeDelta::Millis(Chance(0.6) ? 0 : Between(0, 20));
    if (!path.has_bottleneck) return path;
    path.link.bottleneck.capacity = DataRate::BitsPerSec(std::floor(LogBetween(100e3, 20e6)));
    path.link.bottleneck.mode = Chance(0.5) ? CapacityLink::Mode::kSerial : CapacityLink::Mode::kTokenBucket;
    path.link.bottleneck.burst = DataSize::Bytes(std::floor(LogBetween(1, 20000)));
    path.queue = DrawQueue();
    double at = 0;
    for (int i = Chance(0.5) ? 0 : Whole(1, 4); i > 0; --i) {
      at += Between(0, 1.5);
      const bool outage = i > 1 && Chance(0.3);
      path.steps.push_back({AtSeconds(at), DataRate::BitsPerSec(outage ? 0 : std::floor(LogBetween(100e3, 20e6)))});
    }
    return path;
  }

  QueueSpec DrawQueue() {
    if (Chance(0.3)) {
      const int limit = Whole(0, 2);
      return DropTailOf(limit == 0 ? std::floor(LogBetween(1, 1000)) : 0, limit == 1 ? std::floor(LogBetween(1, 1e5)) : 0,
                        limit == 2 ? Whole(1, 100) : 0);
    }
    auto queues = AllQueues();
    return queues[static_cast<std::size_t>(Whole(0, static_cast<int>(queues.size()) - 1))];
  }

  FlowParams DrawFlow() {
    FlowParams flow;
    flow.direction = Chance(0.7) ? Direction::kForward : Direction::kBackward;
    flow.start = AtSeconds(Chance(0.3) ? 0 : Between(0, 3));
    flow.stop = flow.start + TimeDelta::Seconds(Chance(0.1) ? Between(0, 0.2) : Between(0.5, 7));
    flow.extra_delay = TimeDelta::Millis(Chance(0.6) ? 0 : Between(0, 100));
    return flow;
  }

  MediaSpec DrawMedia() {
    MediaSpec media;
    media.flow = DrawFlow();
    media.source.frame_rate = Whole(5, 60);
    media.source.payload_bytes = Whole(100, 1400);
    media.source.header_bytes = Chance(0.8) ? 40 : 0;
    media.source.max_bitrate_bps = LogBetween(100e3, 4e6);
    media.source.noise_sd = Chance(0.3) ? 0 : Between(0, 0.5);
    media.source.key_frame_interval_s = Chance(0.5) ? 0 : Between(0.5, 3);
    media.source.key_frame_factor = Chance(0.5) ? 1 : Between(1, 10);
    media.source.ramp_time_constant_s = Chance(0.8) ? 0 : Between(1, 10);
    media.source.rtcp_interval_ms = LogBetween(50, 5000);
    media.controller.start_bitrate_bps = LogBetween(50e3, 4e6);
    media.controller.pacing_factor = Between(1, 3);
    for (int i = Chance(0.7) ? 0 : Whole(1, 3); i > 0; --i) {
      const double begin = Between(0, 5);
      media.pauses.push_back({AtSeconds(begin), AtSeconds(begin + Between(0.01, 2))});
    }
    return media;
  }

  TcpSpec DrawTcp(const SimulationSpec& spec) {
    TcpSpec tcp;
    tcp.flow = DrawFlow();
    tcp.tcp.congestion_control = Chance(0.5) ? tcp::CongestionControlKind::kCubic : tcp::CongestionControlKind::kNewReno;
    tcp.tcp.tcp.segment_size_bytes = Chance(0.7) ? 1500 : Whole(100, 9000);
    const PathSpec& path = tcp.flow.direction == Direction::kForward ? spec.forward : spec.backward;
    tcp.tcp.tcp.max_window_segments = path.has_bottleneck ? Whole(1, 500) : Whole(1, 10);
    tcp.tcp.tcp.hystart = Whole(0, 3);
    if (Chance(0.3)) {
      const double smallest = LogBetween(1, 1e5);
      tcp.tcp.files = TcpFlow::ShortFiles{DataSize::Bytes(smallest), DataSize::Bytes(smallest * Between(1, 3)),
                                          TimeDelta::Millis(Between(1, 2000))};
    }
    return tcp;
  }

  Random random_;
};

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_RANDOM_SCENARIO_H_
