// What the files that define the ABI (abi/ccscope.h) share. CCSCOPE_FN marks its functions; everything
// else stays inside the module.
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

// Sets the text that ccs_last_error() returns to "field: expectation" and gives back status 1.
int Fail(const char* field, const char* expectation);
// Likewise for "group.field".
int FailIn(const char* group, const char* field, const char* expectation);

// What the caller wrote to ccs_input_buffer() for this call; null if that holds fewer numbers.
double* Input(int doubles);

}  // namespace ccscope

#endif  // CCSCOPE_ABI_EXPORT_H_
