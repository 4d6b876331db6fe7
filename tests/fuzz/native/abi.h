// What holds for all functions of the ABI that can refuse.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_ABI_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_ABI_H_

#include <cstring>

#include "abi/ccscope.h"
#include "tests/fuzz/native/input.h"

namespace ccscope::fuzz {

// Start of a call that may be refused, so that an earlier call's error is not taken for its own.
inline void ForgetError() {
  const_cast<char*>(ccs_last_error())[0] = '\0';
}
// A refused call names its field and what was expected.
inline void CheckRefusal() {
  const char* error = ccs_last_error();
  const char* colon = std::strstr(error, ": ");
  EXPECT_THAT_HOLDS(colon != nullptr && colon > error && colon[2] != '\0', "what is refused names its field and what was expected");
}

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_ABI_H_
