// Both halves of LCC, sender and receiver: in the paper's set-up (LCC III), with single messages, and with extreme
// inputs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cc/lcc/receiver.h"
#include "cc/lcc/sender.h"
#include "sim/queue_disc/drop_tail.h"
#include "sim/simulation.h"
#include "tests/native/allocations.h"
#include "units/random.h"

namespace ccscope::lcc {
namespace {

std::vector<double> Values(const Parameters& parameters) {
  std::vector<double> values(kParameterCount);
  std::memcpy(values.data(), &parameters, sizeof parameters);
  return values;
}

// The preset lcc-live.
Parameters Live() {
  Parameters parameters;
#define PRESET(id, name, description) if (std::string_view(name) == "lcc-live") {
#define SET(name, value) parameters.name = value;
#define END_PRESET(id) }
#include "cc/lcc/presets.def"
#undef PRESET
#undef SET
#undef END_PRESET
  return parameters;
}

struct Outcome {
  double utilisation;
  double queue_ms;
  double jain;
  DataRate target;
};
// LCC III-A: a serial link with a one-way delay of 50 ms. The limit of the queue, 1000 s, is never reached. Flow i
// starts at i times `apart`.
Outcome Simulate(const Parameters& parameters, int flows, DataRate capacity, TimeDelta duration, TimeDelta apart,
                 double loss = 0, std::uint64_t seed = 11) {
  Simulation simulation({.duration = duration, .seed = seed});
  Link::Params forward;
  forward.bottleneck = {.mode = CapacityLink::Mode::kSerial, .capacity = capacity};
  forward.one_way_delay = TimeDelta::Millis(50);
  forward.loss_ratio = loss;
  Link::Params backward;
  backward.one_way_delay = forward.one_way_delay;
  auto queue = std::make_unique<DropTail>(DropTail::Params::Time(TimeDelta::Seconds(1000)));
  simulation.SetPath(Direction::kForward, forward, std::move(queue));
  simulation.SetPath(Direction::kBackward, backward, nullptr);
  const int all_active = simulation.AddWindow({Timestamp() + apart * flows, Timestamp() + duration});
  for (int i = 0; i < flows; ++i) {
    Recorder& recorder = simulation.recorder();
    FlowParams flow;
    flow.start = Timestamp() + apart * i;
    simulation.AddMediaFlow(flow, {}, {},
                            {std::make_unique<Receiver>(parameters, i, recorder),
                             std::make_unique<Sender>(parameters, i, simulation.ControllerSeed(i), recorder)});
  }
  EXPECT_EQ(simulation.RunUntil(Timestamp() + duration), Simulation::Status::kOk);
  const auto& path = simulation.path_window(0, Direction::kForward);
  return {path.delivered / simulation.OfferedCapacity(simulation.window(0), Direction::kForward), path.queue_delay_us.mean() / 1e3,
          simulation.fairness(all_active).jain, simulation.flow(0).target()};
}

// Table I at a loss of 0 %, the mean of ten runs as in the paper: a utilisation of 82.4 % (tolerance 5 points) and a
// queuing delay of 25.5 ms (tolerance 8 ms).
TEST(LccTest, OneFlowUsesTheLinkAsInTable1) {
  constexpr int kRuns = 10;
  double utilisation = 0;
  double queue_ms = 0;
  for (int run = 1; run <= kRuns; ++run) {
    const Outcome outcome = Simulate({}, 1, DataRate::KilobitsPerSec(1000), TimeDelta::Seconds(100), TimeDelta::Zero(), 0,
                                     static_cast<std::uint64_t>(run));
    utilisation += outcome.utilisation / kRuns;
    queue_ms += outcome.queue_ms / kRuns;
  }
  EXPECT_NEAR(utilisation, 0.824, 0.05);
  EXPECT_NEAR(queue_ms, 25.5, 8);
}

// Fig. 4: three flows share 2 Mbps. Their one-way delays are about 75 ms, of which 25 ms are queuing.
TEST(LccTest, ThreeFlowsShareALinkAsInFigure4) {
  const Outcome outcome = Simulate({}, 3, DataRate::KilobitsPerSec(2000), TimeDelta::Seconds(300), TimeDelta::Seconds(75));
  EXPECT_GE(outcome.jain, 0.95);
  EXPECT_LE(outcome.jain, 1 + 1e-12);
  EXPECT_NEAR(outcome.queue_ms, 25, 6);
}

// LCC has no term for losses. Here packets are lost before they reach the queue, so LCC raises its rate until the link
// is as full as without losses.
TEST(LccTest, RandomLossLeavesTheLinkAsFull) {
  const auto with_loss = [](double loss) {
    return Simulate({}, 1, DataRate::KilobitsPerSec(1000), TimeDelta::Seconds(100), TimeDelta::Zero(), loss).utilisation;
  };
  EXPECT_NEAR(with_loss(0.1), with_loss(0), 0.05);
}

// Without exploration, as in the paper's text, each rate is an average of earlier rates. So the rate never changes.
TEST(LccTest, WithoutExplorationTheFirstRateStays) {
  Parameters parameters;
  parameters.exploration = 0;
  const Outcome outcome =
      Simulate(parameters, 1, DataRate::KilobitsPerSec(1000), TimeDelta::Seconds(60), TimeDelta::Zero());
  EXPECT_NEAR(outcome.target.bps(), parameters.start_bitrate_bps, 1);
  EXPECT_NEAR(outcome.utilisation, 0.3, 0.02);
}

TEST(LccTest, TheSameSeedGivesTheSameRun) {
  const auto run = [] {
    return Simulate({}, 1, DataRate::KilobitsPerSec(1000), TimeDelta::Seconds(20), TimeDelta::Zero()).target.bps();
  };
  EXPECT_EQ(run(), run());
}

Feedback Message(double time_ms, double delay_ms, double received_bps = 5e5, double bound_bps = 0) {
  Feedback feedback;
  feedback.time = Timestamp::Millis(time_ms);
  feedback.received_rate = DataRate::BitsPerSec(received_bps);
  feedback.echo_send_time = Timestamp::Millis(time_ms - 100);
  feedback.Add(delay_ms * 1e3);
  feedback.Add(delay_ms * 1e3);
  feedback.Add(bound_bps);
  return feedback;
}

// Eq. 8: while the delay exceeds R T_A = 1.1 (50 + 25) = 82.5 ms, the next rate is the last target rate S_i times M =
// 0.9. The propagation delay is assumed to be 50 ms, half of the RTT of 100 ms.
TEST(LccSenderTest, ExorbitantDelaysCutTheRateThatWasAskedFor) {
  Recorder recorder;
  Parameters parameters;
  parameters.exploration_noise = 0;
  parameters.alpha = 1;
  Sender sender(parameters, 0, 1, recorder);
  sender.OnFeedback(Message(1000, 50), Timestamp::Millis(1000));
  const double before = sender.Process(Timestamp::Millis(1000)).target.bps();
  sender.OnFeedback(Message(1050, 82), Timestamp::Millis(1050));
  EXPECT_NE(sender.Process(Timestamp::Millis(1050)).target.bps(), before * 0.9);
  const double next = sender.Process(Timestamp::Millis(1050)).target.bps();
  sender.OnFeedback(Message(1100, 83), Timestamp::Millis(1100));
  EXPECT_NEAR(sender.Process(Timestamp::Millis(1100)).target.bps(), next * 0.9, 1e-6);
}

TEST(LccSenderTest, InCallsTheCutIsOneOfWhatArrived) {
  Recorder recorder;
  Parameters parameters = Live();
  parameters.exploration_noise = 0;
  parameters.start_bitrate_bps = 1e6;
  Sender sender(parameters, 0, 1, recorder);
  sender.OnFeedback(Message(1000, 50), Timestamp::Millis(1000));
  for (int i = 1; i < 10; ++i) sender.OnFeedback(Message(1000 + 50 * i, 400, 700e3), Timestamp::Millis(1000 + 50 * i));
  EXPECT_NEAR(sender.Process(Timestamp::Millis(1500)).target.bps(), 0.8 * 700e3, 1e-6);
}

TEST(LccSenderTest, TheCapacityThatFramesShowBoundsTheRate) {
  Recorder recorder;
  Sender sender(Live(), 0, 1, recorder);
  sender.OnFeedback(Message(1000, 50, 5e5, 2e5), Timestamp::Millis(1000));
  EXPECT_EQ(sender.Process(Timestamp::Millis(1000)).target.bps(), 2e5);
  sender.OnFeedback(Message(1050, 50, 5e5), Timestamp::Millis(1050));
  EXPECT_GT(sender.Process(Timestamp::Millis(1050)).target.bps(), 2e5);
}

// A one-way delay that has grown by 4 s since the message before, while the RTT is 100 ms: a clock was set, and the
// smallest delay is not that of before. With an RTT that grew as much, packets have waited.
TEST(LccSenderTest, ADelayThatIsInTheRttTooIsNoClockThatWasSet) {
  for (const bool waited : {false, true}) {
    Recorder recorder;
    Parameters parameters;
    parameters.exploration_noise = 0;
    Sender sender(parameters, 0, 1, recorder);
    sender.OnFeedback(Message(1000, 50), Timestamp::Millis(1000));
    const double before = sender.Process(Timestamp::Millis(1000)).target.bps();
    Feedback message = Message(5000, 4050);
    const double sent_ms = waited ? 900 : 4900;
    message.echo_send_time = Timestamp::Millis(sent_ms);
    if (!waited) message.time = Timestamp::Millis(5000 + 4000);
    sender.OnFeedback(message, Timestamp::Millis(5000));
    // Far above R T_A, the rate falls. After a clock was set, nothing is known, and the delay is the smallest.
    const double after = sender.Process(Timestamp::Millis(5000)).target.bps();
    if (waited) {
      EXPECT_LT(after, before);
    } else {
      EXPECT_GE(after, before);
    }
  }
}

// An outage of 4 s in a call at 1 Mbps with a queue of 300 ms. If LCC took the delays behind it for a clock that was set,
// the delay of the full queue could become the smallest one. LCC would then lose more than half of what it sends, in four
// of these 20 seeds.
TEST(LccTest, AnOutageIsNoClockThatWasSet) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Simulation simulation({.duration = TimeDelta::Seconds(150), .seed = seed});
    Link::Params forward;
    forward.bottleneck = {.mode = CapacityLink::Mode::kSerial, .capacity = DataRate::KilobitsPerSec(1000)};
    forward.one_way_delay = TimeDelta::Millis(50);
    auto queue = std::make_unique<DropTail>(DropTail::Params::Time(TimeDelta::Millis(300)));
    simulation.SetPath(Direction::kForward, forward, std::move(queue));
    simulation.ScheduleCapacity(Direction::kForward, Timestamp::Seconds(30), DataRate::Zero());
    simulation.ScheduleCapacity(Direction::kForward, Timestamp::Seconds(34), forward.bottleneck.capacity);
    Link::Params backward;
    backward.one_way_delay = forward.one_way_delay;
    simulation.SetPath(Direction::kBackward, backward, nullptr);
    const int late = simulation.AddWindow({Timestamp::Seconds(100), Timestamp::Seconds(150)});
    Recorder& recorder = simulation.recorder();
    simulation.AddMediaFlow({}, {}, {},
                            {std::make_unique<Receiver>(Parameters{}, 0, recorder),
                             std::make_unique<Sender>(Parameters{}, 0, simulation.ControllerSeed(0), recorder)});
    ASSERT_EQ(simulation.RunUntil(Timestamp::Seconds(150)), Simulation::Status::kOk);
    const FlowWindow& flow = simulation.flow(0).meter().window(late);
    EXPECT_LT(flow.lost / flow.sent, 0.01) << "seed " << seed;
    EXPECT_GT(flow.received.bits() / 50, 0.5e6) << "seed " << seed;
  }
}

