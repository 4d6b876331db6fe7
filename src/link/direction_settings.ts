/** The settings of one direction of a link, as a test writes them. */

/**
 * One of:
 * - A rate. A number is in bit/s.
 * - A schedule. Its times are relative to the first packet or, if packets are already flowing, to the change.
 * - A mahimahi trace: its text, or the path of its file. After its end, the trace starts again.
 * - A function that takes a time in seconds and returns bit/s. It is called for each 10 ms, about three seconds ahead
 *   of time. So its result must depend only on the time. To change the capacity from a test, use `set`.
 *
 * In a direction with cross traffic, the capacity is at most 1 Gbit/s. A rate above it that a function returns in
 * mid-call counts as 1 Gbit/s.
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
   * Outages of a wireless channel, given by the mean times with and without a connection, such as `100ms/20ms`.
   * Default: `none`.
   */
  outage?: string | undefined;
  /**
   * TCP connections that share the queue of this direction: `cubic:3`, `cubic:2,newreno:1`. Default: `none`.
   * This setting is never copied to the other direction: set it in `backward` to have connections there.
   */
  crossTraffic?: string | undefined;
  /**
   * `serial`: packets leave one after the other, at the capacity. `token-bucket`: a burst of packets may leave at
   * once. Default `serial`.
   */
  bottleneck?: 'serial' | 'token-bucket' | undefined;
}
