// Random links with cross traffic, for every discipline, with random changes of settings. Every packet must be
// accounted for, and the times of polling must not change any result.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/native/loaded_link_support.h"

namespace ccscope {
namespace {

constexpr double kSeconds = 12;

// Drives a link: sends packets of several flows, and changes settings. The same seed gives the same sequence of
// operations. Before each packet, the callback `look` may poll the link. Polling must not change any result.
class Caller {
 public:
  Caller(const QueueSpec& queue, std::uint64_t seed)
      : random_(seed), link_(DrawParams(), Make(queue)), queue_(queue) {}

  template <class Look>
  void Run(Look look) {
    Change();
    for (double id = 0; now_us_ < kSeconds * 1e6; ++id) {
      const double pause = Chance(0.02) ? Between(0, 400e3) : Between(0, 8e3);
      // Half of the pauses are whole numbers of microseconds, so that events may coincide.
      const double next_us = now_us_ + (Chance(0.5) ? std::floor(pause) : pause);
      look(link_, now_us_, next_us);
      now_us_ = next_us;
      const int flow = static_cast<int>(Between(0, 3));
      const DropReason reason = link_.Enqueue(id, DataSize::Bytes(std::floor(Between(60, 1500))), flow, now());
      if (reason != DropReason::kNone) outcome_.Add(id, now(), reason);
      ++offered_;
      if (Chance(0.01)) Change();
      CheckCounts();
    }
    link_.SetCrossTraffic({}, now());
    link_.At(now()).SetCapacity(DataRate::KilobitsPerSec(2000), now());
    link_.SetOutages({}, now());
    now_us_ += 60e6;
    Poll(now_us_);
    CheckCounts();
    EXPECT_EQ(link_.link().packets_inside(), 0);
    EXPECT_EQ(outcome_.deliveries.size() / 7 + outcome_.drops.size() / 3, offered_);
  }

  void Poll(double us) {
    deliveries_.clear();
    drops_.clear();
    link_.Poll(Timestamp::Micros(us), deliveries_, drops_);
    for (const auto& delivery : deliveries_) outcome_.Add(delivery);
    for (const auto& drop : drops_) outcome_.Add(drop.packet.id, drop.time, drop.reason);
  }
  const std::vector<Link::Delivery>& deliveries() const { return deliveries_; }

  // The outcome, with its drops sorted by packet, and with the statistics of the cross traffic after the drops. Some
  // drops are reported only when the link is polled, so the order of the reports depends on the times of polling.
  Outcome Sorted() const {
    Outcome sorted = outcome_;
    std::vector<std::vector<double>> drops;
    for (std::size_t i = 0; i < sorted.drops.size(); i += 3) {
      drops.emplace_back(sorted.drops.begin() + static_cast<long>(i), sorted.drops.begin() + static_cast<long>(i) + 3);
    }
    std::sort(drops.begin(), drops.end());
    sorted.drops.clear();
    for (const auto& drop : drops) sorted.drops.insert(sorted.drops.end(), drop.begin(), drop.end());
    const Link::Stats& cross = link_.link().cross_stats();
    sorted.drops.insert(sorted.drops.end(), {cross.offered_packets, cross.offered.bytes(), cross.departed.bytes(),
                                             cross.lost_packets, cross.dropped_packets});
    return sorted;
  }
  double cross_packets() const { return link_.link().cross_stats().departed_packets; }

 private:
  double Between(double low, double high) { return low + (high - low) * random_.Uniform(); }
  bool Chance(double probability) { return random_.Uniform() < probability; }
  Timestamp now() const { return Timestamp::Micros(now_us_); }

  Link::Params DrawParams() {
    Link::Params params;
    params.bottleneck.mode = Chance(0.5) ? CapacityLink::Mode::kSerial : CapacityLink::Mode::kTokenBucket;
    params.bottleneck.capacity = DataRate::KilobitsPerSec(std::floor(Between(300, 8000)));
    params.one_way_delay = TimeDelta::Millis(Chance(0.2) ? 0 : std::floor(Between(1, 60)));
    params.loss_ratio = Chance(0.5) ? 0 : Between(0, 0.05);
    params.burst_loss_packets = Chance(0.5) ? 1 : Between(1, 6);
    params.jitter = TimeDelta::Millis(Chance(0.6) ? 0 : Between(0, 10));
    if (Chance(0.3)) params.outages = {TimeDelta::Millis(100), TimeDelta::Millis(20), 1};
    params.seed = random_.Next();
    return params;
  }

