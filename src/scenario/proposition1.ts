/**
 * Proposition 1 of the ToN paper (section IV; see src/papers/README.md): the queue size below which a static
 * threshold never triggers.
 */

/**
 * The largest delay gradient m_M that one GCC flow causes at a drop-tail queue while its rate grows exponentially
 * (ToN eq. 24). If a static threshold is above m_M, GCC never detects overuse (eq. 18). `queueS` is the longest
 * queuing time, and `tauS` is the time constant of the growth, both in seconds. The result is in seconds of delay per
 * second.
 */
export function largestDelayGradient(queueS: number, tauS: number): number {
  return Math.sqrt((2 * queueS) / tauS) + queueS / tauS;
}

/**
 * The exact value of m_M, without the second-order expansion of eq. 24. By eq. 23 the queue is full at the time
 * t_M with tau (exp(t_M / tau) - 1) - t_M = queue. Then m_M = exp(t_M / tau) - 1.
 */
export function exactDelayGradient(queueS: number, tauS: number): number {
  const fill = (x: number): number => Math.expm1(x) - x - queueS / tauS;
  let [low, high] = [0, 1];
  while (fill(high) < 0) high *= 2;
  for (let i = 0; i < 100; i++) {
    const middle = (low + high) / 2;
    if (fill(middle) < 0) low = middle;
    else high = middle;
  }
  return Math.expm1(high);
}
