// Generated from wasm/abi/ccscope.h by scripts/generate_abi.mjs. Do not edit.

/** The core's functions. Pointers, handles and everything else are numbers. */
export interface Abi {
  /** The version of this ABI; the TypeScript bindings refuse another. */
  ccs_abi_version(): number;
  /** All names, units, limits and defaults, as JSON. */
  ccs_schema(): number;
  /** What the last call that failed has to say: "field: what was expected". Empty before one did. */
  ccs_last_error(): number;
  /** Room for `doubles` numbers that the next call reads. The pointer holds until the next call of this. */
  ccs_input_buffer(doubles: number): number;
  /** A receiver half of that controller, all its parameters from the input buffer; null on bad arguments.
   * `flow` is a whole number below 2^32, which its rows carry. */
  ccs_receiver_create(controller: number, flow: number): number;
  /** Has a receiver half go through frames together with another one of the same stream, which gets each arrival, too:
   * results are the same, and most of the work is done once. Refused once one of them has had an arrival. */
  ccs_receiver_share_frames(handle: number, other: number): number;
  /** A sender half, made in the same way; `seed` is for controllers that draw random numbers. */
  ccs_sender_create(controller: number, flow: number, seed: number): number;
  ccs_session_destroy(handle: number): number;
  /** Only rows of the tables whose bits are set are recorded; at first all are. */
  ccs_session_record(handle: number, tables: number): number;
  /** NaN for an index that the schema does not have. */
  ccs_session_parameter(handle: number, index: number): number;
  /** Changes one parameter, also during a call. */
  ccs_session_set_parameter(handle: number, index: number, value: number): number;
  /** Changes all parameters, to those in the input buffer. */
  ccs_session_configure(handle: number): number;
  /** Room for `doubles` numbers to be read by the next push. */
  ccs_session_buffer(handle: number, doubles: number): number;
  /** `rows` rows of the table `arrival` from the buffer. Stops at the first bad one; the rows before it count. */
  ccs_receiver_push_arrivals(handle: number, rows: number): number;
  /** `rows` rows of the table `inbound` from the buffer, under the same rules. */
  ccs_receiver_push_inbound(handle: number, rows: number): number;
  /** The latest feedback that became due since the last call, in the buffer: time_us, received_rate_bps,
   * packets_received, packets_lost, echo_send_time_us, echo_delay_us, then the controller's own values.
   * Returns how many numbers that are, and 0 when no feedback is due. */
  ccs_receiver_take_feedback(handle: number): number;
  /** A message of `count` numbers from the buffer, received at `now_us` on the sender's clock. */
  ccs_sender_push_feedback(handle: number, now_us: number, count: number): number;
  /** Cumulative counts of RTCP receiver reports, while no feedback comes. */
  ccs_sender_push_receiver_report(
    handle: number,
    now_us: number,
    packets_received: number,
    packets_lost: number,
  ): number;
  /** What the sender knows of itself: cumulative bytes sent, the RTT and the browser's own estimate (each NaN
   * where unknown). */
  ccs_sender_push_sent(
    handle: number,
    now_us: number,
    sent_bytes: number,
    rtt_us: number,
    browser_estimate_bps: number,
  ): number;
  /** The rate at `now_us`; also a row of the table `rate`. In the buffer: target, pacing, A_s, A_r (bps),
   * fraction lost, RTT (us). */
  ccs_sender_run(handle: number, now_us: number): number;
  /** The half itself, for ccs_density(). */
  ccs_sender_half(handle: number): number;
  /** The session's trace, for the functions below. */
  ccs_session_recorder(handle: number): number;
  /** 0 for a table that the schema does not have. */
  ccs_trace_rows(recorder: number, table: number): number;
  /** As many numbers as the table has rows; they hold until something is recorded or cleared. */
  ccs_trace_column(recorder: number, table: number, column: number): number;
  /** The table of each input row since the last clear, one byte each, in order of consumption. */
  ccs_trace_input_order(recorder: number): number;
  ccs_trace_input_count(recorder: number): number;
  ccs_trace_clear(recorder: number): number;
  ccs_density(half: number, rates: number, delays: number): number;
  /** The queue's values are in the input buffer, in the order of the schema; null if a value is refused. */
  ccs_link_create(
    capacity_bps: number,
    queue_kind: number,
    queue_values: number,
    mode: number,
    burst_bytes: number,
    one_way_delay_us: number,
    loss_ratio: number,
    jitter_us: number,
    seed: number,
  ): number;
  ccs_link_destroy(handle: number): number;
  /** The drop reason (0: not dropped), or -1 if a value is refused. */
  ccs_link_enqueue(handle: number, id: number, size_bytes: number, flow: number, now_us: number): number;
  /** Fills the delivery and drop rows with what happened until now_us. Returns the number of delivery rows, or -1 if
   * the time is refused. */
  ccs_link_poll(handle: number, now_us: number): number;
  /** Rows of what abi/link_rows.def has of a delivery. A packet that reordering holds back has
   * its row where it would be without: then deliver_us may lie ahead, and the caller keeps it until then. */
  ccs_link_deliveries(handle: number): number;
  ccs_link_drop_count(handle: number): number;
  /** Rows of what it has of a drop. */
  ccs_link_drops(handle: number): number;
  /** When something leaves next; infinity if nothing is under way. */
  ccs_link_next_event_us(handle: number): number;
  ccs_link_set_capacity(handle: number, capacity_bps: number, now_us: number): number;
  /** The changes of capacity that are ahead, in the place of earlier ones: in the input buffer are pairs of a
   * time and a capacity, the times in order. No steps: none are ahead. */
  ccs_link_set_schedule(handle: number, steps: number): number;
  ccs_link_set_mode(handle: number, mode: number, now_us: number): number;
  ccs_link_set_one_way_delay(handle: number, one_way_delay_us: number, now_us: number): number;
  ccs_link_set_loss_ratio(handle: number, loss_ratio: number, now_us: number): number;
  /** The mean length of a burst of losses, in packets. */
  ccs_link_set_burst_loss(handle: number, packets: number, now_us: number): number;
  /** Outages from now_us on; with a mean of 0, none. */
  ccs_link_set_outages(
    handle: number,
    mean_on_us: number,
    mean_off_us: number,
    off_phases: number,
    now_us: number,
  ): number;
  /** The caller's packets are held back behind the bottleneck for delay_us with this probability; with 0, none. */
  ccs_link_set_reordering(handle: number, ratio: number, delay_us: number, now_us: number): number;
  /** Propagation there and back of the TCP connections. */
  ccs_link_set_cross_rtt(handle: number, rtt_us: number, now_us: number): number;
  /** How many TCP connections share the queue from now_us on. */
  ccs_link_set_cross_traffic(handle: number, cubic: number, new_reno: number, now_us: number): number;
  ccs_link_set_jitter(handle: number, jitter_us: number, now_us: number): number;
  ccs_link_set_queue(handle: number, queue_kind: number, queue_values: number, now_us: number): number;
  /** What abi/link_rows.def has of a link, at now_us: the queue's with cross traffic, counts since the link was made,
   * those dropped with those lost. Null if now_us is refused. */
  ccs_link_stats(handle: number, now_us: number): number;
  /** Null if a value is refused. */
  ccs_sim_create(duration_us: number, rate_interval_us: number, seed: number, max_events: number): number;
  ccs_sim_destroy(handle: number): number;
  /** Outages of the path of that direction; before the path itself. */
  ccs_sim_set_outages(
    handle: number,
    direction: number,
    mean_on_us: number,
    mean_off_us: number,
    off_phases: number,
  ): number;
  /** The mean length of a burst of losses, in packets; before the path itself. */
  ccs_sim_set_burst_loss(handle: number, direction: number, packets: number): number;
  /** Whether jitter acts behind the bottleneck and the propagation delay, not before the queue; before the path itself. */
  ccs_sim_set_jitter_behind_queue(handle: number, direction: number, behind: number): number;
  /** Packets are held back behind the bottleneck for delay_us with this probability; before the path itself. */
  ccs_sim_set_reordering(handle: number, direction: number, ratio: number, delay_us: number): number;
  /** A path with a bottleneck; the queue's values are in the input buffer, in the order of the schema. */
  ccs_sim_set_bottleneck(
    handle: number,
    direction: number,
    capacity_bps: number,
    queue_kind: number,
    queue_values: number,
    mode: number,
    burst_bytes: number,
    one_way_delay_us: number,
    loss_ratio: number,
    jitter_us: number,
  ): number;
  /** A path with loss, jitter and delay alone. */
  ccs_sim_set_delay(
    handle: number,
    direction: number,
    one_way_delay_us: number,
    loss_ratio: number,
    jitter_us: number,
  ): number;
  /** A change of a bottleneck's capacity, not before the one that was scheduled last. */
  ccs_sim_schedule_capacity(handle: number, direction: number, at_us: number, capacity_bps: number): number;
  /** A span of time with metrics of its own; window 0 is the whole run. */
  ccs_sim_add_window(handle: number, begin_us: number, end_us: number): number;
  /** The input buffer holds the values of the source, in the order of the schema, where `live` is 1 those of the
   * path of a live call (sim/live/live_flow.h), those of the controller, then pairs of begin and end of pauses. A
   * stop_us of NaN: the flow does not stop. */
  ccs_sim_add_media_flow(
    handle: number,
    direction: number,
    start_us: number,
    stop_us: number,
    extra_delay_us: number,
    controller: number,
    live: number,
    pauses: number,
  ): number;
  /** The input buffer holds TCP's values in the order of the schema, then, for short files, the smallest
   * and the largest size in bytes and the mean pause in us. */
  ccs_sim_add_tcp_flow(
    handle: number,
    direction: number,
    start_us: number,
    stop_us: number,
    extra_delay_us: number,
    congestion_control: number,
    short_files: number,
  ): number;
  /** `tables`: one bit for each trace table. */
  ccs_sim_trace(handle: number, tables: number, interval_us: number): number;
  /** The sender half of a flow, for ccs_density(); null if that is not a media flow. */
  ccs_sim_sender_half(handle: number, flow: number): number;
  /** The simulation's trace. */
  ccs_sim_recorder(handle: number): number;
  /** Runs on to end_us, or to the end of the simulation if that comes first. Fails where the run's limits are
   * reached: its events, packets under way, rows that were not drained. */
  ccs_sim_run_until(handle: number, end_us: number): number;
  ccs_sim_now_us(handle: number): number;
  ccs_sim_events(handle: number): number;
  /** The metrics of one window as flat numbers, in the order of abi/simulation_rows.def: the window, the forward path
   * and the backward one, each with its drops by reason, then the flows. Their count is ccs_sim_metrics_size() after
   * the call. */
  ccs_sim_metrics(handle: number, window: number): number;
  ccs_sim_metrics_size(handle: number): number;
}

