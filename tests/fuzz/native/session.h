// Runs the two halves of a controller behind the ABI. For any input, nothing may trap. Feedback and rates must be
// finite, and the target must stay within its bounds. Refused calls must change nothing.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_SESSION_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_SESSION_H_

#include <algorithm>
#include <vector>

#include "tests/fuzz/native/abi.h"
#include "tests/fuzz/native/controller_parameters.h"
#include "trace/rows.h"

namespace ccscope::fuzz {

// Owns a handle of the ABI, and destroys it.
class Handle {
 public:
  explicit Handle(void* handle) : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (handle_ != nullptr) ccs_session_destroy(handle_);
  }
  operator void*() const { return handle_; }

 private:
  void* const handle_;
};

inline void* MakeHalf(bool receiver, int controller, const ControllerParameters& parameters, double seed) {
  parameters.Pass();
  void* handle = receiver ? ccs_receiver_create(controller, 0) : ccs_sender_create(controller, 0, seed);
  EXPECT_THAT_HOLDS(handle != nullptr, "parameters in range make a session");
  return handle;
}

// Two copies of one half (receiver or sender) of a controller: `twin` does not get the calls that `half` refuses. A
// refused call must change nothing, so both must always return the same numbers, bit for bit. Without `twin`, only
// `half` exists.
class TwoOfOne {
 public:
  TwoOfOne(bool receiver, int controller, const ControllerParameters& parameters, double seed, bool twin)
      : half_(MakeHalf(receiver, controller, parameters, seed)),
        twin_(twin ? MakeHalf(receiver, controller, parameters, seed) : nullptr) {}

  void* half() const { return half_; }

  // Makes `call` on the half and, unless the half refuses it, on the twin. Returns whether it was accepted.
  template <class Call>
  bool Do(Call call) {
    ForgetError();
    const bool taken = call(static_cast<void*>(half_)) == 0;
    if (!taken) CheckRefusal();
    if (taken && twin_ != nullptr) EXPECT_THAT_HOLDS(call(static_cast<void*>(twin_)) == 0, "what was refused changes nothing that is later taken");
    return taken;
  }

  // Returns the numbers that `call` writes to the session's buffer. `call` returns their count.
  template <class Call>
  Values Ask(Call call) {
    const int count = call(static_cast<void*>(half_));
    const double* numbers = ccs_session_buffer(half_, count);
    Values answer(numbers, numbers + count);
    if (twin_ != nullptr) {
      const int same = call(static_cast<void*>(twin_));
      EXPECT_THAT_HOLDS(same == count && Equal(answer, ccs_session_buffer(twin_, count)), "what is refused changes nothing");
    }
    return answer;
  }

  void Fill(const double* numbers, int count) {
    for (void* handle : {static_cast<void*>(half_), static_cast<void*>(twin_)}) {
      if (handle != nullptr) std::copy_n(numbers, count, ccs_session_buffer(handle, count));
    }
  }

 private:
  static bool Equal(const Values& numbers, const double* others) {
    return numbers.empty() || std::memcmp(numbers.data(), others, numbers.size() * sizeof(double)) == 0;
  }

  Handle half_;
  Handle twin_;
};

// Checks the rows that a controller has recorded: their numbers are finite, or NaN in columns that may have
// no value.
void CheckTrace(void* handle);

// Drives a receiver half and a sender half; the input chooses the calls.
void RunSession(Input& input, int controller);

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_SESSION_H_
