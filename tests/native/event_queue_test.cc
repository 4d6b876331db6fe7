#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "units/random.h"

namespace ccscope {
namespace {

Timestamp At(double us) { return Timestamp::Micros(us); }

TEST(EventQueue, GivesTheEarliestDeadlineFirst) {
  EventQueue queue;
  const auto a = queue.Add();
  const auto b = queue.Add();
  const auto c = queue.Add();
  queue.Schedule(a, At(30));
  queue.Schedule(b, At(10));
  queue.Schedule(c, At(20));
  EXPECT_EQ(queue.next_time(), At(10));
  EXPECT_EQ(queue.Pop(), b);
  EXPECT_EQ(queue.Pop(), c);
  EXPECT_EQ(queue.Pop(), a);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), Timestamp::PlusInfinity());
}

TEST(EventQueue, EqualDeadlinesComeInTheOrderInWhichTheyWereSet) {
  EventQueue queue;
  std::vector<EventQueue::Source> sources;
  for (int i = 0; i < 20; ++i) sources.push_back(queue.Add());
  for (int i = 19; i >= 0; --i) queue.Schedule(sources[static_cast<std::size_t>(i)], At(5));
  for (int i = 19; i >= 0; --i) EXPECT_EQ(queue.Pop(), sources[static_cast<std::size_t>(i)]);
}

TEST(EventQueue, ADeadlineThatMovesTakesItsTurnAnew) {
  EventQueue queue;
  const auto a = queue.Add();
  const auto b = queue.Add();
  queue.Schedule(a, At(5));
  queue.Schedule(b, At(5));
  queue.Schedule(a, At(6));
  queue.Schedule(a, At(5));
  EXPECT_EQ(queue.Pop(), b);
  EXPECT_EQ(queue.Pop(), a);
}

TEST(EventQueue, InfinityTakesASourceOut) {
  EventQueue queue;
  const auto a = queue.Add();
  queue.Schedule(a, At(5));
  EXPECT_EQ(queue.deadline(a), At(5));
  queue.Schedule(a, Timestamp::PlusInfinity());
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.deadline(a), Timestamp::PlusInfinity());
}

TEST(EventQueue, FindsDeadlinesThatAreFarApart) {
  EventQueue queue;
  const std::vector<double> times = {0, 1, 1023, 1024, 524287, 524288, 524289, 1e6, 3e8, 3.6e9, 1e12, 1e15, 1e15 + 2, 1e300};
  std::vector<EventQueue::Source> sources;
  for (std::size_t i = 0; i < times.size(); ++i) sources.push_back(queue.Add());
  for (std::size_t i = times.size(); i-- > 0;) queue.Schedule(sources[i], At(times[i]));
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(queue.next_time(), At(times[i]));
    EXPECT_EQ(queue.Pop(), sources[i]);
  }
  EXPECT_TRUE(queue.empty());
}

// The deadline behaves like a retransmission timer: it is set far ahead, postponed repeatedly, and sometimes brought
// forward.
TEST(EventQueue, ADeadlineMayMoveOnAndBack) {
  EventQueue queue;
  const auto timer = queue.Add();
  const auto clock = queue.Add();
  for (double ms = 0; ms < 5000; ms += 7) {
    queue.Schedule(clock, At(1e3 * ms));
    queue.Schedule(timer, At(1e3 * (ms + 600)));
    ASSERT_EQ(queue.Pop(), clock) << ms;
  }
  queue.Schedule(timer, At(5100e3));
  queue.Schedule(clock, At(5200e3));
  EXPECT_EQ(queue.next_time(), At(5100e3));
  queue.Schedule(clock, At(5050e3));
  EXPECT_EQ(queue.Pop(), clock);
  EXPECT_EQ(queue.Pop(), timer);
}

// Compares the queue with a model: a map that is sorted by deadline, then by the order in which deadlines were set. The
// parameter is the time scale.
class EventQueueScales : public ::testing::TestWithParam<double> {};

TEST_P(EventQueueScales, AgreeWithASortedMapOverRandomOperations) {
  Random random(7);
  EventQueue queue;
  constexpr int kSources = 37;
  for (int i = 0; i < kSources; ++i) queue.Add();
  std::map<std::pair<double, int>, EventQueue::Source> model;
  std::map<EventQueue::Source, std::pair<double, int>> key_of;
  double now = 0;
  for (int order = 0; order < 20000; ++order) {
    const auto source = static_cast<EventQueue::Source>(random.Next() % kSources);
    const bool out = random.Next() % 16 == 0;
    const double at = out ? kInfinity : now + GetParam() * static_cast<double>(random.Next() % 50);
    const auto known = key_of.find(source);
    if (known == key_of.end() || known->second.first != at) {
      if (known != key_of.end()) model.erase(known->second);
      key_of.erase(source);
      if (!out) model[key_of[source] = {at, order}] = source;
    }
    queue.Schedule(source, At(at));
    ASSERT_EQ(queue.empty(), model.empty());
    if (random.Next() % 3 != 0 || model.empty()) continue;
    const auto first = *model.begin();
    model.erase(model.begin());
    key_of.erase(first.second);
    ASSERT_EQ(queue.next_time(), At(first.first.first));
    ASSERT_EQ(queue.Pop(), first.second);
    now = first.first.first;
  }
}

INSTANTIATE_TEST_SUITE_P(Microseconds, EventQueueScales, ::testing::Values(0.01, 1, 37, 1000, 9000, 1e6, 1e9));

}  // namespace
}  // namespace ccscope
