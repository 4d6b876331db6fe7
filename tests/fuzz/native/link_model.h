// A model of the packets that a link was given. Each must be delivered or dropped exactly once. Delivered packets must
// be unchanged and in order.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_LINK_MODEL_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_LINK_MODEL_H_

#include <algorithm>
#include <vector>

#include "sim/queue_disc/queue_disc.h"
#include "tests/fuzz/native/input.h"

namespace ccscope::fuzz {

class LinkModel {
 public:
  static constexpr int kFlows = 4;

  // `one_fifo`: whether packets keep their order across flows; otherwise they keep it within each flow only.
  explicit LinkModel(bool one_fifo) : one_fifo_(one_fifo) {}
  void SetOneFifo(bool one_fifo) { one_fifo_ = one_fifo_ && one_fifo; }

  double next_id() const { return static_cast<double>(packets_.size()); }
  double inside() const { return inside_; }

  void OnOffered(double bytes, int flow, double now_us) {
    packets_.push_back({bytes, now_us, flow, true});
    ++inside_;
    bytes_inside_ += bytes;
    offered_bytes_ += bytes;
  }
  void OnRefused(int reason) {
    EXPECT_THAT_HOLDS(reason > 0 && reason < kDropReasonCount, "a drop has a reason");
    Leave(packets_.size() - 1);
    ++dropped_;
  }

  // A row of ccs_link_deliveries().
  void OnDelivery(const double* row, double now_us) {
    const std::size_t index = Known(row);
    const double depart_us = row[3];
    const double deliver_us = row[4];
    const double queue_delay_us = row[5];
    EXPECT_THAT_HOLDS(row[2] <= depart_us && depart_us <= deliver_us, "a packet is offered, departs and is delivered");
    EXPECT_THAT_HOLDS(deliver_us <= now_us, "nothing is told before it happens");
    EXPECT_THAT_HOLDS(deliver_us >= last_delivery_us_ && depart_us >= last_departure_us_, "deliveries are in time order");
    EXPECT_THAT_HOLDS(queue_delay_us >= 0 && queue_delay_us <= deliver_us - row[2] + Rounding(deliver_us), "a packet waits no longer than it was under way");
    const std::size_t flow = static_cast<std::size_t>(packets_[index].flow);
    EXPECT_THAT_HOLDS(row[0] > (one_fifo_ ? last_id_ : last_id_of_[flow]), "no packet overtakes another");
    last_delivery_us_ = deliver_us;
    last_departure_us_ = depart_us;
    last_id_ = last_id_of_[flow] = row[0];
    delivered_bytes_ += row[1];
    ++delivered_;
    Leave(index);
  }

  // A row of ccs_link_drops().
  void OnDrop(const double* row, double now_us) {
    const std::size_t index = Known(row);
    EXPECT_THAT_HOLDS(row[3] >= row[2] && row[3] <= now_us, "a packet is dropped while it is under way");
    EXPECT_THAT_HOLDS(row[3] >= last_drop_us_, "drops are in time order");
    EXPECT_THAT_HOLDS(row[4] > 1 && row[4] < kDropReasonCount, "a drop in the queue has a queue's reason");
    last_drop_us_ = row[3];
    ++dropped_;
    Leave(index);
  }

  // Checks ccs_link_stats(). Must be called after all deliveries and drops so far were passed to the model.
  void CheckStats(const double* s) const {
    const double rounding = 1e-12 * offered_bytes_;
    const auto same = [rounding](double a, double b) { return std::fabs(a - b) <= rounding; };
    EXPECT_THAT_HOLDS(s[4] == inside_, "what is inside was neither delivered nor dropped");
    EXPECT_THAT_HOLDS(s[5] == next_id() && same(s[6], offered_bytes_), "what was offered is counted");
    EXPECT_THAT_HOLDS(s[7] + s[8] == dropped_ && s[12] == delivered_, "losses, drops and deliveries are counted");
    EXPECT_THAT_HOLDS(same(s[13], delivered_bytes_), "delivered bytes are counted");
    EXPECT_THAT_HOLDS(same(s[6], s[9] + s[13] + bytes_inside_), "offered bytes are delivered, dropped or inside");
    EXPECT_THAT_HOLDS(s[10] >= s[12] && s[11] >= s[13] - rounding, "what was delivered has departed");
    EXPECT_THAT_HOLDS(s[0] >= 0 && s[1] >= 0 && s[2] >= 0 && s[3] >= 0 && s[14] >= 0 && s[15] >= 0, "counts are not negative");
    EXPECT_THAT_HOLDS(std::isfinite(s[2]) && std::isfinite(s[1]) && std::isfinite(s[3]), "the state of the queue is finite");
  }

 private:
  struct Packet {
    double bytes;
    double offered_us;
    int flow;
    bool inside;
  };

  // The tolerance for sums of times, whose last bits are rounded.
  static double Rounding(double us) { return 1e-6 + std::fabs(us) * 1e-15; }

  std::size_t Known(const double* row) const {
    const auto index = static_cast<std::size_t>(row[0]);
    EXPECT_THAT_HOLDS(row[0] >= 0 && index < packets_.size() && packets_[index].inside, "every packet comes out exactly once");
    EXPECT_THAT_HOLDS(row[1] == packets_[index].bytes && row[2] == packets_[index].offered_us, "a packet comes out as it went in");
    return index;
  }
  void Leave(std::size_t index) {
    packets_[index].inside = false;
    --inside_;
    bytes_inside_ -= packets_[index].bytes;
  }

  bool one_fifo_;
  std::vector<Packet> packets_;  // by id
  double inside_ = 0;
  double bytes_inside_ = 0;
  double offered_bytes_ = 0;
  double delivered_ = 0;
  double delivered_bytes_ = 0;
  double dropped_ = 0;
  double last_delivery_us_ = -std::numeric_limits<double>::infinity();
  double last_departure_us_ = -std::numeric_limits<double>::infinity();
  double last_drop_us_ = -std::numeric_limits<double>::infinity();
  double last_id_ = -1;
  double last_id_of_[kFlows] = {-1, -1, -1, -1};
};

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_LINK_MODEL_H_
