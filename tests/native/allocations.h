// Counts what the test program allocates.
#ifndef CCSCOPE_TESTS_NATIVE_ALLOCATIONS_H_
#define CCSCOPE_TESTS_NATIVE_ALLOCATIONS_H_

namespace ccscope {

// The number of calls to operator new since the program began.
long Allocations();

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_ALLOCATIONS_H_
