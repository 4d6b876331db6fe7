#include "cc/nada/parameters.h"

namespace ccscope::nada {

const ParameterSpec kParameterSpecs[kParameterCount] = {
#define PARAMETER CCSCOPE_PARAMETER_SPEC
#include "cc/nada/parameters.def"
#undef PARAMETER
};

}  // namespace ccscope::nada
