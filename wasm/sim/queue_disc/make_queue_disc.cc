#include "sim/queue_disc/make_queue_disc.h"

#include <cstddef>

#include "sim/queue_disc/codel.h"
#include "sim/queue_disc/drop_tail.h"
#include "sim/queue_disc/fq_codel.h"
#include "sim/queue_disc/pie.h"
#include "sim/queue_disc/sfq.h"

namespace ccscope {
namespace {

#define PARAMETER CCSCOPE_PARAMETER_SPEC
constexpr ParameterSpec kDropTailSpecs[] = {
#include "sim/queue_disc/drop_tail.def"
};
constexpr ParameterSpec kCoDelSpecs[] = {
#include "sim/queue_disc/codel.def"
};
constexpr ParameterSpec kPieSpecs[] = {
#include "sim/queue_disc/pie.def"
};
constexpr ParameterSpec kSfqSpecs[] = {
#include "sim/queue_disc/sfq.def"
};
constexpr ParameterSpec kFqCoDelSpecs[] = {
#include "sim/queue_disc/fq_codel.def"
};
#undef PARAMETER

template <class Params, std::size_t N>
ParameterError Check(const ParameterSpec (&specs)[N], const double* values, int count) {
  static_assert(sizeof(Params) == N * sizeof(double));
  return CheckValues(specs, static_cast<int>(N), values, count);
}

// Like Check(), for parameters with three limits, where 0 stands for no limit; at least one limit must be set.
template <class Params, std::size_t N>
ParameterError CheckWithLimits(const ParameterSpec (&specs)[N], const double* values, int count) {
  if (const auto error = Check<Params>(specs, values, count)) return error;
  const auto params = ParamsFromValues<Params>(values);
  if (params.limit_ms > 0 || params.limit_bytes > 0 || params.limit_packets > 0) return {};
  return {"limit_ms", "expected a limit above 0 in ms, bytes or packets"};
}

}  // namespace

ParameterError CheckQueueDisc(QueueDiscKind kind, const double* values, int count) {
  switch (kind) {
    case QueueDiscKind::kDropTail:
      return CheckWithLimits<DropTail::Params>(kDropTailSpecs, values, count);
    case QueueDiscKind::kCoDel:
      return Check<CoDel::Params>(kCoDelSpecs, values, count);
    case QueueDiscKind::kPie:
      return Check<Pie::Params>(kPieSpecs, values, count);
    case QueueDiscKind::kSfq:
      return CheckWithLimits<Sfq::Params>(kSfqSpecs, values, count);
    case QueueDiscKind::kFqCoDel:
      return Check<FqCoDel::Params>(kFqCoDelSpecs, values, count);
  }
  return {"kind", "expected a queue discipline of the schema"};
}

std::unique_ptr<QueueDisc> MakeQueueDisc(QueueDiscKind kind, const double* values, int count,
                                         std::uint64_t seed) {
  if (CheckQueueDisc(kind, values, count)) return nullptr;
  switch (kind) {
    case QueueDiscKind::kDropTail:
      return std::make_unique<DropTail>(ParamsFromValues<DropTail::Params>(values));
    case QueueDiscKind::kCoDel:
      return std::make_unique<CoDel>(ParamsFromValues<CoDel::Params>(values));
    case QueueDiscKind::kPie:
      return std::make_unique<Pie>(ParamsFromValues<Pie::Params>(values), seed);
    case QueueDiscKind::kSfq:
      return std::make_unique<Sfq>(ParamsFromValues<Sfq::Params>(values), seed);
    case QueueDiscKind::kFqCoDel:
      return std::make_unique<FqCoDel>(ParamsFromValues<FqCoDel::Params>(values), seed);
  }
  return nullptr;
}

}  // namespace ccscope
