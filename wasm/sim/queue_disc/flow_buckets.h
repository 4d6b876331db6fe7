// Assigns flows to the queues of a discipline. The number of a flow is mixed with a seed and hashed to a bucket. Each
// bucket has one queue, so flows in the same bucket share a queue. As in Linux, each discipline has its own seed. A
// queue is created when its bucket is first used.
#ifndef CCSCOPE_SIM_QUEUE_DISC_FLOW_BUCKETS_H_
#define CCSCOPE_SIM_QUEUE_DISC_FLOW_BUCKETS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccscope {

template <class Queue>
class FlowBuckets {
 public:
  FlowBuckets(int buckets, std::uint64_t seed) : queue_of_(static_cast<std::size_t>(buckets), -1), seed_(seed) {}

  int BucketOf(int flow) const {
    // The finaliser of SplitMix64. The result is multiplied by the number of buckets; the upper half of the product
    // is the bucket.
    std::uint64_t z = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(flow)) + 1) * 0x9e3779b97f4a7c15ULL;
    z ^= seed_ * 0xd1342543de82ef95ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return static_cast<int>(((z >> 32) * queue_of_.size()) >> 32);
  }

  // The index of the flow's queue.
  int IndexOf(int flow) {
    int& index = queue_of_[static_cast<std::size_t>(BucketOf(flow))];
    if (index < 0) {
      index = size();
      queues_.emplace_back();
    }
    return index;
  }

  // Removes all queues and changes the seed of the hash.
  void Rehash(std::uint64_t seed) {
    std::fill(queue_of_.begin(), queue_of_.end(), -1);
    queues_.clear();
    seed_ = seed;
  }

  // Number of queues created so far.
  int size() const { return static_cast<int>(queues_.size()); }
  Queue& operator[](int index) { return queues_[static_cast<std::size_t>(index)]; }
  const Queue& operator[](int index) const { return queues_[static_cast<std::size_t>(index)]; }

 private:
  std::vector<int> queue_of_;  // index of each bucket's queue; -1: no queue yet
  std::vector<Queue> queues_;
  std::uint64_t seed_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_FLOW_BUCKETS_H_
