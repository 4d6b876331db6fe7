// CCSCOPE_EXPORT marks the functions of the ABI; everything else stays inside the module.
// Conventions: handles are opaque pointers; numbers are doubles in microseconds, bits per second
// and bytes; a function that can fail returns 0 for success or fails with a message in
// ccs_last_error() (and returns 1, or a null handle). No exception crosses this boundary.
#ifndef CCSCOPE_ABI_EXPORT_H_
#define CCSCOPE_ABI_EXPORT_H_

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
