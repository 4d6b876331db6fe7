// Targets for each controller behind the ABI, with its presets and any valid changes to their parameters.
#include "tests/fuzz/native/session.h"

namespace ccscope::fuzz {
namespace {

FUZZ_TARGET(session_gcc) { RunSession(input, 0); }
FUZZ_TARGET(session_nada) { RunSession(input, 1); }
FUZZ_TARGET(session_lcc) { RunSession(input, 2); }

}  // namespace
}  // namespace ccscope::fuzz
