#include "cc/lcc/parameters.h"

namespace ccscope::lcc {

const ParameterSpec kParameterSpecs[kParameterCount] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "cc/lcc/parameters.def"
#undef PARAMETER
};

}  // namespace ccscope::lcc