TEST(LccSenderTest, MessagesThatWereOvertakenAreLeftOut) {
  Recorder recorder;
  Sender sender({}, 0, 1, recorder);
  sender.OnFeedback(Message(1050, 50), Timestamp::Millis(1000));
  const double target = sender.Process(Timestamp::Millis(1000)).target.bps();
  sender.OnFeedback(Message(1000, 900), Timestamp::Millis(1001));
  EXPECT_EQ(sender.Process(Timestamp::Millis(1001)).target.bps(), target);
  EXPECT_EQ(recorder.rows(static_cast<int>(TraceTable::kLcc)), 1);
}

TEST(LccSenderTest, MessagesOfOtherControllersAreRefused) {
  Recorder recorder;
  const Sender sender({}, 0, 1, recorder);
  Feedback feedback = Message(0, 50);
  EXPECT_FALSE(sender.Check(feedback));
  EXPECT_EQ(std::string(sender.Check(Message(0, 50, 5e5, -1)).field), "bound_bps");
  feedback.Add(1);
  EXPECT_TRUE(sender.Check(feedback));
  EXPECT_TRUE(sender.Check(Feedback{}));
}

TEST(LccSenderTest, WithoutFeedbackTheFirstRateStays) {
  Recorder recorder;
  Sender sender({}, 0, 1, recorder);
  for (int s = 0; s < 100; ++s) EXPECT_EQ(sender.Process(Timestamp::Seconds(s)).target.bps(), Parameters{}.start_bitrate_bps);
}

