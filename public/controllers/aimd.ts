/** Additive increase, multiplicative decrease, on the queuing delay and on losses. */
import type { UserController } from 'ccscope';

const aimd: UserController = {
  name: 'aimd',

  createReceiver() {
    let [shortestUs, queuingUs, sentAtUs] = [Infinity, 0, -Infinity];
    return {
      onArrival({ sendTimeUs, arrivalTimeUs }) {
        const delayUs = arrivalTimeUs - sendTimeUs; // of two clocks: only differences mean anything
        shortestUs = Math.min(shortestUs, delayUs);
        queuingUs += 0.1 * (delayUs - shortestUs - queuingUs);
        if (arrivalTimeUs - sentAtUs < 100e3) return null;
        sentAtUs = arrivalTimeUs;
        return [queuingUs]; // to the sender half, each 100 ms
      },
    };
  },

  createSender({ startBitrateBps }) {
    let [targetBps, lost, heldUntilUs] = [startBitrateBps, 0, 0];
    return {
      onFeedback({ values: [queuingUs = 0], receivedRateBps, packetsLost }, nowUs) {
        const congested = queuingUs > 30e3 || packetsLost > lost + 2;
        lost = packetsLost;
        if (!congested) targetBps = Math.max(targetBps, Math.min(targetBps + 4e3, 1.5 * receivedRateBps));
        else if (nowUs >= heldUntilUs) {
          targetBps = Math.min(targetBps, 0.85 * receivedRateBps);
          heldUntilUs = nowUs + 500e3; // until the queue has felt it
        }
      },
      rate: () => ({ targetBps }),
    };
  },
};

export default aimd;
