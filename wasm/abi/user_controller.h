// Controllers that the host provides. The host is the program that uses the core. Its controllers are TypeScript
// objects or other WebAssembly modules. The halves in user_controller.cc do the work that all controllers share: they
// measure the received rate and the RTT, count packets, echo send times, enforce the application's bounds on the rate,
// and record trace rows. They request everything else from the host, through one function. If the host's half fails,
// the host does not answer, and the controller keeps the last valid rate.
#ifndef CCSCOPE_ABI_USER_CONTROLLER_H_
#define CCSCOPE_ABI_USER_CONTROLLER_H_

#include "abi/controllers.h"

namespace ccscope {

// The index of this controller in the ABI. The controllers of the schema are numbered from 0.
inline constexpr int kUserController = -1;

extern const ControllerSpec kUserControllerSpec;

// The requests to the host; NaN stands for an absent number. The array `numbers` of a UserHost call contains the
// arguments of the request and, on return, the answer. src/core/user_host.ts has the same list.
enum class HostCall : int {
  kCreateReceiver,  // flow, min, max, start (bps) -> the number of the new half (see below)
  kCreateSender,    // as for kCreateReceiver
  kDestroy,
  kArrival,   // seq, send, arrival (us), bytes, RTP timestamp, key frame, RTT (us) -> values, if a message is due
  kInbound,   // time (us), packets received, packets lost, bytes -> as for kArrival
  kFeedback,  // now (us), then the message's fields and values -> nothing
  kRtt,       // now, RTT (us) -> nothing
  kRate,      // now (us) -> target (bps), pacing (bps or NaN)
};

// The host function returns how many numbers its answer has, or kNoAnswer. For kCreateReceiver and kCreateSender, it
// instead returns the number of the new half, or 0 if it creates none.
inline constexpr int kNoAnswer = -1;
using UserHost = int (*)(HostCall call, int half, double* numbers, int count);

#if !defined(__EMSCRIPTEN__)
// In the WebAssembly module the host function is an import. In native builds it is the function set here; by default
// there is none.
void SetUserHost(UserHost host);
#endif

}  // namespace ccscope

#endif  // CCSCOPE_ABI_USER_CONTROLLER_H_