// Delays, clocks and counters that no network produces, with parameters that change during the run.
TEST(LccSenderTest, RatesStayWithinTheirBoundsWhateverComes) {
  constexpr double kExtremes[] = {0, 1, -1, 1e-300, 5e4, -5e4, 1e9, -1e9, 9007199254740992.0, -9007199254740992.0};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const auto number = [&]() -> double {
      const double u = random.Uniform();
      if (u < 0.5) return 5e4 + 1e4 * random.Gaussian();
      return u < 0.9 ? kExtremes[random.Next() % 10] : 1e6 * random.Gaussian();
    };
    Parameters parameters = seed % 2 == 0 ? Live() : Parameters{};
    parameters.sending_rate = static_cast<double>(seed / 2 % 2);
    parameters.delay_jump_reset_ms = seed % 3 == 0 ? 0 : 3000;
    parameters.exploration = seed % 5 == 0 ? 0 : 1;
    Recorder recorder;
    Sender sender(parameters, 0, seed, recorder);
    for (int i = 0; i < 400; ++i) {
      Feedback feedback;
      feedback.time = Timestamp::Micros(number());
      feedback.received_rate = DataRate::BitsPerSec(random.Uniform() < 0.1 ? NAN : number());
      feedback.packets_received = number();
      feedback.packets_lost = number();
      feedback.echo_send_time = Timestamp::Micros(random.Uniform() < 0.1 ? NAN : number());
      feedback.echo_delay = TimeDelta::Micros(random.Uniform() < 0.1 ? INFINITY : number());
      feedback.Add(number());
      feedback.Add(number());
      feedback.Add(std::fabs(number()));
      ASSERT_FALSE(sender.Check(feedback));
      const Timestamp now = Timestamp::Micros(number());
      static_cast<void>(sender.OnSent({now, DataSize::Bytes(number()), DataSize::Zero()}));
      sender.OnFeedback(feedback, now);
      if (i == 200) {
        parameters.window_pairs = 1 + static_cast<double>(random.Next() % 300);
        sender.Configure(Values(parameters).data());
      }
      const RateUpdate update = sender.Process(now);
      ASSERT_GE(update.target.bps(), parameters.min_bitrate_bps) << seed;
      ASSERT_LE(update.target.bps(), parameters.max_bitrate_bps) << seed;
      ASSERT_TRUE(update.pacing.IsFinite());
      ASSERT_TRUE(update.rtt.IsFinite());
      ASSERT_TRUE(update.fraction_lost >= 0 && update.fraction_lost <= 1) << update.fraction_lost;
    }
  }
}

