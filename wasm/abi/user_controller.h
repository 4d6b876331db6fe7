// Controllers that the host brings: objects in TypeScript, or other WebAssembly modules. The halves
// here do what every controller needs (received rate, counters of packets, echo and RTT, bounds of the
// application, rows of the trace) and ask the host for the rest, through one function.
// A host that has nothing to say, because its half failed, leaves the last good rate in place.
#ifndef CCSCOPE_ABI_USER_CONTROLLER_H_
#define CCSCOPE_ABI_USER_CONTROLLER_H_

#include "abi/controllers.h"

namespace ccscope {

// The number of user controllers; the schema's begin at 0.
inline constexpr int kUserController = -1;

extern const ControllerSpec kUserControllerSpec;

// What the host is asked. `numbers` hold the question and, on return, the answer. src/core/user_host.ts
// has the same list.
enum class HostCall : int {
  kCreateReceiver,  // flow, min, max, start (bps) -> its number, which names it from then on; 0: it could not be made
  kCreateSender,    // the same
  kDestroy,
  kArrival,   // seq, send, arrival (us), bytes, RTP timestamp, key frame, RTT (us); NaN: absent -> values, if a message is due
  kInbound,   // time (us), packets received, packets lost, bytes -> the same
  kFeedback,  // now (us), then the message's fields and values -> nothing
  kRtt,       // now, RTT (us) -> nothing
  kRate,      // now (us) -> target (bps), pacing (bps or NaN)
};

// Returns how many numbers the answer has, or kNoAnswer.
inline constexpr int kNoAnswer = -1;
using UserHost = int (*)(HostCall call, int half, double* numbers, int count);

#if !defined(__EMSCRIPTEN__)
// In the module the host is an import; natively it is whom this says, and at first nobody.
void SetUserHost(UserHost host);
#endif

}  // namespace ccscope

#endif  // CCSCOPE_ABI_USER_CONTROLLER_H_
