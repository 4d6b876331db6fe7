#include "sim/tcp/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "units/random.h"

namespace ccscope::tcp {
namespace {

Scoreboard WithOutstanding(int n, bool fack = false) {
  Scoreboard board(fack);
  for (int i = 0; i < n; ++i) board.Append();
  return board;
}

// RFC 6675, section 4, IsLost: a segment is lost if three segments with higher numbers were received.
TEST(Scoreboard, ASegmentIsLostWhenThreeAboveItWereReceived) {
  Scoreboard board = WithOutstanding(10);
  board.Sack(5, 7);
  board.DetectLosses();
  EXPECT_FALSE(board.IsLost(0));
  EXPECT_EQ(board.pipe(), 8);
  board.Sack(8, 9);
  board.DetectLosses();
  for (int seq = 0; seq < 5; ++seq) EXPECT_TRUE(board.IsLost(seq)) << seq;
  EXPECT_FALSE(board.IsLost(7));
  EXPECT_EQ(board.pipe(), 2);  // segments 7 and 9
  EXPECT_EQ(board.NextLost(), 0);
  board.MarkRetransmitted(0);
  EXPECT_EQ(board.pipe(), 3);
  EXPECT_EQ(board.NextLost(), 1);
  board.AckUpTo(1);
  EXPECT_EQ(board.pipe(), 2);
}

// With FACK it does not matter which segments in between were received.
TEST(Scoreboard, WithFackASegmentIsLostWhenTheThirdAboveItWasReceived) {
  Scoreboard board = WithOutstanding(10, true);
  board.Sack(2, 3);
  board.DetectLosses();
  EXPECT_FALSE(board.IsLost(0));
  board.Sack(4, 5);
  board.DetectLosses();
  EXPECT_TRUE(board.IsLost(0));
  EXPECT_TRUE(board.IsLost(1));
  EXPECT_FALSE(board.IsLost(3));
  // 10 outstanding, 2 received, 2 lost.
  EXPECT_EQ(board.pipe(), 6);
}

TEST(Scoreboard, WithFackARetransmissionIsLostWhenSomethingSentAfterItArrives) {
  Scoreboard board = WithOutstanding(10, true);
  board.Sack(5, 6);
  board.DetectLosses();
  board.MarkRetransmitted(board.NextLost());
  board.Append();  // segment 10
  board.Sack(6, 10);
  board.DetectLosses();
  EXPECT_EQ(board.NextLost(), 1);
  board.Sack(10, 11);
  board.DetectLosses();
  EXPECT_EQ(board.NextLost(), 0);  // the retransmission of segment 0 is lost
}

TEST(Scoreboard, AfterATimeoutAllThatWasNotReceivedIsLost) {
  Scoreboard board = WithOutstanding(6);
  board.Sack(2, 4);
  board.DetectLosses();
  board.MarkAllLost();
  EXPECT_EQ(board.pipe(), 0);
  for (const int seq : {0, 1, 4, 5}) {
    ASSERT_EQ(board.NextLost(), seq);
    board.MarkRetransmitted(seq);
  }
  EXPECT_EQ(board.NextLost(), Scoreboard::kNone);
  EXPECT_EQ(board.pipe(), 4);
}

// A model for comparison: instead of a ring, a map that is searched in full.
struct Model {
  struct Entry {
    bool sacked = false;
    bool lost = false;
    bool retransmitted = false;
  };
  std::map<std::int64_t, Entry> entries;

  void DetectLosses() {
    int above = 0;
    for (auto e = entries.rbegin(); e != entries.rend(); ++e) {
      if (e->second.sacked) {
        ++above;
      } else if (above >= 3) {
        e->second.lost = true;
      }
    }
  }
  std::int64_t pipe() const {
    return std::count_if(entries.begin(), entries.end(), [](const auto& e) {
      return !e.second.sacked && (!e.second.lost || e.second.retransmitted);
    });
  }
  std::int64_t next_lost() const {
    for (const auto& [seq, e] : entries)
      if (!e.sacked && e.lost && !e.retransmitted) return seq;
    return Scoreboard::kNone;
  }
};

TEST(Scoreboard, AgreesWithAModelThatLooksAtEverything) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    Scoreboard board(false);
    Model model;
    const auto below = [&](double n) { return static_cast<std::int64_t>(n * random.Uniform()); };
    for (int step = 0; step < 3000; ++step) {
      const double what = random.Uniform();
      const std::int64_t outstanding = board.outstanding();
      if (what < 0.4 && outstanding < 200) {
        model.entries[board.next()] = {};
        board.Append();
      } else if (what < 0.65 && outstanding > 1) {
        // Extends the block over all adjacent segments that were already received, since receivers report maximal
        // blocks.
        std::int64_t begin = board.una() + 1 + below(static_cast<double>(outstanding - 1));
        std::int64_t end = std::min(begin + 1 + below(4), board.next());
        while (begin - 1 > board.una() && model.entries[begin - 1].sacked) --begin;
        while (end < board.next() && model.entries[end].sacked) ++end;
        for (std::int64_t s = begin; s < end; ++s) model.entries[s] = {.sacked = true};
        board.Sack(begin, end);
        board.DetectLosses();
        model.DetectLosses();
      } else if (what < 0.85) {
        if (const std::int64_t lost = board.NextLost(); lost != Scoreboard::kNone) {
          board.MarkRetransmitted(lost);
          model.entries[lost].retransmitted = true;
        }
      } else if (what < 0.99 && outstanding > 0) {
        std::int64_t to = board.una() + 1 + below(5);
        to = std::min(to, board.next());
        while (to < board.next() && model.entries[to].sacked) ++to;
        board.AckUpTo(to);
        model.entries.erase(model.entries.begin(), model.entries.lower_bound(to));
      } else if (what >= 0.99) {
        board.MarkAllLost();
        for (auto& [seq, e] : model.entries)
          if (!e.sacked) e = {.lost = true};
      }
      ASSERT_EQ(board.pipe(), model.pipe()) << "step " << step;
      ASSERT_EQ(board.NextLost(), model.next_lost()) << "step " << step;
    }
  }
}

}  // namespace
}  // namespace ccscope::tcp
