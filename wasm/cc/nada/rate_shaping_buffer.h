// The rate-shaping buffer between encoder and network (RFC 8698 5.2, CMP II-A): a backlog raises the sending rate
// above r_ref and lowers the encoder's rate below it.
#ifndef CCSCOPE_CC_NADA_RATE_SHAPING_BUFFER_H_
#define CCSCOPE_CC_NADA_RATE_SHAPING_BUFFER_H_

#include <algorithm>

#include "cc/nada/parameters.h"
#include "units/units.h"

namespace ccscope::nada {

struct ShapedRates {
  DataRate r_vin;   // for the encoder
  DataRate r_send;  // for the pacer
};

// RFC 8698 eq. 11-14: r_diff = min(limit r_ref, BETA 8 buffer_len FPS), r_vin = r_ref - r_diff and
// r_send = r_ref + r_diff within [RMIN, RMAX].
inline ShapedRates ShapeRates(DataRate r_ref, DataSize buffer_len, const Parameters& p) {
  const DataRate in_one_frame = DataRate::BitsPerSec(buffer_len.bits() * p.fps);
  const DataRate limit = r_ref * p.shaping_limit;
  return {std::max(p.min_bitrate(), r_ref - std::min(limit, in_one_frame * p.beta_v)),
          std::min(p.max_bitrate(), r_ref + std::min(limit, in_one_frame * p.beta_s))};
}

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_RATE_SHAPING_BUFFER_H_
