// Tests both halves of NADA, sender and receiver, each alone and both together.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <utility>

#include "tests/native/allocations.h"
#include "tests/native/nada_support.h"
#include "tests/native/random32.h"

namespace ccscope::nada {
namespace {

// A path without noise: small packets evenly spaced at the target rate (nearly a fluid) through a serial link with an
// unlimited queue, 25 ms each way.
class FluidLink {
 public:
  FluidLink(const Parameters& p, DataRate capacity) : receiver_(p, 0, recorder_), sender_(p), capacity_(capacity) {}

  void RunUntil(Timestamp end) {
    while (now_ < end) {
      while (!feedback_.empty() && feedback_.front().first <= now_) {
        ASSERT_FALSE(sender_.Check(feedback_.front().second));
        sender_.OnFeedback(feedback_.front().second, feedback_.front().first);
        feedback_.pop_front();
      }
      const DataRate rate = sender_.Process(now_).target;
      link_free_ = std::max(link_free_, now_ + kOneWay) + kPacket / capacity_;
      Arrival arrival;
      arrival.seq = seq_++;
      arrival.send_time = now_;
      arrival.arrival_time = link_free_;
      arrival.size = kPacket;
      if (const auto feedback = receiver_.OnArrival(arrival)) feedback_.push_back({link_free_ + kOneWay, *feedback});
      now_ += kPacket / rate;
    }
  }
  // Means over the `nada` rows since the previous TakeMeans().
  struct Means {
    double signal_ms;
    double received_bps;
  };
  Means TakeMeans() {
    const int table = static_cast<int>(TraceTable::kNada);
    const int rows = recorder_.rows(table);
    Means means{};
    for (int i = 0; i < rows; ++i) {
      means.signal_ms += recorder_.column(table, 9)[i] / rows;
      means.received_bps += recorder_.column(table, 11)[i] / rows;
    }
    recorder_.Clear();
    return means;
  }
  DataRate target() { return sender_.Process(now_).target; }

 private:
  static constexpr TimeDelta kOneWay = TimeDelta::Millis(25);
  static constexpr DataSize kPacket = DataSize::Bytes(100);

