// Tests PIE against RFC 8033 and Linux 3.16. The numbers are computed by hand from
//   p += factor(p) * (alpha * (delay - target) + beta * (delay - old delay))
// with alpha 0.125/s and beta 1.25/s.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/native/queue_support.h"

namespace ccscope {
namespace {

// A queue of constant length: one packet is served in each packet time, and the queue is then refilled.
class ServedQueue {
 public:
  ServedQueue(const Pie::Params& params, double packet_bytes, double packets)
      : pie(params, 1), bytes_(packet_bytes), packets_(packets) {}

  // Serves at 1 Mbps up to and including `until_ms`.
  void Run(double until_ms) {
    const double packet_time_ms = bytes_ * 8 / 1000;
    for (; now_ms_ <= until_ms; now_ms_ += packet_time_ms) {
      const Timestamp now = Timestamp::Millis(now_ms_);
      pie.Dequeue(now, drops);
      // Offers packets until the queue is full again: 1000 tries are enough while the probability is below 1.
      for (int tries = 0; pie.stats().packets < packets_ && tries < 1000; ++tries) {
        pie.Enqueue(PacketAt(id_++, bytes_, now), now, drops);
      }
    }
  }
  // The probability after the update that is due at `ms`. The next packet triggers this update.
  double ProbabilityAt(double ms) {
    Run(ms + bytes_ * 8 / 1000 - 1e-6);
    return pie.state().probability;
  }
  void set_packets(double packets) { packets_ = packets; }
  double offered() const { return id_; }

  Pie pie;
  DropLog drops;

 private:
  double bytes_;
  double packets_;
  double now_ms_ = 0;
  double id_ = 0;
};

// 1024 B take 8.192 ms. DQ_THRESHOLD is 16 such packets, which take 131.072 ms. With 17 packets waiting, the delay is
// 139.264 ms.
TEST(Pie, TheProbabilityFollowsTheEquationsOfTheRfc) {
  ServedQueue queue(PiePreset("pie-rfc8033"), 1024, 17);
  // The measurement begins with the departure at 8.192 ms and ends 16 packets later, at 139.264 ms.
  EXPECT_EQ(queue.ProbabilityAt(135), 0);
  // The factor is 1/2048, then 1/128, 1/32 (twice), 1/8 (five times) and 1/2.
  const std::vector<double> expected = {9.258447e-05, 2.139360e-04, 6.993423e-04, 1.184749e-03,
                                        3.126374e-03, 5.067999e-03, 7.009624e-03, 8.951249e-03,
                                        1.089287e-02, 1.865937e-02, 2.642587e-02, 3.419237e-02};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(queue.ProbabilityAt(150 + 15 * static_cast<double>(i)), expected[i], 1e-6 * expected[i]) << i;
    EXPECT_NEAR(queue.pie.state().delay.ms(), 139.264, 1e-9);
  }
}

// 1000 B take 8 ms. The first measurement begins at 8 ms and also counts the packet with which it begins, so it counts
// 10 kB in 72 ms. All later measurements take 80 ms; each new rate has a weight of 1/8 in the average. The first update
// is at 500 ms.
TEST(Pie, TheProbabilityFollowsTheEquationsOfLinux) {
  ServedQueue queue(PiePreset("pie"), 1000, 20);
  queue.Run(499);
  EXPECT_EQ(queue.pie.state().probability, 0);
  EXPECT_EQ(queue.pie.state().burst_allowance, TimeDelta::Zero());  // used up by measurements of 72 and 80 ms
  struct Row {
    double ms;
    double delay_ms;
    double probability;
  };
  // The factor is 1/8, then 1/2 up to 10 %, then 1; from 10 %, p grows by at most 2 % per update.
  for (const Row& row : std::vector<Row>{{500, 151.373256, 0.025704778},
                                         {530, 151.373256, 0.033915607},
                                         {560, 151.373256, 0.042126435},
                                         {590, 152.400380, 0.051043412},
                                         {620, 152.400380, 0.059318436},
                                         {650, 153.310617, 0.068219247},
                                         {680, 153.310617, 0.076551160},
                                         {710, 153.310617, 0.084883074},
                                         {740, 154.116039, 0.093768716},
                                         {770, 154.116039, 0.102150968},
                                         {800, 154.116039, 0.118915473},
                                         {830, 154.827759, 0.136658592}}) {
    EXPECT_NEAR(queue.ProbabilityAt(row.ms), row.probability, 1e-8) << row.ms;
    EXPECT_NEAR(queue.pie.state().delay.ms(), row.delay_ms, 1e-5) << row.ms;
  }
}

TEST(Pie, AutoTuningIsThatOfTheTables) {
  struct Row {
    double probability;
    double rfc;    // RFC 8033, 4.2
    double linux;  // sch_pie of Linux 3.16
  };
  const Row rows[] = {
      {0, 2048, 8},       {0.00000099, 2048, 8}, {0.000001, 512, 8}, {0.0000099, 512, 8}, {0.00001, 128, 8},
      {0.000099, 128, 8}, {0.0001, 32, 8},       {0.00099, 32, 8},   {0.001, 8, 8},       {0.0099, 8, 8},
      {0.01, 2, 2},       {0.099, 2, 2},         {0.1, 1, 1},        {1, 1, 1},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Pie::TuningFactor(PiePreset("pie-rfc8033"), row.probability), 1 / row.rfc) << row.probability;
    EXPECT_EQ(Pie::TuningFactor(PiePreset("pie"), row.probability), 1 / row.linux) << row.probability;
  }
}

