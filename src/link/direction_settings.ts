/** One direction of a link, in the form of a test's settings. */

/**
 * A rate (a number is bit/s), a schedule, a mahimahi trace (its text or its file), or a function. The function gets
 * a time in seconds and returns bit/s. Times count from the first packet, or from the change if packets already
 * flow. The function is called for each 10 ms, about three seconds ahead, so its result must depend on the time
 * only. To change the capacity from a test, use `set`.
 */
export type Capacity = number | string | { mahimahi: string } | ((seconds: number) => number);

/** One direction of a link. */
export interface DirectionSettings {
  /** Default 1 Mbit/s; 0 is an outage until the next change. */
  capacity?: Capacity | undefined;
  /** Queue discipline, such as `droptail:300ms`, `codel`, `fq_codel:target=13ms`. Default `droptail:300ms`. */
  queue?: string | undefined;
  /** Random loss before the queue: 0.02 or `2%`. Default: none. */
  loss?: number | string | undefined;
  /** Mean length of a run of lost packets. Default 1: losses are independent. */
  burstLoss?: number | undefined;
  /** Standard deviation of the jitter; a number is milliseconds. Default: none. */
  jitter?: number | string | undefined;
  /**
   * Reordering behind the bottleneck: the ratio of packets that are held back, and for how long, such as
   * `0.01/20ms`. Default: `none`.
   */
  reorder?: string | undefined;
  /**
   * Outages of a wireless channel, by the mean times with and without a connection, such as `100ms/20ms`.
   * Default: `none`.
   */
  outage?: string | undefined;
  /**
   * TCP connections that share the queue of this direction: `cubic:3`, `cubic:2,newreno:1`. Default: `none`.
   * This setting is never copied to the other direction: set it in `backward` to have connections there.
   */
  crossTraffic?: string | undefined;
  /**
   * `serial`: packets pass one after the other at the capacity. `token-bucket`: a burst passes at once. Default
   * `serial`.
   */
  bottleneck?: 'serial' | 'token-bucket' | undefined;
}
