// Each controller behind the ABI, with its presets and whatever parameters are allowed beside them.
#include "tests/fuzz/native/session.h"

namespace ccscope::fuzz {
namespace {

FUZZ_TARGET(session_gcc) { RunSession(input, 0); }
FUZZ_TARGET(session_nada) { RunSession(input, 1); }
FUZZ_TARGET(session_lcc) { RunSession(input, 2); }

}  // namespace
}  // namespace ccscope::fuzz