TEST(Pie, TheProbabilityGrowsByAtMostTwoPercentFromTenPercentOnAndByTwoMoreInLinuxAbove250Ms) {
  // 50 packets wait 400 ms. alpha * 0.38 s alone is 4.75 %, more than either limit.
  for (const auto& [preset, step] : {std::pair{"pie", 0.04}, std::pair{"pie-rfc8033", 0.02}}) {
    Pie::Params params = PiePreset(preset);
    ServedQueue queue(params, 1000, 50);
    double ms = 500;
    while (queue.ProbabilityAt(ms) < 0.1) ms += params.t_update_ms;
    const double before = queue.pie.state().probability;
    EXPECT_NEAR(queue.ProbabilityAt(ms + params.t_update_ms), before + step, 1e-9) << preset;
  }
}

TEST(Pie, ABurstPassesUntilItsAllowanceIsUsedUp) {
  // RFC 8033, 4.4: the allowance of 150 ms shrinks by 15 ms per update once the delay is known. The first such update
  // is at 150 ms; the tenth, at 285 ms, uses up the allowance.
  ServedQueue queue(PiePreset("pie-rfc8033"), 1024, 17);
  queue.ProbabilityAt(270);
  EXPECT_EQ(queue.pie.state().burst_allowance.ms(), 15);
  queue.ProbabilityAt(285);
  EXPECT_EQ(queue.pie.state().burst_allowance.ms(), 0);
  EXPECT_TRUE(queue.drops.entries.empty());
  queue.Run(3000);
  EXPECT_FALSE(queue.drops.entries.empty());
  EXPECT_EQ(queue.drops.entries[0].reason, DropReason::kPie);
  EXPECT_GT(queue.drops.entries[0].time_us, 285e3);
}

TEST(Pie, LinuxAllowsABurstUntilTheDepartureRateIsKnown) {
  // The departure rate is measured over 10 kB, which 9 packets of 1000 B never reach. So there are no drops, however
  // long packets wait.
  ServedQueue queue(PiePreset("pie"), 1000, 9);
  queue.Run(60000);
  EXPECT_EQ(queue.pie.state().delay, TimeDelta::Zero());
  EXPECT_EQ(queue.pie.state().burst_allowance.ms(), 100);
  EXPECT_TRUE(queue.drops.entries.empty());
}

