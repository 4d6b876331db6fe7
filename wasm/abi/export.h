// Helpers shared by the files that implement the ABI (abi/ccscope.h). CCSCOPE_FN marks an exported function;
// everything else is invisible outside the module.
#ifndef CCSCOPE_ABI_EXPORT_H_
#define CCSCOPE_ABI_EXPORT_H_

#include "abi/ccscope.h"

#define CCSCOPE_EXPORT extern "C" __attribute__((used, visibility("default")))

#if defined(__EMSCRIPTEN__)
#define CCSCOPE_EXPORT_AS(name) __attribute__((export_name(#name)))
#else
#define CCSCOPE_EXPORT_AS(name)
#endif

// Usage: CCSCOPE_FN(int, ccs_link_enqueue)(void* handle, double now_us) { ... }
#define CCSCOPE_FN(type, name) CCSCOPE_EXPORT CCSCOPE_EXPORT_AS(name) type name

namespace ccscope {

// Sets the last error, which ccs_last_error() returns, to "field: expectation". Always returns 1, the status of a
// failure.
int Fail(const char* field, const char* expectation);
// Like Fail(), with "group.field" as the name of the field.
int FailIn(const char* group, const char* field, const char* expectation);

// The input buffer, which the caller has filled for this call; null if it holds fewer than `doubles` numbers.
double* Input(int doubles);

}  // namespace ccscope

#endif  // CCSCOPE_ABI_EXPORT_H_
