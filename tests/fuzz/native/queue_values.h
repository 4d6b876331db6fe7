// A queue discipline in the form that the ABI expects: a kind, and values in the input buffer.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_QUEUE_VALUES_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_QUEUE_VALUES_H_

#include <algorithm>
#include <vector>

#include "sim/queue_disc/codel.h"
#include "sim/queue_disc/drop_tail.h"
#include "sim/queue_disc/fq_codel.h"
#include "sim/queue_disc/pie.h"
#include "sim/queue_disc/sfq.h"
#include "tests/fuzz/native/abi.h"

namespace ccscope::fuzz {

struct QueueValues {
  int kind = 0;
  std::vector<double> values;

  bool one_fifo() const { return kind <= 2; }
  // Writes the values to the ABI's input buffer; returns their count.
  int Pass() const {
    std::copy(values.begin(), values.end(), ccs_input_buffer(static_cast<int>(values.size())));
    return static_cast<int>(values.size());
  }
};

template <class Params>
std::vector<double> ListOf(const Params& params) {
  std::vector<double> values(sizeof params / sizeof(double));
  std::memcpy(values.data(), &params, sizeof params);
  return values;
}

// The number of valid kinds, which are 0 to kQueueKinds - 1.
constexpr int kQueueKinds = 5;

// Draws a discipline. Its limits are either the defaults, or so low that a short input can reach them.
inline QueueValues DrawQueue(Input& input, int kind) {
  const bool usual = input.Flag();
  const double packets = 1 + input.Pick(64);
  const double target_ms = input.Scaled(0.1, 50);
  switch (kind) {
    case 0:
      return {0, ListOf(usual ? DropTail::Params{} : DropTail::Params::Packets(packets))};
    case 1:
      return {1, ListOf(usual ? CoDel::Params{} : CoDel::Params{target_ms, target_ms * 4, packets, 100})};
    case 2: {
      Pie::Params params;
      params.variant = input.Pick(2);
      if (!usual) {
        params.target_ms = params.t_update_ms = target_ms;
        params.limit_packets = packets;
        params.burst_allowance_ms = target_ms;
        params.mtu_bytes = 100;
      }
      return {2, ListOf(params)};
    }
    case 3: {
      Sfq::Params params;
      params.buckets = 16;
      if (!usual) params.depth_packets = params.limit_packets = packets;
      return {3, ListOf(params)};
    }
    default: {
      FqCoDel::Params params;
      params.queues = 16;
      if (!usual) {
        params.target_ms = target_ms;
        params.interval_ms = target_ms * 4;
        params.limit_packets = packets;
        params.drop_batch_packets = 1 + input.Pick(8);
      }
      return {4, ListOf(params)};
    }
  }
}

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_QUEUE_VALUES_H_