TEST(Pie, LinuxMeasuresAnewOnceTheCongestionIsOver) {
  ServedQueue queue(PiePreset("pie"), 1000, 20);
  queue.Run(1000);
  EXPECT_GT(queue.pie.state().probability, 0.1);
  queue.set_packets(1);
  queue.Run(1000 + 3 * 60000);
  EXPECT_EQ(queue.pie.state().probability, 0);
  EXPECT_EQ(queue.pie.state().delay, TimeDelta::Zero());  // the delay is unknown again
  EXPECT_EQ(queue.pie.state().burst_allowance.ms(), 100);
}

// RFC 8033, 4.2: if p is above 10 %, it becomes 0.98 * (p + alpha * (0 - target)).
TEST(Pie, WithoutAQueueTheProbabilityDecaysByTwoPercentPerUpdate) {
  for (const char* preset : {"pie", "pie-rfc8033"}) {
    Pie::Params params = PiePreset(preset);
    params.beta_per_s = 0;
    ServedQueue queue(params, 1000, 50);
    queue.Run(2500);
    DropLog drops;
    Timestamp now = Timestamp::Seconds(2.5);
    while (queue.pie.Dequeue(now, drops)) {
    }
    now += params.t_update() * 3;  // after three updates, the old delay is zero, too
    queue.pie.Dequeue(now, drops);
    double expected = queue.pie.state().probability;
    ASSERT_GT(expected, 0.5) << preset;
    now += params.t_update() * 10;
    queue.pie.Dequeue(now, drops);
    for (int i = 0; i < 10; ++i) expected = 0.98 * (expected - 0.125 * params.target_ms / 1000);
    EXPECT_NEAR(queue.pie.state().probability, expected, 1e-12) << preset;
  }
}

TEST(Pie, DropsInProportionToTheProbability) {
  // In Linux before 5.1, which has no derandomisation (RFC 8033, 5.4), each packet is dropped with this probability.
  Pie::Params frozen = PiePreset("pie");
  frozen.t_update_ms = 10000;  // one update at 500 ms, the next at 10.5 s
  ServedQueue constant(frozen, 1000, 30);
  constant.Run(520);
  const double constant_p = constant.pie.state().probability;
  ASSERT_GT(constant_p, 0.02);
  const double offered = constant.offered();
  const std::size_t dropped = constant.drops.entries.size();
  constant.Run(10000);
  const double n = constant.offered() - offered;
  const double drops = static_cast<double>(constant.drops.entries.size() - dropped);
  EXPECT_NEAR(drops / n, constant_p, 4 * std::sqrt(constant_p / n));
}

// RFC 8033, 5.4: from one drop to the next, the packets' probabilities add up to at least 0.85 and at most 8.5. Chance
// alone would exceed 8.5 with a probability of exp(-7.65), once in 2100 drops.
TEST(Pie, DropsOfTheRfcKeepTheirDistance) {
  Pie pie(PiePreset("pie-rfc8033"), 3);
  DropLog drops;
  double accumulated = 0;
  double long_distances = 0;
  Timestamp next_departure;
  // The load is 20 % above the 10 Mbps of the link, so one packet in 6 has to be dropped. Between drops there are
  // 0.85/p packets that cannot be dropped and then 1/p that can, so p settles near 1.85/6.
  for (double id = 0; id < 300000; ++id) {
    const Timestamp now = Timestamp::Millis(id * 0.8 / 1.2);
    for (; next_departure <= now; next_departure += TimeDelta::Millis(0.8)) pie.Dequeue(next_departure, drops);
    const std::size_t before = drops.entries.size();
    pie.Enqueue(PacketAt(id, 1000, now), now, drops);
    if (drops.entries.size() == before) {
      accumulated = pie.state().accumulated;
      ASSERT_LT(accumulated, 8.5);
      continue;
    }
    ASSERT_EQ(drops.entries.back().reason, DropReason::kPie);
    ASSERT_GE(accumulated + pie.state().probability, 0.85);
    if (accumulated + pie.state().probability >= 8.5) ++long_distances;
    accumulated = 0;
    drops.entries.resize(1);
  }
  EXPECT_NEAR(pie.state().probability, 1.85 / 6, 0.08);
  EXPECT_GT(long_distances, 0);
  EXPECT_LT(long_distances, 100);
}

