// Creates a queue discipline from external numbers: its kind, and the values of all its parameters in the order of
// its .def file.
#ifndef CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_
#define CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_

#include <cstdint>
#include <memory>

#include "sim/queue_disc/queue_disc.h"
#include "units/parameter.h"

namespace ccscope {

// In the order in which the schema lists them. A new discipline goes here, and
//  - into NAME.{h,cc,def,md} beside this file, after queue_disc.h, and into make_queue_disc.cc;
//  - into abi/schema.cc and, in the same order, QUEUE_KINDS of src/core/queue.ts;
//  - into the lists of tests/native/queue_disc_test.cc, queue_support.h and simulation_support.h, with a target
//    in tests/fuzz/native;
//  - if it has a drop reason that no other discipline has: into DropReason (queue_disc.h), DROP_REASONS
//    (src/core/link.ts), trace/columns.def and countDrops() of src/judge/facts.ts.
enum class QueueDiscKind { kDropTail, kCoDel, kPie, kSfq, kFqCoDel };

// Describes what is wrong with the kind or a value, if anything; an unknown kind is refused, too.
ParameterError CheckQueueDisc(QueueDiscKind kind, const double* values, int count);

// Null if CheckQueueDisc() finds an error. `seed` is for disciplines that draw random numbers or hash flows.
std::unique_ptr<QueueDisc> MakeQueueDisc(QueueDiscKind kind, const double* values, int count,
                                         std::uint64_t seed);

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_MAKE_QUEUE_DISC_H_
