// Checks for all functions of the ABI that can refuse a call.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_ABI_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_ABI_H_

#include <cstring>

#include "abi/ccscope.h"
#include "tests/fuzz/native/input.h"

namespace ccscope::fuzz {

// Clears the last error. To be used before an ABI call that may be refused, so that CheckRefusal() sees no
// older error.
inline void ForgetError() {
  const_cast<char*>(ccs_last_error())[0] = '\0';
}
// To be used after a refused ABI call: its error must name a field and what was expected there.
inline void CheckRefusal() {
  const char* error = ccs_last_error();
  const char* colon = std::strstr(error, ": ");
  EXPECT_THAT_HOLDS(colon != nullptr && colon > error && colon[2] != '\0', "what is refused names its field and what was expected");
}

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_ABI_H_