Arrival At(double seq, double send_ms, double arrival_ms, double bytes = 4000) {
  Arrival arrival;
  arrival.seq = seq;
  arrival.send_time = Timestamp::Millis(send_ms);
  arrival.arrival_time = Timestamp::Millis(arrival_ms);
  arrival.size = DataSize::Bytes(bytes);
  return arrival;
}

TEST(LccReceiverTest, AMessagePerEpoch) {
  Recorder recorder;
  Receiver receiver({}, 3, recorder);
  int messages = 0;
  for (int i = 0; i < 300; ++i) messages += receiver.OnArrival(At(i, i * 10, i * 10 + 60)) ? 1 : 0;
  EXPECT_EQ(messages, 59);  // the last of the 60 epochs is not over
  EXPECT_EQ(recorder.rows(static_cast<int>(TraceTable::kFeedback)), 59);
}

TEST(LccReceiverTest, CountersEndAnEpochInWhichFramesCeased) {
  Recorder recorder;
  Receiver receiver({}, 0, recorder);
  EXPECT_FALSE(receiver.OnArrival(At(0, 0, 60)));
  EXPECT_FALSE(receiver.OnInboundCounters({Timestamp::Millis(100), 4, 1, DataSize::Bytes(5000)}));
  const auto message = receiver.OnInboundCounters({Timestamp::Millis(110), 5, 1, DataSize::Bytes(6000)});
  ASSERT_TRUE(message);
  EXPECT_EQ(message->packets_received, 5);
  EXPECT_EQ(message->packets_lost, 1);
  EXPECT_EQ(message->value_count, kFeedbackValues);
  EXPECT_NEAR(message->values[kMeanDelay], 60e3, 1e-6);
  EXPECT_FALSE(receiver.OnInboundCounters({Timestamp::Millis(200), 5, 1, DataSize::Bytes(6000)}));
}

