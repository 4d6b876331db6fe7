// Runs a queue discipline with the arrivals and departures that an input describes, and checks the contract of
// sim/queue_disc/queue_disc.h at every step. In addition, a QueueModel checks the guarantees of a single discipline.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_QUEUE_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_QUEUE_H_

#include <array>
#include <memory>
#include <vector>

#include "sim/queue_disc/make_queue_disc.h"
#include "tests/fuzz/native/input.h"

namespace ccscope::fuzz {

// A packet that a discipline dropped within one call.
struct Dropped {
  Packet packet;
  DropReason reason;
};

// Checks what one discipline guarantees in addition to the contract. Each function is called after the corresponding
// function of the discipline; `drops` are the packets that were dropped in that call. `packet` is null if no packet
// was left to dequeue.
class QueueModel {
 public:
  virtual ~QueueModel() = default;
  virtual void OnCapacity(DataRate /*capacity*/) {}
  virtual void OnEnqueued(const Packet& packet, Timestamp now, const std::vector<Dropped>& drops) = 0;
  virtual void OnDequeued(const Packet* packet, Timestamp now, const std::vector<Dropped>& drops) = 0;
};

class QueueExercise final : private DropSink {
 public:
  static constexpr int kFlows = 8;

  QueueExercise(QueueDisc& disc, QueueModel& model, bool one_fifo) : disc_(disc), model_(model), one_fifo_(one_fifo) {}

  void Run(Input& input) {
    while (!input.ended()) {
      const int what = input.Byte();
      Advance(input, what >> 6);
      if ((what & 63) < 34) {
        Enqueue(input, what);
      } else if ((what & 63) < 61) {
        Dequeue();
      } else {
        const DataRate capacity = DataRate::BitsPerSec(input.Flag() ? 0 : input.Scaled(1, 1e11));
        disc_.OnCapacity(capacity);
        model_.OnCapacity(capacity);
      }
      CheckCounts();
    }
    while (Dequeue()) CheckCounts();
    CheckCounts();
    EXPECT_THAT_HOLDS(count_ == 0, "Dequeue() returns nothing only if nothing is left");
  }

 private:
  void Advance(Input& input, int how) {
    if (how == 0) return;
    if (how == 1) now_ += TimeDelta::Micros(input.Byte() * 100.0);
    if (how == 2) now_ += TimeDelta::Micros(input.Scaled(1e-3, 1e6));
    // Long gaps are rare, because after a long gap a discipline may have to do all the work that became due during it.
    if (how == 3) now_ += input.Byte() == 0 ? TimeDelta::Micros(input.Between(0, 100 * kHourUs)) : TimeDelta::Millis(1);
  }

  void Enqueue(Input& input, int what) {
    const int kind = what & 63;
    const int flow = input.Pick(kFlows);
    // Sizes are whole numbers of bytes, so that their sums are exact.
    const double bytes = kind < 30 ? 1 + input.Byte() * 6.0 : kind < 32 ? std::floor(input.Scaled(1, 1e9)) : 1500;
    const Packet packet{.id = next_id_++, .flow = flow, .size = DataSize::Bytes(bytes), .offered = now_, .queued = now_};
    Waiting(packet);
    drops_.clear();
    disc_.Enqueue(packet, now_, *this);
    model_.OnEnqueued(packet, now_, drops_);
  }

  bool Dequeue() {
    drops_.clear();
    const auto packet = disc_.Dequeue(now_, *this);
    if (packet) {
      Leave(*packet);
      ++dequeued_;
      const double after = one_fifo_ ? last_id_ : last_id_of_[static_cast<std::size_t>(packet->flow)];
      EXPECT_THAT_HOLDS(packet->id > after, "no packet overtakes another of its flow");
      last_id_ = last_id_of_[static_cast<std::size_t>(packet->flow)] = packet->id;
    } else {
      EXPECT_THAT_HOLDS(count_ == 0, "Dequeue() returns nothing only if nothing is left");
    }
    model_.OnDequeued(packet ? &*packet : nullptr, now_, drops_);
    return packet.has_value();
  }

