#ifndef CCSCOPE_SIM_RING_BUFFER_H_
#define CCSCOPE_SIM_RING_BUFFER_H_

#include "units/ring_buffer.h"

#endif  // CCSCOPE_SIM_RING_BUFFER_H_
