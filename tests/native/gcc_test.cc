// Both halves of GCC, sender and receiver, around a bottleneck, in virtual time. For a minute, 30 frames a second pass
// through a serial link of 1 Mbps with a DropTail queue of 300 ms. The RTT is 50 ms.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cc/gcc/receiver.h"
#include "cc/gcc/sender.h"
#include "sim/link.h"
#include "sim/queue_disc/drop_tail.h"
#include "units/random.h"
#include "tests/native/gcc_support.h"
#include "trace/recorder.h"

namespace ccscope::gcc {
namespace {

constexpr DataRate kCapacity = DataRate::KilobitsPerSec(1000);
constexpr TimeDelta kOneWay = TimeDelta::Millis(25);
constexpr DataSize kPacket = DataSize::Bytes(1200);
constexpr int kDurationMs = 60000;

struct Outcome {
  double utilisation;        // over the last two thirds of the run
  double queue_delay_p50_ms;  // over the last two thirds of the run
  double queue_delay_p95_ms;  // over the last two thirds of the run
  double loss_ratio;  // over the whole run
};

class Loop {
 public:
  explicit Loop(const Parameters& parameters)
      : receiver_(parameters, 0, recorder_), sender_(parameters, 0, recorder_), link_(LinkParams(), MakeQueue()) {}

  Outcome Run() {
    for (int ms = 0; ms <= kDurationMs; ++ms) Step(ms, Timestamp::Millis(ms));
    std::sort(queue_delays_ms_.begin(), queue_delays_ms_.end());
    const double count = static_cast<double>(queue_delays_ms_.size());
    const auto percentile = [&](double p) { return queue_delays_ms_[static_cast<std::size_t>(p * (count - 1))]; };
    const TimeDelta window = TimeDelta::Millis(kDurationMs * 2 / 3);
    return {(measured_ / window) / kCapacity, percentile(0.5), percentile(0.95), lost_ / packets_};
  }

 private:
  struct Frame {
    Timestamp send;
    double packets = 0;
    DataSize size;
    double missing = 0;
    bool damaged = false;
  };

  static Link::Params LinkParams() { return {.bottleneck = {.capacity = kCapacity}, .one_way_delay = kOneWay}; }
  static std::unique_ptr<QueueDisc> MakeQueue() {
    return std::make_unique<DropTail>(DropTail::Params::Time(TimeDelta::Millis(300)));
  }

  void Step(int ms, Timestamp now) {
    for (auto it = feedback_.begin(); it != feedback_.end() && it->first <= now; it = feedback_.erase(it)) {
      sender_.OnFeedback(it->second, now);
    }
    if (ms % 100 == 0) target_ = sender_.Process(now).target;
    if (ms * 3 / 100 != (ms - 1) * 3 / 100 || ms == 0) SendFrame(now);
    Deliver(ms, now);
    if (ms % 50 == 0) Answer(receiver_.OnInboundCounters({now, received_packets_, lost_, received_}), now);
  }

  // Frame sizes vary by up to a fifth, as an encoder's do.
  void SendFrame(Timestamp now) {
    const double noise = std::clamp(random_.Gaussian(), -2.0, 2.0);
    Frame frame{.send = now, .size = target_ * TimeDelta::Seconds(1.0 / 30) * (1 + 0.1 * noise)};
    for (DataSize left = frame.size; left > DataSize::Zero(); left = left - kPacket) {
      const double id = static_cast<double>(frames_.size());
      ++frame.packets;
      ++packets_;
      if (link_.Enqueue(id, std::min(left, kPacket), 0, now) != DropReason::kNone) {
        frame.damaged = true;
        ++lost_;
      } else {
        ++frame.missing;
      }
    }
    frames_.push_back(frame);
  }

