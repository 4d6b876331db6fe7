// Creates a queue discipline from its kind and an array with the values of all its parameters, in the order of the
// .def file of the discipline.
#ifndef CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_
#define CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_

#include <cstdint>
#include <memory>

#include "sim/queue_disc/queue_disc.h"
#include "units/parameter.h"

namespace ccscope {

// The disciplines, in the order of the schema. README.md in this folder describes how to add a discipline.
enum class QueueDiscKind { kDropTail, kCoDel, kPie, kSfq, kFqCoDel };

// Returns an error if a value is invalid or the kind is unknown.
ParameterError CheckQueueDisc(QueueDiscKind kind, const double* values, int count);

// Null if CheckQueueDisc() finds an error. `seed` is for disciplines that draw random numbers or hash flows.
std::unique_ptr<QueueDisc> MakeQueueDisc(QueueDiscKind kind, const double* values, int count,
                                         std::uint64_t seed);

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_