  void OnDrop(const Packet& packet, DropReason reason, Timestamp now) override {
    EXPECT_THAT_HOLDS(now == now_, "a drop tells the time of the call");
    EXPECT_THAT_HOLDS(reason > DropReason::kRandomLoss && static_cast<int>(reason) < kDropReasonCount, "a drop has a queue's reason");
    Leave(packet);
    ++dropped_;
    drops_.push_back({packet, reason});
  }

  void Waiting(const Packet& packet) {
    inside_.push_back(packet);
    is_inside_.push_back(true);
    ++count_;
    bytes_ += packet.size.bytes();
  }

  void Leave(const Packet& packet) {
    const auto index = static_cast<std::size_t>(packet.id);
    EXPECT_THAT_HOLDS(packet.id >= 0 && index < inside_.size() && is_inside_[index], "every packet leaves exactly once");
    const Packet& known = inside_[index];
    EXPECT_THAT_HOLDS(known.size == packet.size && known.flow == packet.flow && known.queued == packet.queued, "a packet leaves as it came");
    is_inside_[index] = false;
    --count_;
    bytes_ -= packet.size.bytes();
  }

  void CheckCounts() const {
    const QueueStats& stats = disc_.stats();
    EXPECT_THAT_HOLDS(stats.packets == count_, "the count is that of the packets that wait");
    EXPECT_THAT_HOLDS(stats.bytes.bytes() == bytes_, "the bytes are those of the packets that wait");
    EXPECT_THAT_HOLDS((stats.packets == 0) == (stats.bytes == DataSize::Zero()), "empty is a size of 0");
    EXPECT_THAT_HOLDS(stats.dequeued == dequeued_ && stats.dropped == dropped_, "departures and drops are counted");
    EXPECT_THAT_HOLDS(next_id_ == stats.packets + stats.dequeued + stats.dropped, "every packet waits, has left or was dropped");
  }

  QueueDisc& disc_;
  QueueModel& model_;
  const bool one_fifo_;
  Timestamp now_ = Timestamp::Micros(1e6);
  double next_id_ = 0;
  double last_id_ = -1;
  std::array<double, kFlows> last_id_of_ = {-1, -1, -1, -1, -1, -1, -1, -1};
  std::vector<Packet> inside_;  // by id
  std::vector<bool> is_inside_;
  double count_ = 0;
  double bytes_ = 0;
  double dequeued_ = 0;
  double dropped_ = 0;
  std::vector<Dropped> drops_;
};

// Returns `usual`, with some parameters changed by the input.
template <class Params>
Params DrawParameters(Input& input, const Params& usual, const ParameterSpec* specs) {
  constexpr int kCount = static_cast<int>(sizeof(Params) / sizeof(double));
  std::array<double, kCount> values;
  std::memcpy(values.data(), &usual, sizeof values);
  for (int changes = input.Pick(kCount + 2); changes > 0; --changes) {
    const int index = input.Pick(kCount);
    values[static_cast<std::size_t>(index)] = input.Parameter(specs[index], values[static_cast<std::size_t>(index)]);
  }
  return ParamsFromValues<Params>(values.data());
}

template <class Disc>
std::unique_ptr<Disc> MakeDisc(QueueDiscKind kind, const typename Disc::Params& params, std::uint64_t seed) {
  const auto* values = reinterpret_cast<const double*>(&params);
  const int count = static_cast<int>(sizeof params / sizeof(double));
  auto disc = MakeQueueDisc(kind, values, count, seed);
  EXPECT_THAT_HOLDS((disc == nullptr) == static_cast<bool>(CheckQueueDisc(kind, values, count)), "what passes the check can be made");
  return std::unique_ptr<Disc>(static_cast<Disc*>(disc.release()));
}

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_QUEUE_H_
