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

// Sets the text that ccs_last_error() returns to "field: expectation" and gives back status 1.
int Fail(const char* field, const char* expectation);
// The same for "group.field".
int FailIn(const char* group, const char* field, const char* expectation);

// The caller's input for this call, from ccs_input_buffer(); null if it holds fewer numbers.
double* Input(int doubles);

}  // namespace ccscope

#endif  // CCSCOPE_ABI_EXPORT_H_
