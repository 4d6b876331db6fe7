#include "sim/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "sim/random.h"

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

// Against a sorted map from (deadline, order in which it was set) to source.
TEST(EventQueue, AgreesWithASortedMapOverRandomOperations) {
  Random random(7);
  EventQueue queue;
  constexpr int kSources = 37;
  for (int i = 0; i < kSources; ++i) queue.Add();
  std::map<std::pair<double, int>, EventQueue::Source> model;
  std::map<EventQueue::Source, std::pair<double, int>> key_of;
  double now = 0;
  for (int order = 0; order < 20000; ++order) {
    const auto source = static_cast<EventQueue::Source>(random.Next() % kSources);
    const double at = now + static_cast<double>(random.Next() % 50);
    const auto known = key_of.find(source);
    if (known == key_of.end() || known->second.first != at) {
      if (known != key_of.end()) model.erase(known->second);
      model[{at, order}] = source;
      key_of[source] = {at, order};
    }
    queue.Schedule(source, At(at));
    if (random.Next() % 3 != 0) continue;
    const auto first = *model.begin();
    model.erase(model.begin());
    key_of.erase(first.second);
    ASSERT_EQ(queue.next_time(), At(first.first.first));
    ASSERT_EQ(queue.Pop(), first.second);
    now = first.first.first;
  }
}

}  // namespace
}  // namespace ccscope
