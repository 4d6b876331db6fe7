/** The loss ratios above which GCC acts (ToN eq. 14; draft-ietf-rmcat-gcc-02, 6). */

/** Above this loss ratio, a sender lowers its loss-based rate. */
export const LOSS_DECREASES = 0.1;
/** Above this loss ratio, a sender does not raise its loss-based rate. */
export const LOSS_HOLDS = 0.02;
