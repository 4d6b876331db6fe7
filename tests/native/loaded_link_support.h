// Helpers for the tests of links with cross traffic: queues described as data, and the results of a link as numbers.
#ifndef CCSCOPE_TESTS_NATIVE_LOADED_LINK_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_LOADED_LINK_SUPPORT_H_

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/loaded_link.h"
#include "sim/queue_disc/make_queue_disc.h"
#include "tests/native/simulation_support.h"

namespace ccscope {

inline std::unique_ptr<QueueDisc> Make(const QueueSpec& spec) {
  return MakeQueueDisc(spec.kind, spec.values.data(), static_cast<int>(spec.values.size()), 5);
}

// Wraps another discipline and counts, for each flow, the bytes that left it.
class CountingQueue final : public QueueDisc {
 public:
  using Bytes = std::map<int, double>;

  CountingQueue(std::unique_ptr<QueueDisc> queue, Bytes& bytes) : queue_(std::move(queue)), bytes_(bytes) {}

  void Enqueue(const Packet& packet, Timestamp now, DropSink& drops) override { queue_->Enqueue(packet, now, drops); }
  std::optional<Packet> Dequeue(Timestamp now, DropSink& drops) override {
    const auto packet = queue_->Dequeue(now, drops);
    if (packet) bytes_[packet->flow] += packet->size.bytes();
    return packet;
  }
  void OnCapacity(DataRate capacity) override { queue_->OnCapacity(capacity); }
  const QueueStats& stats() const override { return queue_->stats(); }

 private:
  std::unique_ptr<QueueDisc> queue_;
  Bytes& bytes_;
};

// The results of a link, as numbers.
struct Outcome {
  std::vector<double> deliveries;
  std::vector<double> drops;

  void Add(const Link::Delivery& d) {
    deliveries.insert(deliveries.end(), {d.packet.id, static_cast<double>(d.packet.flow), d.packet.offered.us(),
                                         d.packet.queued.us(), d.depart.us(), d.deliver.us(), d.queue_delay.us()});
  }
  void Add(double id, Timestamp time, DropReason reason) {
    drops.insert(drops.end(), {id, time.us(), static_cast<double>(reason)});
  }
};

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_LOADED_LINK_SUPPORT_H_