// Frames of 4000 B are sent every 20 ms through a link of 1 Mbps, where each takes 32 ms. So the k-th frame waits for
// 12 k ms, and its one-way delay also includes its own serialisation of 32 ms.
TEST(LccReceiverTest, AWaitIsADelayWithoutItsOwnSerialisation) {
  for (const bool wait : {false, true}) {
    Parameters parameters;
    parameters.epoch_ms = 10;
    parameters.delay_sample = wait ? 1 : 0;
    Recorder recorder;
    Receiver receiver(parameters, 0, recorder);
    EXPECT_FALSE(receiver.OnArrival(At(0, 0, 50 + 32)));
    for (int k = 1; k < 8; ++k) {
      const auto message = receiver.OnArrival(At(k, 20 * k, 50 + 32 * (k + 1)));
      ASSERT_TRUE(message);  // this message is about the previous frame
      const double delay_ms = 82 + 12 * (k - 1);
      // With DelaySample::kWait, a value is at least the smallest delay so far: the 82 ms of the first frame.
      EXPECT_NEAR(message->values[kMeanDelay], 1e3 * (wait ? std::fmax(82, delay_ms - 32) : delay_ms), 1e-6) << k;
    }
  }
}

// The sender refuses messages with values beyond 2^53, so the receiver must not send such values.
TEST(LccReceiverTest, MessagesFitWhateverTheClocksSay) {
  constexpr double kMax = 9007199254740992.0;
  for (const bool wait : {false, true}) {
    Parameters parameters;
    parameters.delay_sample = wait ? 1 : 0;
    Recorder recorder;
    Receiver receiver(parameters, 0, recorder);
    const double extremes[] = {-kMax, 0, kMax};
    int messages = 0;
    for (const double arrival : extremes) {
      for (const double send : extremes) {
        const auto message = receiver.OnArrival(At(0, send / 1e3, arrival / 1e3));
        if (!message) continue;
        ++messages;
        for (int i = 0; i < message->value_count; ++i) {
          EXPECT_LE(std::fabs(message->values[static_cast<std::size_t>(i)]), kMax);
        }
      }
    }
    EXPECT_GE(messages, 2);
  }
}

TEST(LccTest, NothingIsAllocatedInTheSteadyState) {
  Recorder recorder;
  recorder.KeepOnly(0);
  Receiver receiver({}, 0, recorder);
  Sender sender({}, 0, 1, recorder);
  Random random(3);
  const auto run = [&](int from, int to) {
    for (int i = from; i < to; ++i) {
      const auto message = receiver.OnArrival(At(i, i * 10, i * 10 + 60 + 5 * random.Uniform()));
      if (message) sender.OnFeedback(*message, Timestamp::Millis(i * 10 + 110));
      static_cast<void>(sender.Process(Timestamp::Millis(i * 10)));
    }
  };
  run(0, 1000);
  const long before = Allocations();
  run(1000, 5000);
  EXPECT_EQ(Allocations(), before);
}

}  // namespace
}  // namespace ccscope::lcc