  void Change() {
    const int what = static_cast<int>(Between(0, 7));
    if (what < 3 || now_us_ == 0) {
      link_.SetCrossTraffic({static_cast<int>(Between(0, 4)), static_cast<int>(Between(0, 3))}, now());
    } else if (what == 3) {
      const double kbps = Chance(0.1) ? 0 : std::floor(Between(300, 8000));
      link_.At(now()).SetCapacity(DataRate::KilobitsPerSec(kbps), now());
      link_.link().ClearSchedule();
      link_.link().ScheduleCapacity(now() + TimeDelta::Millis(300), DataRate::KilobitsPerSec(1500));
    } else if (what == 4) {
      link_.At(now()).SetOneWayDelay(TimeDelta::Millis(std::floor(Between(0, 60))), now());
    } else if (what == 5) {
      link_.At(now()).SetQueue(Make(queue_), now());
    } else {
      link_.SetOutages({TimeDelta::Millis(50), TimeDelta::Millis(Chance(0.5) ? 0 : 10), 2}, now());
    }
  }

  void CheckCounts() {
    const Link& link = link_.link();
    const double inside = link.stats().packets_inside() + link.cross_stats().packets_inside();
    ASSERT_EQ(inside, link.packets_inside());
    ASSERT_GE(link.stats().packets_inside(), 0);
    ASSERT_GE(link.cross_stats().packets_inside(), 0);
  }

  Random random_;
  LoadedLink link_;
  QueueSpec queue_;
  double now_us_ = 0;
  std::size_t offered_ = 0;
  Outcome outcome_;
  std::vector<Link::Delivery> deliveries_;
  std::vector<Link::Drop> drops_;
};

class AnyQueue : public testing::TestWithParam<int> {
 protected:
  const QueueSpec queue = AllQueues()[static_cast<std::size_t>(GetParam())];
};

TEST_P(AnyQueue, ResultsDoNotDependOnWhenTheLinkIsLookedAt) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Caller seldom(queue, seed);
    seldom.Run([](LoadedLink&, double, double) {});
    Caller often(queue, seed);
    Random random(seed + 1000);
    often.Run([&](LoadedLink& link, double from_us, double to_us) {
      for (int i = static_cast<int>(4 * random.Uniform()); i > 0; --i) {
        from_us += (to_us - from_us) * random.Uniform();
        if (random.Uniform() < 0.3) link.At(Timestamp::Micros(from_us)).QueueDelay(Timestamp::Micros(from_us));
        often.Poll(from_us);
      }
    });
    const Outcome a = seldom.Sorted();
    const Outcome b = often.Sorted();
    ASSERT_EQ(a.deliveries, b.deliveries) << "seed " << seed;
    ASSERT_EQ(a.drops, b.drops) << "seed " << seed;
    EXPECT_GT(seldom.cross_packets(), 100) << "seed " << seed;
  }
}

// A caller that polls at each NextEvent() gets every delivery on time, without too many polls.
TEST_P(AnyQueue, NothingIsDeliveredBeforeTheNextEvent) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Caller caller(queue, seed);
    double polls = 0;
    caller.Run([&](LoadedLink& link, double from_us, double to_us) {
      caller.Poll(from_us);
      for (double next = link.NextEvent().us(); next <= to_us; next = link.NextEvent().us()) {
        ASSERT_GT(next, from_us);
        caller.Poll(from_us = next);
        for (const auto& delivery : caller.deliveries()) ASSERT_EQ(delivery.deliver.us(), next);
        ASSERT_LT(++polls, 100'000);
      }
    });
  }
}

INSTANTIATE_TEST_SUITE_P(LoadedLink, AnyQueue, testing::Range(0, 5));

}  // namespace
}  // namespace ccscope
