// The aggregated congestion signal x_curr (RFC 8698 4.2, eq. 1-2; CMP eq. 1): queuing delay, plus penalties in
// units of delay for losses and ECN marks. After losses a long queuing delay counts as a shorter one (non-linear
// warping), so that the flow can hold its share against flows that only losses slow down.
#ifndef CCSCOPE_CC_NADA_CONGESTION_SIGNAL_H_
#define CCSCOPE_CC_NADA_CONGESTION_SIGNAL_H_

#include "cc/nada/parameters.h"
#include "units/units.h"

namespace ccscope::nada {

// RFC 8698 eq. 1: d beyond QTH becomes QTH exp(-LAMBDA (d - QTH) / QTH).
TimeDelta ExponentialWarping(TimeDelta delay, const Parameters& parameters);

// CMP Fig. 2: d beyond QTH becomes QTH ((d_max - d) / (d_max - QTH))^4, 0 beyond d_max.
TimeDelta PowerWarping(TimeDelta delay, const Parameters& parameters);

// d_tilde; `share`: how much of the exponential warping counts (LossEstimator::WarpingShare).
TimeDelta WarpedDelay(TimeDelta delay, double share, const Parameters& parameters);

// x_curr, limited to what fits into the feedback message (RFC 8698 5.3: 15 bits of 0.1 ms).
TimeDelta CongestionSignal(TimeDelta warped_delay, double p_loss, double p_mark, const Parameters& parameters);

}  // namespace ccscope::nada

#endif  // CCSCOPE_CC_NADA_CONGESTION_SIGNAL_H_
