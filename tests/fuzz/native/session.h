// The two halves of a controller behind the ABI, and what has to hold for any input: no trap, finite feedback and
// rates, a target within its bounds, and refusals that change nothing.
#ifndef CCSCOPE_TESTS_FUZZ_NATIVE_SESSION_H_
#define CCSCOPE_TESTS_FUZZ_NATIVE_SESSION_H_

#include <algorithm>
#include <vector>

#include "tests/fuzz/native/abi.h"
#include "tests/fuzz/native/controller_parameters.h"
#include "trace/rows.h"

namespace ccscope::fuzz {

// A handle that is destroyed with its owner.
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

// One half twice: `twin` does not get what `half` refuses. Both have to answer the same, bit for bit.
class TwoOfOne {
 public:
  TwoOfOne(bool receiver, int controller, const ControllerParameters& parameters, double seed, bool twin)
      : half_(MakeHalf(receiver, controller, parameters, seed)),
        twin_(twin ? MakeHalf(receiver, controller, parameters, seed) : nullptr) {}

  void* half() const { return half_; }

  // Makes `call` on the half and, unless that refuses, on its twin. Returns whether it was accepted.
  template <class Call>
  bool Do(Call call) {
    ForgetError();
    const bool taken = call(static_cast<void*>(half_)) == 0;
    if (!taken) CheckRefusal();
    if (taken && twin_ != nullptr) EXPECT_THAT_HOLDS(call(static_cast<void*>(twin_)) == 0, "what was refused changes nothing that is later taken");
    return taken;
  }

  // The numbers that `call` leaves in the buffer; it returns how many.
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

// Rows of the tables that a controller writes: numbers are finite, or NaN where a column may be absent.
void CheckTrace(void* handle);

// Drives a receiver and a sender by the input.
void RunSession(Input& input, int controller);

}  // namespace ccscope::fuzz

#endif  // CCSCOPE_TESTS_FUZZ_NATIVE_SESSION_H_
