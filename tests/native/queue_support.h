// Helpers for the tests of the queue disciplines.
#ifndef CCSCOPE_TESTS_NATIVE_QUEUE_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_QUEUE_SUPPORT_H_

#include <memory>
#include <string>
#include <vector>

#include "sim/queue_disc/codel.h"
#include "sim/queue_disc/drop_tail.h"
#include "sim/queue_disc/fq_codel.h"
#include "sim/queue_disc/make_queue_disc.h"
#include "sim/queue_disc/pie.h"
#include "sim/queue_disc/sfq.h"

namespace ccscope {

struct DropLog final : DropSink {
  struct Entry {
    double id;
    int flow;
    DropReason reason;
    double time_us;
  };
  void OnDrop(const Packet& packet, DropReason reason, Timestamp now) override {
    entries.push_back({packet.id, packet.flow, reason, now.us()});
  }
  std::vector<double> ids() const {
    std::vector<double> result;
    for (const Entry& entry : entries) result.push_back(entry.id);
    return result;
  }
  std::vector<Entry> entries;
};

inline Packet PacketAt(double id, double bytes, Timestamp now, int flow = 0) {
  return {.id = id, .flow = flow, .size = DataSize::Bytes(bytes), .offered = now, .queued = now};
}

// The parameters of a preset of pie_presets.def.
inline Pie::Params PiePreset(const std::string& name) {
  Pie::Params params;
  bool is_it = false;
#define PRESET(id, text, description) is_it = name == text;
#define SET(parameter, value) \
  if (is_it) params.parameter = value;
#define END_PRESET(id)
#include "sim/queue_disc/pie_presets.def"
#undef PRESET
#undef SET
#undef END_PRESET
  return params;
}

// A discipline with its parameters, created the way the ABI creates it.
template <class Params>
std::unique_ptr<QueueDisc> Make(QueueDiscKind kind, const Params& params, std::uint64_t seed = 1) {
  return MakeQueueDisc(kind, reinterpret_cast<const double*>(&params), sizeof params / sizeof(double), seed);
}

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_QUEUE_SUPPORT_H_
