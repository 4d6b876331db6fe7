// Generated from wasm/abi/ccscope.h by scripts/generate_abi.mjs. Do not edit.

/** The core's functions. Pointers, handles and everything else are numbers. */
export interface Abi {
  /** The version of this ABI. The TypeScript bindings reject any other version. */
  ccs_abi_version(): number;
  /** The schema as JSON: all names, units, limits and defaults. */
  ccs_schema(): number;
  /** The error message of the most recent call that failed, as "field: what was expected". Empty if no call has failed. */
  ccs_last_error(): number;
  /** A buffer for `doubles` numbers, which the next function of the ABI reads as its input. The pointer is valid until
   * ccs_input_buffer() is called again. */
  ccs_input_buffer(doubles: number): number;
  /** Creates the receiver half of a controller. All its parameters are read from the input buffer. `flow` is a whole
   * number below 2^32 that is recorded in each row. Returns null on bad arguments. */
  ccs_receiver_create(controller: number, flow: number): number;
  /** Lets two receiver halves that receive the same stream share the analysis of its frames. The results are the same as
   * without sharing, but most of the work is done only once. Every arrival must still be passed to both halves. Fails if
   * either half has already had an arrival. */
  ccs_receiver_share_frames(handle: number, other: number): number;
  /** Creates the sender half of a controller, with the arguments of ccs_receiver_create(). `seed` is for controllers that
   * draw random numbers. */
  ccs_sender_create(controller: number, flow: number, seed: number): number;
  ccs_session_destroy(handle: number): number;
  /** Records only the tables whose bits are set in `tables`; by default all tables are recorded. */
  ccs_session_record(handle: number, tables: number): number;
  /** The value of a parameter; NaN if the controller has no parameter with this index. */
  ccs_session_parameter(handle: number, index: number): number;
  /** Changes one parameter; allowed in the middle of a call. */
  ccs_session_set_parameter(handle: number, index: number, value: number): number;
  /** Sets all parameters to the values in the input buffer. */
  ccs_session_configure(handle: number): number;
  /** A buffer for `doubles` numbers, which the next push function reads. */
  ccs_session_buffer(handle: number, doubles: number): number;
  /** Consumes `rows` rows of the table `arrival` from the buffer. Stops at the first invalid row; the rows before it
   * have been consumed. */
  ccs_receiver_push_arrivals(handle: number, rows: number): number;
  /** Like ccs_receiver_push_arrivals(), for rows of the table `inbound`. */
  ccs_receiver_push_inbound(handle: number, rows: number): number;
  /** Writes into the buffer the newest feedback that became due since the previous call: time_us, received_rate_bps,
   * packets_received, packets_lost, echo_send_time_us, echo_delay_us, then the controller's own values. Returns the
   * number of values written, or 0 if no feedback is due. */
  ccs_receiver_take_feedback(handle: number): number;
  /** Consumes a feedback message of `count` numbers from the buffer, received at `now_us` on the sender's clock. */
  ccs_sender_push_feedback(handle: number, now_us: number, count: number): number;
  /** Passes the cumulative counts of RTCP receiver reports to the sender half. Call it only while no feedback arrives. */
  ccs_sender_push_receiver_report(
    handle: number,
    now_us: number,
    packets_received: number,
    packets_lost: number,
  ): number;
  /** Passes the cumulative bytes sent, the RTT, and the browser's own bandwidth estimate to the sender half. NaN stands
   * for an unknown value. */
  ccs_sender_push_sent(
    handle: number,
    now_us: number,
    sent_bytes: number,
    rtt_us: number,
    browser_estimate_bps: number,
  ): number;
  /** Computes the rates at `now_us` and records a row of the table `rate`. Writes into the buffer: the target, the pacing
   * rate, GCC's loss-based rate A_s and delay-based rate A_r (all in bps), the fraction lost, and the RTT (us). */
  ccs_sender_run(handle: number, now_us: number): number;
  /** The sender half of a session, for ccs_density(). */
  ccs_sender_half(handle: number): number;
  /** The session's trace, for the ccs_trace_ functions below. */
  ccs_session_recorder(handle: number): number;
  /** The number of rows of a table; 0 for a table that the schema does not have. */
  ccs_trace_rows(recorder: number, table: number): number;
  /** One column of a table that has rows, with as many numbers as there are rows. The pointer is valid until something is
   * recorded or cleared. */
  ccs_trace_column(recorder: number, table: number, column: number): number;
  /** For each input row since the last clear: one byte with the index of the row's table, in the order in which the rows
   * were consumed. */
  ccs_trace_input_order(recorder: number): number;
  ccs_trace_input_count(recorder: number): number;
  ccs_trace_clear(recorder: number): number;
  ccs_density(half: number, rates: number, delays: number): number;
  /** Creates a link. The parameters of the queue discipline are in the input buffer, in the order of the schema. Returns
   * null if a value is refused. */
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
  /** Offers a packet. Returns the drop reason (0: not dropped at once), or -1 if a value is refused. */
  ccs_link_enqueue(handle: number, id: number, size_bytes: number, flow: number, now_us: number): number;
  /** Advances the link to now_us and collects the deliveries and drops up to now_us. Returns the number of deliveries, or
   * -1 if the time is refused. */
  ccs_link_poll(handle: number, now_us: number): number;
  /** The deliveries of the last poll; abi/link_rows.def lists the columns. A packet that is delayed by reordering keeps
   * its original place in this list. Its deliver_us may lie in the future; then the caller must hold the packet until
   * that time. */
  ccs_link_deliveries(handle: number): number;
  ccs_link_drop_count(handle: number): number;
  /** The drops of the last poll; abi/link_rows.def lists the columns. */
  ccs_link_drops(handle: number): number;
  /** When to call ccs_link_poll() next: nothing is delivered before that time. Infinity if no packet is in flight and
   * there is no cross traffic. */
  ccs_link_next_event_us(handle: number): number;
  ccs_link_set_capacity(handle: number, capacity_bps: number, now_us: number): number;
  /** Replaces the scheduled changes of capacity. The input buffer contains `steps` pairs of a time and a capacity, in time
   * order. If `steps` is 0, all scheduled changes are cancelled. */
  ccs_link_set_schedule(handle: number, steps: number): number;
  ccs_link_set_mode(handle: number, mode: number, now_us: number): number;
  ccs_link_set_one_way_delay(handle: number, one_way_delay_us: number, now_us: number): number;
  ccs_link_set_loss_ratio(handle: number, loss_ratio: number, now_us: number): number;
  /** Sets the mean length of a burst of losses, in packets. */
  ccs_link_set_burst_loss(handle: number, packets: number, now_us: number): number;
  /** Starts outages at now_us; a mean_off_us of 0 ends them. */
  ccs_link_set_outages(
    handle: number,
    mean_on_us: number,
    mean_off_us: number,
    off_phases: number,
    now_us: number,
  ): number;
  /** Delays each packet of the caller, with probability `ratio`, by a further delay_us after the bottleneck. A ratio of 0
   * turns reordering off. */
  ccs_link_set_reordering(handle: number, ratio: number, delay_us: number, now_us: number): number;
  /** Sets the round-trip propagation delay of the TCP connections. */
  ccs_link_set_cross_rtt(handle: number, rtt_us: number, now_us: number): number;
  /** Sets how many TCP connections share the queue from now_us on. */
  ccs_link_set_cross_traffic(handle: number, cubic: number, new_reno: number, now_us: number): number;
  ccs_link_set_jitter(handle: number, jitter_us: number, now_us: number): number;
  ccs_link_set_queue(handle: number, queue_kind: number, queue_values: number, now_us: number): number;
  /** The state of the link at now_us; abi/link_rows.def lists the values. The values of the queue include cross traffic.
   * Counts start at the link's creation. Random losses are included in dropped_bytes and cross_drops, but not in
   * dropped_packets. Null if now_us is refused. */
  ccs_link_stats(handle: number, now_us: number): number;
  /** Creates a simulation. Returns null if a value is refused. */
  ccs_sim_create(duration_us: number, rate_interval_us: number, seed: number, max_events: number): number;
  ccs_sim_destroy(handle: number): number;
  /** Sets the outages of a path. Call it before the path is created. */
  ccs_sim_set_outages(
    handle: number,
    direction: number,
    mean_on_us: number,
    mean_off_us: number,
    off_phases: number,
  ): number;
  /** Sets the mean length of a burst of losses, in packets. Call it before the path is created. */
  ccs_sim_set_burst_loss(handle: number, direction: number, packets: number): number;
  /** Sets whether jitter acts after the bottleneck and the propagation delay, instead of before the queue. Call it before
   * the path is created. */
  ccs_sim_set_jitter_behind_queue(handle: number, direction: number, behind: number): number;
  /** Sets reordering: each packet is delayed, with probability `ratio`, by a further delay_us after the bottleneck. Call
   * it before the path is created. */
  ccs_sim_set_reordering(handle: number, direction: number, ratio: number, delay_us: number): number;
  /** Creates a path with a bottleneck. The parameters of the queue discipline are in the input buffer, in the order of the
   * schema. */
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
  /** Creates a path without a bottleneck. It applies the given delay, loss and jitter, and the outages, bursts of losses
   * and reordering that were set before. */
  ccs_sim_set_delay(
    handle: number,
    direction: number,
    one_way_delay_us: number,
    loss_ratio: number,
    jitter_us: number,
  ): number;
  /** Schedules a change of a bottleneck's capacity. Changes must be scheduled in time order. */
  ccs_sim_schedule_capacity(handle: number, direction: number, at_us: number, capacity_bps: number): number;
  /** Adds a span of time that gets its own metrics; window 0 is the whole run. */
  ccs_sim_add_window(handle: number, begin_us: number, end_us: number): number;
  /** Adds a media flow. If stop_us is NaN, the flow does not stop. The input buffer contains, in this order:
   * - the parameters of the source,
   * - if `live` is 1, the parameters of a live call's path (sim/live/live_flow.h),
   * - the parameters of the controller,
   * - the beginning and the end of each pause. */
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
  /** Adds a TCP flow. The input buffer contains TCP's parameters in the order of the schema. If `short_files` is 1, the
   * flow sends short files; the buffer then also contains the smallest and the largest file size in bytes, and the mean
   * pause between files in us. */
  ccs_sim_add_tcp_flow(
    handle: number,
    direction: number,
    start_us: number,
    stop_us: number,
    extra_delay_us: number,
    congestion_control: number,
    short_files: number,
  ): number;
  /** Records the trace tables whose bits are set in `tables`. Tables that are sampled get a row every interval_us. */
  ccs_sim_trace(handle: number, tables: number, interval_us: number): number;
  /** Functions that change a path between two calls of ccs_sim_run_until(). A change takes effect at the current simulated
   * time. All of them except ccs_sim_change_delay() require a path with a bottleneck. The parameters of a new queue are
   * in the input buffer, in the order of the schema. Waiting packets move to the new queue. */
  ccs_sim_change_delay(handle: number, direction: number, one_way_delay_us: number): number;
  ccs_sim_change_queue(handle: number, direction: number, queue_kind: number, queue_values: number): number;
  ccs_sim_change_mode(handle: number, direction: number, mode: number): number;
  ccs_sim_change_loss(handle: number, direction: number, loss_ratio: number, burst_packets: number): number;
  ccs_sim_change_jitter(handle: number, direction: number, jitter_us: number): number;
  /** Starts outages; a mean_off_us of 0 ends them. */
  ccs_sim_change_outages(
    handle: number,
    direction: number,
    mean_on_us: number,
    mean_off_us: number,
    off_phases: number,
  ): number;
  ccs_sim_change_reordering(handle: number, direction: number, ratio: number, delay_us: number): number;
  /** Sets all parameters of a media flow's controller to the values in the input buffer, from the current simulated time
   * on. */
  ccs_sim_configure(handle: number, flow: number): number;
  /** The sender half of a flow, for ccs_density(); null if the flow is not a media flow. */
  ccs_sim_sender_half(handle: number, flow: number): number;
  /** The simulation's trace. */
  ccs_sim_recorder(handle: number): number;
  /** Runs until end_us, or to the end of the simulation if that comes first. Fails if one of the run's limits is reached:
   * the amount of work (sim/simulation.h), the number of packets under way, or the number of trace rows that the caller
   * has not cleared yet. The events before that have been run. */
  ccs_sim_run_until(handle: number, end_us: number): number;
  ccs_sim_now_us(handle: number): number;
  ccs_sim_events(handle: number): number;
  /** The metrics of one window as flat numbers, in the order of abi/simulation_rows.def: first the window, then the
   * forward and the backward path, each with its drops by reason, and then the flows. After this call,
   * ccs_sim_metrics_size() returns how many numbers there are. */
  ccs_sim_metrics(handle: number, window: number): number;
  ccs_sim_metrics_size(handle: number): number;
}

/** The position of each value in the rows of a link (wasm/abi/link_rows.def). */
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

/** The values that a simulation reports for a window, in this order (wasm/abi/simulation_rows.def). */
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