// At 100 kbps, two packets of the size of the MTU wait for 242 ms, far above the target.
TEST(Pie, SparesAQueueOfTwoPackets) {
  struct Row {
    const char* preset;
    double bytes;
    bool drops;
  };
  // Linux drops nothing while the queue holds less than two MTUs of 1514 B. The RFC drops nothing at exactly two MTUs,
  // either.
  for (const Row& row : {Row{"pie", 1513, false}, Row{"pie", 1514, true}, Row{"pie-rfc8033", 1514, false},
                         Row{"pie-rfc8033", 1515, true}}) {
    Pie::Params params = PiePreset(row.preset);
    params.dq_threshold_bytes = 1000;
    Pie pie(params, 1);
    DropLog drops;
    Timestamp now;
    for (int i = 0; i < 300; ++i, now += TimeDelta::Millis(121.12)) {
      pie.Dequeue(now, drops);
      // The third packet is offered while two are in the queue.
      for (int k = 0; k < 3 && pie.stats().packets < 3; ++k) pie.Enqueue(PacketAt(0, row.bytes, now), now, drops);
      while (pie.stats().packets > 2) pie.Dequeue(now, drops);
    }
    EXPECT_GT(pie.state().probability, 0.5) << row.preset << row.bytes;
    EXPECT_EQ(drops.entries.empty(), !row.drops) << row.preset << row.bytes;
  }
}

// The target is 100 ms, so half of it is 50 ms. While p is below 20 %, nothing is dropped from a queue of 5 packets (40
// ms).
TEST(Pie, SparesADelayBelowHalfOfTheTargetWhileTheProbabilityIsLow) {
  for (const char* preset : {"pie", "pie-rfc8033"}) {
    Pie::Params params = PiePreset(preset);
    params.target_ms = 100;
    params.beta_per_s = 0;
    ServedQueue queue(params, 1000, 50);
    for (double ms = 500; queue.pie.state().probability < 0.7; ms += 30) queue.Run(ms);
    queue.set_packets(5);
    double ms = queue.drops.entries.back().time_us / 1e3;
    while (queue.pie.state().delay >= TimeDelta::Millis(50)) queue.Run(ms += 8);
    double drops_above = 0;
    while (queue.pie.state().probability > 0) {
      const std::size_t before = queue.drops.entries.size();
      queue.Run(ms += 8);
      if (queue.drops.entries.size() == before) continue;
      EXPECT_GE(queue.pie.state().probability, 0.2) << preset;
      if (queue.pie.state().probability < 0.4) ++drops_above;
    }
    EXPECT_GT(drops_above, 2) << preset;
  }
}

// 10 kB take 100 ms, then 200 ms. Linux averages rates: 7/8 of 100 B/ms and 1/8 of 50 B/ms. The RFC averages times: 3/4
// of 100 ms and 1/4 of 200 ms.
TEST(DepartureRate, AveragesRatesOrTimes) {
  struct Row {
    DepartureRate::Average average;
    double first_ms;
    double second_ms;
  };
  const DataSize threshold = DataSize::Bytes(10000);
  for (const Row& row : {Row{DepartureRate::Average::kRate, 100, 10000 / 93.75},
                         Row{DepartureRate::Average::kTime, 100, 125}}) {
    DepartureRate rate(row.average, threshold);
    EXPECT_EQ(rate.DelayOf(threshold), TimeDelta::Zero());
    const auto depart = [&](double bytes, double ms) {
      return rate.OnDeparture(DataSize::Bytes(bytes), threshold, Timestamp::Millis(ms));
    };
    // The packet of 0 B only begins the measurement.
    EXPECT_FALSE(depart(0, 0));
    EXPECT_FALSE(depart(9999, 99));
    EXPECT_EQ(depart(1, 100), TimeDelta::Millis(100));
    EXPECT_NEAR(rate.DelayOf(threshold).ms(), row.first_ms, 1e-9);
    EXPECT_EQ(depart(10000, 300), TimeDelta::Millis(200));
    EXPECT_NEAR(rate.DelayOf(threshold).ms(), row.second_ms, 1e-9);
  }
}

