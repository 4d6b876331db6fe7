// The aggregated congestion signal x_curr (RFC 8698 4.2, eq. 1-2; CMP eq. 1): queuing delay, plus penalties for
// losses and ECN marks in units of delay. A long queuing delay is replaced by a shorter one (non-linear warping): in
// RFC 8698 only after losses, in CMP always. So the flow can keep its share against flows that react only to losses.
#ifndef CCSCOPE_CC_NADA_CONGESTION_SIGNAL_H_
#define CCSCOPE_CC_NADA_CONGESTION_SIGNAL_H_

#include "cc/nada/parameters.h"
#include "units/units.h"

namespace ccscope::nada {

// RFC 8698 eq. 1: a delay d above QTH becomes QTH exp(-LAMBDA (d - QTH) / QTH).
TimeDelta ExponentialWarping(TimeDelta delay, const Parameters& parameters);

// CMP Fig. 2: a delay d above QTH becomes QTH ((d_max - d) / (d_max - QTH))^4, and 0 above d_max.
TimeDelta PowerWarping(TimeDelta delay, const Parameters& parameters);

// d_tilde, the delay after warping. `share`: the weight of the exponential warping (LossEstimator::WarpingShare).
TimeDelta WarpedDelay(TimeDelta delay, double share, const Parameters& parameters);

// x_curr, limited to what fits into the feedback message (RFC 8698 5.3: 15 bits, in units of 0.1 ms).
TimeDelta CongestionSignal(TimeDelta warped_delay, double p_loss, double p_mark, const Parameters& parameters);

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_CONGESTION_SIGNAL_H_
