// The packets of all flow queues of one discipline, in one array. Each queue is a linked list of elements of the
// array. So a thousand empty queues need little memory, and nothing is allocated for a packet once the array has
// reached its largest size.
#ifndef CCSCOPE_SIM_QUEUE_DISC_PACKET_POOL_H_
#define CCSCOPE_SIM_QUEUE_DISC_PACKET_POOL_H_

#include <cassert>
#include <cstddef>
#include <vector>

#include "sim/packet.h"

namespace ccscope {

// A FIFO of packets in a pool.
class PacketList {
 public:
  bool empty() const { return head_ == kNone; }
  int size() const { return size_; }
  DataSize bytes() const { return bytes_; }

 private:
  friend class PacketPool;
  static constexpr int kNone = -1;

  int head_ = kNone;
  int tail_ = kNone;
  int size_ = 0;
  DataSize bytes_;
};

class PacketPool {
 public:
  void PushBack(PacketList& list, const Packet& packet) {
    const int index = Take();
    nodes_[At(index)] = {packet, kNone, list.tail_};
    (list.empty() ? list.head_ : nodes_[At(list.tail_)].next) = index;
    list.tail_ = index;
    ++list.size_;
    list.bytes_ += packet.size;
  }
  Packet PopFront(PacketList& list) {
    const int index = list.head_;
    const Node& node = nodes_[At(index)];
    list.head_ = node.next;
    (list.head_ == kNone ? list.tail_ : nodes_[At(list.head_)].previous) = kNone;
    return Release(list, index);
  }
  Packet PopBack(PacketList& list) {
    const int index = list.tail_;
    const Node& node = nodes_[At(index)];
    list.tail_ = node.previous;
    (list.tail_ == kNone ? list.head_ : nodes_[At(list.tail_)].next) = kNone;
    return Release(list, index);
  }

 private:
  static constexpr int kNone = PacketList::kNone;
  struct Node {
    Packet packet;
    int next = kNone;  // next node of the queue; in a free node: the next free node
    int previous = kNone;
  };

  static std::size_t At(int index) {
    assert(index >= 0);
    return static_cast<std::size_t>(index);
  }

  int Take() {
    if (free_ == kNone) {
      nodes_.emplace_back();
      return static_cast<int>(nodes_.size()) - 1;
    }
    const int index = free_;
    free_ = nodes_[At(index)].next;
    return index;
  }
  Packet Release(PacketList& list, int index) {
    Node& node = nodes_[At(index)];
    const Packet packet = node.packet;
    node.next = free_;
    free_ = index;
    list.bytes_ = --list.size_ > 0 ? list.bytes_ - packet.size : DataSize::Zero();
    return packet;
  }

  std::vector<Node> nodes_;
  int free_ = kNone;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_PACKET_POOL_H_