/** Where the values of a link's rows stand (wasm/abi/link_rows.def). */
export const LINK_DELIVERY = {
  packetId: 0,
  sizeBytes: 1,
  offeredUs: 2,
  departUs: 3,
  deliverUs: 4,
  queueDelayUs: 5,
} as const;
export const LINK_DROP = { packetId: 0, sizeBytes: 1, offeredUs: 2, timeUs: 3, reason: 4 } as const;
export const LINK_STAT = {
  queuePackets: 0,
  queueBytes: 1,
  queueDelayUs: 2,
  capacityBps: 3,
  packetsInside: 4,
  offeredPackets: 5,
  offeredBytes: 6,
  lostPackets: 7,
  droppedPackets: 8,
  droppedBytes: 9,
  departedPackets: 10,
  departedBytes: 11,
  deliveredPackets: 12,
  deliveredBytes: 13,
  crossDepartedBytes: 14,
  crossDrops: 15,
} as const;

/** What a simulation tells of a window, in this order (wasm/abi/simulation_rows.def). */
export const DISTRIBUTION = {
  count: 'number',
  mean: 'number',
  sd: 'number',
  min: 'number',
  max: 'number',
  p5: 'number',
  p25: 'number',
  p50: 'number',
  p75: 'number',
  p95: 'number',
  p99: 'number',
} as const;
export const SIM_WINDOW = {
  beginUs: 'number',
  endUs: 'number',
  jain: 'number',
  jainMean: 'number',
  jainAll: 'number',
  jainAllMean: 'number',
} as const;
export const SIM_PATH = {
  capacityBps: 'number',
  utilisation: 'number',
  queueDelayUs: 'distribution',
  deliveredPackets: 'number',
  deliveredBytes: 'number',
} as const;
export const SIM_FLOW = {
  kind: 'number',
  direction: 'number',
  sentPackets: 'number',
  sentBytes: 'number',
  receivedPackets: 'number',
  receivedBytes: 'number',
  lostPackets: 'number',
  lostBytes: 'number',
  lossRatio: 'number',
  sendRateBps: 'number',
  receiveRateBps: 'number',
  goodputBps: 'number',
  targetRateBps: 'number',
  receiveRateSdBps: 'number',
  lossBoundShare: 'number',
  capacityShareMean: 'number',
  frames: 'number',
  freezes: 'number',
  longestFreezeUs: 'number',
  convergenceUs: 'number',
  probeQueueDelayUs: 'distribution',
  rttUs: 'distribution',
  queueDelayUs: 'distribution',
  owdQueueDelayUs: 'distribution',
  e2eQueueDelayUs: 'distribution',
} as const;
