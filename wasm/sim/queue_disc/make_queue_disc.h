// Creates a queue discipline from external numbers: its kind, and the values of all its parameters in the order of
// its .def file.
#ifndef CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_
#define CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_

#include <cstdint>
#include <memory>

#include "sim/queue_disc/queue_disc.h"
#include "units/parameter.h"

namespace ccscope {

// In the order in which the schema lists them. README.md in this folder describes how to add a discipline.
enum class QueueDiscKind { kDropTail, kCoDel, kPie, kSfq, kFqCoDel };

// Describes what is wrong with the kind or a value, if anything; an unknown kind is an error, too.
ParameterError CheckQueueDisc(QueueDiscKind kind, const double* values, int count);

// Null if CheckQueueDisc() finds an error. `seed` is for disciplines that draw random numbers or hash flows.
std::unique_ptr<QueueDisc> MakeQueueDisc(QueueDiscKind kind, const double* values, int count,
                                         std::uint64_t seed);

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_