  Recorder recorder_;
  Receiver receiver_;
  Sender sender_;
  DataRate capacity_;
  Timestamp now_;
  Timestamp link_free_;
  double seq_ = 0;
  std::deque<std::pair<Timestamp, Feedback>> feedback_;
};

struct Equilibrium {
  double capacity_bps;
  double max_bps;
  double prio;
  double signal_ms;
};

class NadaEquilibrium : public ::testing::TestWithParam<Equilibrium> {};

// RFC 8698 4.3: x_curr = PRIO XREF RMAX / r_ref, XREF = 10 ms; the rate equals the capacity, otherwise the queue
// would not be constant.
TEST_P(NadaEquilibrium, RestsAtTheReferenceSignal) {
  const Equilibrium& e = GetParam();
  Parameters p = nada_rfc8698();
  p.max_bitrate_bps = e.max_bps;
  p.prio = e.prio;
  FluidLink link(p, DataRate::BitsPerSec(e.capacity_bps));
  link.RunUntil(Timestamp::Seconds(200));
  link.TakeMeans();
  link.RunUntil(Timestamp::Seconds(220));
  const FluidLink::Means means = link.TakeMeans();
  EXPECT_NEAR(means.signal_ms, e.signal_ms, 0.01 * e.signal_ms);
  EXPECT_NEAR(means.received_bps, e.capacity_bps, 0.01 * e.capacity_bps);
  EXPECT_NEAR(link.target().bps(), e.capacity_bps, 0.01 * e.capacity_bps);
}

INSTANTIATE_TEST_SUITE_P(Rfc8698, NadaEquilibrium,
                         ::testing::Values(Equilibrium{1e6, 1.5e6, 1, 15},       // 10 * 1.5 / 1
                                           Equilibrium{600e3, 1.5e6, 1, 25},     // 10 * 1.5 / 0.6
                                           Equilibrium{500e3, 1.5e6, 1, 30},     // 10 * 1.5 / 0.5
                                           Equilibrium{1e6, 1.5e6, 2, 30},       // 2 * 10 * 1.5 / 1
                                           Equilibrium{1e6, 2.5e6, 1, 25},       // 10 * 2.5 / 1
                                           Equilibrium{500e3, 2.5e6, 0.5, 25}));  // 0.5 * 10 * 2.5 / 0.5

Arrival Packet(double seq, double send_ms, double arrival_ms, double bytes) {
  Arrival arrival;
  arrival.seq = seq;
  arrival.send_time = AtMs(send_ms);
  arrival.arrival_time = AtMs(arrival_ms);
  arrival.size = DataSize::Bytes(bytes);
  return arrival;
}

Feedback Message(double mode, double x_curr_ms, double loss_ratio, double received_bps, double bound_bps = 0) {
  Feedback feedback;
  feedback.received_rate = DataRate::BitsPerSec(received_bps);
  feedback.Add(mode);
  feedback.Add(x_curr_ms);
  feedback.Add(loss_ratio);
  feedback.Add(bound_bps);
  return feedback;
}

TEST(NadaSender, RefusesWhatNoReceiverHalfSends) {
  const Sender sender(nada_rfc8698());
  EXPECT_FALSE(sender.Check(Message(0, 0, 0, 0)));
  EXPECT_FALSE(sender.Check(Message(1, 3000, 1, 1e6)));
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto field = [&](const Feedback& feedback) { return std::string(sender.Check(feedback).field); };
  EXPECT_EQ(field(Message(2, 0, 0, 0)), "mode");
  EXPECT_EQ(field(Message(0.5, 0, 0, 0)), "mode");
  EXPECT_EQ(field(Message(kNaN, 0, 0, 0)), "mode");
  EXPECT_EQ(field(Message(0, -1, 0, 0)), "x_curr_ms");
  EXPECT_EQ(field(Message(0, kNaN, 0, 0)), "x_curr_ms");
  EXPECT_EQ(field(Message(0, 0, 1.1, 0)), "loss_ratio");
  EXPECT_EQ(field(Message(0, 0, 0, 0, -1)), "bound_bps");
  EXPECT_EQ(field(Message(0, 0, 0, 0, kNaN)), "bound_bps");
  EXPECT_EQ(field(Message(0, 0, 0, -1)), "received_rate_bps");
  EXPECT_EQ(field(Message(0, 0, 0, kNaN)), "received_rate_bps");
  Feedback other = Message(0, 0, 0, 0);
  other.Add(1);
  EXPECT_EQ(field(other), "values");
}

// RFC 8698 4.2, in the receiver half: the mode is ramp-up as long as there are no losses and no queue builds up. After
// a loss or a queue build-up, the mode is gradual for LOGWIN.
TEST(NadaReceiver, TellsTheMode) {
  Recorder recorder;
  Receiver receiver(nada_rfc8698(), 0, recorder);
  double seq = 0;
  double now_ms = 0;
  const auto run = [&](double until_ms, double delay_ms) {
    std::optional<Feedback> last;
    for (; now_ms < until_ms; now_ms += 10) {
      if (const auto feedback = receiver.OnArrival(Packet(seq++, now_ms - delay_ms, now_ms, 500))) last = feedback;
    }
    return last->values[kMode];
  };
  EXPECT_EQ(run(1000, 50), 0);
  EXPECT_EQ(run(2000, 59.9), 0);
  EXPECT_EQ(run(2200, 60), 1);  // QEPS = 10 ms
  EXPECT_EQ(run(2600, 50), 1);  // within LOGWIN
  EXPECT_EQ(run(3000, 50), 0);
  seq += 1;                     // one packet is lost at 3 s
  EXPECT_EQ(run(3410, 50), 1);
  EXPECT_EQ(run(3800, 50), 0);
}

// In live calls, arrivals are frames, and the receiver also gets packet counters. It then takes losses from the
// counters, not from gaps between frames.
TEST(NadaReceiver, CountsLossesOnTheWireWhereItIsSeen) {
  Recorder recorder;
  Receiver receiver(nada_rfc8698(), 0, recorder);
  double seq = 0;
  int messages = 0;
  double loss_ratio = 0;
  const auto look = [&](const std::optional<Feedback>& feedback) {
    if (!feedback) return;
    ++messages;
    loss_ratio = feedback->values[kLossRatio];
  };
  for (int i = 0; i < 20; ++i) {  // one packet in ten is lost; every second frame is missing
    look(receiver.OnInboundCounters({AtMs(i * 50), i * 9.0, i * 1.0, DataSize::Bytes(i * 9 * 1000)}));
    look(receiver.OnArrival(Packet(seq += 2, i * 50, i * 50 + 1, 9000)));
  }
  // The first message comes before any loss; in all others p_inst is 0.1 (eq. 10).
  EXPECT_NEAR(loss_ratio, 0.1 * (1 - std::pow(0.9, messages - 1)), 1e-9);
  EXPECT_GE(messages, 9);
}

// During an outage the counters are still read, but they do not grow. Such a reading must not cause a message.
TEST(NadaReceiver, SaysNothingWhileNothingArrives) {
  Recorder recorder;
  Receiver receiver(nada_live(), 0, recorder);
  const auto read = [&](double ms, double packets) {
    return receiver.OnInboundCounters({AtMs(ms), packets, 0, DataSize::Bytes(packets * 1000)});
  };
  int seq = 0;
  for (; seq < 30; ++seq) {
    static_cast<void>(receiver.OnArrival(Packet(seq, seq * 33, seq * 33 + 30, 3000)));
    static_cast<void>(read(seq * 33 + 31, seq * 3));
  }
  for (double ms = 1000; ms < 5000; ms += 100) EXPECT_FALSE(read(ms, (seq - 1) * 3));
  EXPECT_TRUE(read(5000, seq * 3));
}

void ExpectSane(const RateUpdate& rate, const Parameters& p) {
  ASSERT_GE(rate.target.bps(), p.min_bitrate_bps);
  ASSERT_LE(rate.target.bps(), p.max_bitrate_bps);
  ASSERT_GE(rate.pacing.bps(), p.min_bitrate_bps);
  ASSERT_LE(rate.pacing.bps(), p.max_bitrate_bps);
  ASSERT_GE(rate.fraction_lost, 0);
  ASSERT_LE(rate.fraction_lost, 1);
}

// Clocks that jump forward and backward, reordering, gaps, repetitions, counters that run backwards, messages that are
// lost or come in bursts, and changes of parameters during the run.
TEST(NadaProperty, RatesStayWithinBoundsWhateverArrives) {
  constexpr double kSteps[] = {0, 0, 1, 500, 5000, 33333, 33333, 33333, 250e3, 4e6, 1e12, -1, -5000, -1e9};
  constexpr double kSizes[] = {0, 0, 1, 100, 1200, 1200, 5000, 1e6, 1e15};
  constexpr double kSeqSteps[] = {1, 1, 1, 1, 1, 1, 2, 50, 0, -3, -1e6, 1e9};
  int messages = 0;
  for (const Parameters& p : AllPresets()) {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
      Recorder recorder;
      Receiver receiver(p, 0, recorder);
      Sender sender(p);
      Random32 random(seed * 7919);
      const bool wild = seed % 2 == 0;
      double send_us = 0, arrival_us = 0, seq = 0;
      for (int i = 0; i < 500; ++i) {
        const bool odd = wild || random.Next(20) == 0;
        send_us += odd ? random.Pick(kSteps) : 33333;
        arrival_us += odd ? random.Pick(kSteps) : 33333 + random.Next(2000) - 1000.0;
        seq += odd ? random.Pick(kSeqSteps) : 1;
        Arrival arrival = Packet(seq, send_us / 1e3, arrival_us / 1e3, odd ? random.Pick(kSizes) : 4000);
        if (random.Next(3) == 0) arrival.rtt = TimeDelta::Micros(random.Pick(kSteps));
        auto feedback = receiver.OnArrival(arrival);
        if (random.Next(4) == 0) {
          const auto other = receiver.OnInboundCounters({Timestamp::Micros(arrival_us), random.Pick(kSizes),
                                                         random.Pick(kSteps), DataSize::Bytes(random.Pick(kSizes))});
          if (!feedback) feedback = other;
        }
        if (feedback && random.Next(5) != 0) {
          const ParameterError error = sender.Check(*feedback);
          ASSERT_FALSE(error) << error.field << " " << error.expectation;
          sender.OnFeedback(*feedback, Timestamp::Micros(arrival_us + random.Pick(kSteps)));
          ++messages;
        }
        sender.OnSent({Timestamp::Micros(arrival_us), DataSize::Zero(), DataSize::Bytes(random.Pick(kSizes))});
        if (random.Next(100) == 0) {
          const auto presets = AllPresets();
          const auto values = Values(random.Next(2) == 0 ? p : presets[random.Next(static_cast<std::uint32_t>(presets.size()))]);
          receiver.Configure(values.data());
          sender.Configure(values.data());
        }
        ExpectSane(sender.Process(Timestamp::Micros(arrival_us)), p);
      }
      const int table = static_cast<int>(TraceTable::kNada);
      const int bound = static_cast<int>(offsetof(NadaRow, bound_bps) / sizeof(double));
      for (int column = 0; column < static_cast<int>(sizeof(NadaRow) / sizeof(double)); ++column) {
        for (int row = 0; row < recorder.rows(table); ++row) {
          const double value = recorder.column(table, column)[row];
          // There is a bound only where frames have shown the capacity.
          if (column == bound && std::isnan(value)) continue;
          ASSERT_TRUE(std::isfinite(value)) << "column " << column;
          if (column == bound) {
            ASSERT_GT(value, 0);
          }
        }
      }
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(messages, 10'000);
}

// Messages in the right format with arbitrary values, such as an attacker may send.
TEST(NadaProperty, RatesStayWithinBoundsWhateverTheMessages) {
  constexpr double kSignals[] = {0, 0, 1, 25, 300, 3276.7, 1e15};
  constexpr double kRates[] = {0, 1, 50e3, 1e6, 1e15, std::numeric_limits<double>::infinity()};
  constexpr double kSteps[] = {0, 1, 100e3, 100e3, 1e12, -1e9};
  Random32 random(5);
  for (const Parameters& p : AllPresets()) {
    Sender sender(p);
    double now_us = 0;
    for (int i = 0; i < 20'000; ++i) {
      const double loss_ratio = random.Next(3) / 2.0;
      const Feedback feedback = Message(random.Next(2), random.Pick(kSignals), loss_ratio, random.Pick(kRates));
      ASSERT_FALSE(sender.Check(feedback));
      sender.OnFeedback(feedback, Timestamp::Micros(now_us += random.Pick(kSteps)));
      ExpectSane(sender.Process(Timestamp::Micros(now_us)), p);
    }
  }
}

TEST(NadaProperty, AllocatesNothingPerPacketOnceWarm) {
  for (const Parameters& p : AllPresets()) {
    Recorder recorder;
    recorder.KeepOnly(0);
    Receiver receiver(p, 0, recorder);
    Sender sender(p);
    int seq = 0;
    const auto run = [&](int packets) {
      for (int i = 0; i < packets; ++i, seq += seq % 50 == 0 ? 2 : 1) {
        const Timestamp now = AtMs(seq * 5 + (seq * 37) % 11);
        const auto feedback = receiver.OnArrival(Packet(seq, seq * 5, now.ms(), 1200));
        if (feedback) sender.OnFeedback(*feedback, now);
        static_cast<void>(sender.Process(now));
      }
    };
    run(2000);
    const long before = Allocations();
    run(5000);
    EXPECT_EQ(Allocations(), before);
  }
}

}  // namespace
}  // namespace ccscope::nada
