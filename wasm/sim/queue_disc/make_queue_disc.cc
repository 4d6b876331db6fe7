#include "sim/queue_disc/make_queue_disc.h"

#include <cstddef>

#include "sim/queue_disc/drop_tail.h"

namespace ccscope {
namespace {

#define PARAMETER CCSCOPE_PARAMETER_SPEC
constexpr ParameterSpec kDropTailSpecs[] = {
#include "sim/queue_disc/drop_tail.def"
};
#undef PARAMETER

template <class Params, std::size_t N>
ParameterError Check(const ParameterSpec (&specs)[N], const double* values, int count) {
  static_assert(sizeof(Params) == N * sizeof(double));
  return CheckValues(specs, static_cast<int>(N), values, count);
}

ParameterError CheckDropTail(const double* values, int count) {
  if (const auto error = Check<DropTail::Params>(kDropTailSpecs, values, count)) return error;
  const auto params = ParamsFromValues<DropTail::Params>(values);
  if (params.limit_ms > 0 || params.limit_bytes > 0 || params.limit_packets > 0) return {};
  return {"limit_ms", "expected a limit above 0 in ms, bytes or packets"};
}

}  // namespace

ParameterError CheckQueueDisc(QueueDiscKind kind, const double* values, int count) {
  switch (kind) {
    case QueueDiscKind::kDropTail:
      return CheckDropTail(values, count);
  }
  return {"kind", "expected a queue discipline of the schema"};
}

std::unique_ptr<QueueDisc> MakeQueueDisc(QueueDiscKind kind, const double* values, int count, std::uint64_t) {
  if (CheckQueueDisc(kind, values, count)) return nullptr;
  switch (kind) {
    case QueueDiscKind::kDropTail:
      return std::make_unique<DropTail>(ParamsFromValues<DropTail::Params>(values));
  }
  return nullptr;
}

}  // namespace ccscope