  void Deliver(int ms, Timestamp now) {
    std::vector<Link::Delivery> deliveries;
    std::vector<Link::Drop> drops;
    link_.Poll(now, deliveries, drops);
    for (const Link::Delivery& delivery : deliveries) {
      ++received_packets_;
      received_ += delivery.packet.size;
      if (ms > kDurationMs / 3) {
        measured_ += delivery.packet.size;
        queue_delays_ms_.push_back(delivery.queue_delay.ms());
      }
      Frame& frame = frames_[static_cast<std::size_t>(delivery.packet.id)];
      if (--frame.missing > 0 || frame.damaged) continue;
      Arrival arrival;
      arrival.seq = delivery.packet.id;
      arrival.send_time = frame.send;
      arrival.arrival_time = delivery.deliver;
      arrival.size = frame.size;
      arrival.rtt = TimeDelta::Millis(50);
      Answer(receiver_.OnArrival(arrival), now);
    }
  }

  void Answer(const std::optional<Feedback>& feedback, Timestamp now) {
    if (feedback) feedback_.emplace_back(now + kOneWay, *feedback);
  }

  Recorder recorder_;
  Receiver receiver_;
  Sender sender_;
  Link link_;
  Random random_{1};
  DataRate target_;
  std::vector<Frame> frames_;
  std::vector<std::pair<Timestamp, Feedback>> feedback_;
  double packets_ = 0;
  double received_packets_ = 0;
  double lost_ = 0;
  DataSize received_;
  DataSize measured_;
  std::vector<double> queue_delays_ms_;
};

Outcome RunPreset(const char* name) { return Loop(PresetNamed(name)).Run(); }

// The requirements for a call: a utilisation of at least 0.86; a queue of at most 30 ms in the median and 100 ms at the
// 95th percentile; losses of at most 0.3 %. A utilisation above 1 would be a fault of this test.
class Call : public ::testing::TestWithParam<const char*> {};

TEST_P(Call, UsesTheLinkAndKeepsItsQueueShort) {
  const Outcome outcome = RunPreset(GetParam());
  EXPECT_GE(outcome.utilisation, 0.86);
  EXPECT_LE(outcome.utilisation, 1.0);
  EXPECT_LE(outcome.queue_delay_p50_ms, 30);
  EXPECT_LE(outcome.queue_delay_p95_ms, 100);
  EXPECT_LE(outcome.loss_ratio, 0.003);
}
INSTANTIATE_TEST_SUITE_P(Gcc, Call, ::testing::Values("gcc", "gcc-live", "cmp-2016"));

// The constants of libwebrtc were chosen for arrivals of individual packets and for calls that probe for bandwidth.
// Here arrivals are whole frames, so these presets use less of the link, but they are stable.
class Deployed : public ::testing::TestWithParam<const char*> {};

TEST_P(Deployed, IsStable) {
  const Outcome outcome = RunPreset(GetParam());
  EXPECT_GE(outcome.utilisation, 0.7);
  EXPECT_LE(outcome.utilisation, 1.0);
  EXPECT_LE(outcome.queue_delay_p95_ms, 100);
  EXPECT_LE(outcome.loss_ratio, 0.003);
}
INSTANTIATE_TEST_SUITE_P(Gcc, Deployed,
                         ::testing::Values("libwebrtc-2016-08", "libwebrtc-2016-03", "libwebrtc-2016-02"));

// ToN ("Congestion Control for Web Real-Time Communication", 2017) Fig. 6: with a fixed large threshold, the queue is
// longer.
TEST(Gcc, ALargeFixedThresholdLengthensTheQueue) {
  const Outcome fixed = RunPreset("static-threshold");
  const Outcome adaptive = RunPreset("gcc");
  EXPECT_GT(fixed.queue_delay_p95_ms, 1.5 * adaptive.queue_delay_p95_ms);
  EXPECT_LT(fixed.queue_delay_p95_ms, 300);
}

TEST(Gcc, TheSameInputGivesTheSameRun) {
  const Outcome first = RunPreset("gcc-live");
  const Outcome second = RunPreset("gcc-live");
  EXPECT_EQ(first.utilisation, second.utilisation);
  EXPECT_EQ(first.queue_delay_p95_ms, second.queue_delay_p95_ms);
}

}  // namespace
}  // namespace ccscope::gcc