// Linux computes the departure rate as a whole number, in units of 1/256 B per tick of 64 ns. 10 kB in 80 ms are
// 2,560,000 / 1,250,000 = 2.05, rounded down to 2. So the estimated time for 10 kB is 1,280,000 ticks. The average
// stays at 2, since an eighth of 2 is 0 in integers. At 300 kbps the rate is rounded down to 0, which means that it is
// not known.
TEST(DepartureRate, IsAWholeNumberWhereLinuxComputesIt) {
  const DataSize threshold = DataSize::Bytes(10000);
  for (const double took_ms : {80.0, 266.7}) {
    DepartureRate rate(DepartureRate::Average::kRate, threshold, true);
    const auto depart = [&](double bytes, double ms) {
      return rate.OnDeparture(DataSize::Bytes(bytes), threshold, Timestamp::Millis(ms));
    };
    depart(0, 0);
    EXPECT_TRUE(depart(10000, took_ms));
    EXPECT_EQ(rate.known(), took_ms < 100);
    EXPECT_NEAR(rate.DelayOf(threshold).ms(), took_ms < 100 ? 81.92 : 0, 1e-9);
    EXPECT_TRUE(depart(10000, took_ms + 60));  // 2.73 units
    EXPECT_NEAR(rate.DelayOf(threshold).ms(), 81.92, 1e-9);
  }
}

TEST(Pie, UpdatesThatWereDueInASilenceAreMadeUpFor) {
  // Offering a packet at every millisecond, or once at the end, gives the same result.
  for (const char* preset : {"pie", "pie-rfc8033"}) {
    Pie::Params params = PiePreset(preset);
    params.limit_packets = 30;  // the offered packet is refused and changes nothing
    ServedQueue often(params, 1000, 30);
    ServedQueue once(params, 1000, 30);
    often.Run(550);
    once.Run(550);
    DropLog drops;
    const auto ask = [&](ServedQueue& queue, double ms) {
      const Timestamp now = Timestamp::Millis(ms);
      queue.pie.Enqueue(PacketAt(-1, 1, now), now, drops);
    };
    for (double ms = 551; ms <= 900; ++ms) ask(often, ms);
    ask(once, 900);
    EXPECT_GT(often.pie.pie_stats().updates, 13);
    EXPECT_EQ(often.pie.pie_stats().updates, once.pie.pie_stats().updates) << preset;
    EXPECT_EQ(often.pie.state().probability, once.pie.state().probability) << preset;
    EXPECT_EQ(often.pie.state().next_update, once.pie.state().next_update) << preset;
  }
}

TEST(Pie, ASilenceOfYearsTakesNoTime) {
  for (const char* preset : {"pie", "pie-rfc8033"}) {
    ServedQueue queue(PiePreset(preset), 1000, 30);
    queue.Run(1000);
    DropLog drops;
    queue.pie.Dequeue(Timestamp::Seconds(3e9), drops);
    EXPECT_LE(queue.pie.pie_stats().updates, 20000);
    EXPECT_GT(queue.pie.state().next_update, Timestamp::Seconds(3e9));
    EXPECT_EQ(queue.pie.state().probability, 1);  // 1, since no packet left during the silence
  }
}

TEST(Pie, TheLimitRefusesWhatArrives) {
  Pie::Params params;
  params.limit_packets = 2;
  Pie pie(params, 1);
  DropLog drops;
  for (double id = 0; id < 3; ++id) pie.Enqueue(PacketAt(id, 1000, {}), {}, drops);
  ASSERT_EQ(drops.ids(), std::vector<double>{2});
  EXPECT_EQ(drops.entries[0].reason, DropReason::kQueueFull);
}

}  // namespace
}  // namespace ccscope
