// The ABI of the core: every function that the module exports, for C and C++.
//
// Conventions:
// - A handle is an opaque pointer. It must not be used after its destroy function has been called.
// - Numbers are doubles, in microseconds, bits per second and bytes. The end of a name gives the unit.
// - Times are relative to an origin that the caller chooses.
// - No exception crosses this boundary. A function that can fail returns 0 on success and 1 on failure, and a failed
//   call changes nothing, unless the function's comment states otherwise. After a failure, ccs_last_error() names the
//   field and what was expected.
// - Parameters, presets, queue disciplines and trace tables are identified by their index in ccs_schema(), not by name.
#ifndef CCSCOPE_ABI_CCSCOPE_H_
#define CCSCOPE_ABI_CCSCOPE_H_

#ifdef __cplusplus
extern "C" {
#endif

// The version of this ABI. The TypeScript bindings reject any other version.
int ccs_abi_version(void);
// The schema as JSON: all names, units, limits and defaults.
const char* ccs_schema(void);
// The error message of the most recent call that failed, as "field: what was expected". Empty if no call has failed.
const char* ccs_last_error(void);
// A buffer for `doubles` numbers, which the next function of the ABI reads as its input. The pointer is valid until
// ccs_input_buffer() is called again.
double* ccs_input_buffer(int doubles);

// --- Controllers. Each controller has a receiver half and a sender half (cc/controller.h). Each half is a session with
// its own trace. Input rows are passed in the session's buffer, with their columns in the order of trace/columns.def.
// NaN marks an absent value.

// Creates the receiver half of a controller. All its parameters are read from the input buffer. `flow` is a whole
// number below 2^32 that is recorded in each row. Returns null on bad arguments.
void* ccs_receiver_create(int controller, double flow);
// Lets two receiver halves that receive the same stream share the analysis of its frames. The results are the same as
// without sharing, but most of the work is done only once. Every arrival must still be passed to both halves. Fails if
// either half has already had an arrival.
int ccs_receiver_share_frames(void* handle, void* other);
// Creates the sender half of a controller, with the arguments of ccs_receiver_create(). `seed` is for controllers that
// draw random numbers.
void* ccs_sender_create(int controller, double flow, double seed);
void ccs_session_destroy(void* handle);
// Records only the tables whose bits are set in `tables`; by default all tables are recorded.
void ccs_session_record(void* handle, int tables);
// The value of a parameter; NaN if the controller has no parameter with this index.
double ccs_session_parameter(void* handle, int index);
// Changes one parameter; allowed in the middle of a call.
int ccs_session_set_parameter(void* handle, int index, double value);
// Sets all parameters to the values in the input buffer.
int ccs_session_configure(void* handle);
// A buffer for `doubles` numbers, which the next push function reads.
double* ccs_session_buffer(void* handle, int doubles);
// Consumes `rows` rows of the table `arrival` from the buffer. Stops at the first invalid row; the rows before it
// have been consumed.
int ccs_receiver_push_arrivals(void* handle, int rows);
// Like ccs_receiver_push_arrivals(), for rows of the table `inbound`.
int ccs_receiver_push_inbound(void* handle, int rows);
// Writes into the buffer the newest feedback that became due since the previous call: time_us, received_rate_bps,
// packets_received, packets_lost, echo_send_time_us, echo_delay_us, then the controller's own values. Returns the
// number of values written, or 0 if no feedback is due.
int ccs_receiver_take_feedback(void* handle);
// Consumes a feedback message of `count` numbers from the buffer, received at `now_us` on the sender's clock.
int ccs_sender_push_feedback(void* handle, double now_us, int count);
// Passes the cumulative counts of RTCP receiver reports to the sender half. Call it only while no feedback arrives.
int ccs_sender_push_receiver_report(void* handle, double now_us, double packets_received, double packets_lost);
// Passes the cumulative bytes sent, the RTT, and the browser's own bandwidth estimate to the sender half. NaN stands
// for an unknown value.
int ccs_sender_push_sent(void* handle, double now_us, double sent_bytes, double rtt_us, double browser_estimate_bps);
// Computes the rates at `now_us` and records a row of the table `rate`. Writes into the buffer: the target, the pacing
// rate, GCC's loss-based rate A_s and delay-based rate A_r (all in bps), the fraction lost, and the RTT (us).
int ccs_sender_run(void* handle, double now_us);
// The sender half of a session, for ccs_density().
void* ccs_sender_half(void* handle);
// The session's trace, for the ccs_trace_ functions below.
void* ccs_session_recorder(void* handle);

// --- Traces: what a session or a simulation recorded, column by column.

// The number of rows of a table; 0 for a table that the schema does not have.
int ccs_trace_rows(void* recorder, int table);
// One column of a table that has rows, with as many numbers as there are rows. The pointer is valid until something is
// recorded or cleared.
const double* ccs_trace_column(void* recorder, int table, int column);
// For each input row since the last clear: one byte with the index of the row's table, in the order in which the rows
// were consumed.
const unsigned char* ccs_trace_input_order(void* recorder);
int ccs_trace_input_count(void* recorder);
void ccs_trace_clear(void* recorder);

// --- The joint density of sending rate and one-way delay that a sender half has learnt (LCC Fig. 1), on a grid. `half`
// comes from ccs_sender_half() or ccs_sim_sender_half(). The input buffer begins with the two ends of the rate axis
// (bps) and the two ends of the delay axis (us). If both ends of an axis are NaN, the axis covers the whole range of
// the density. After these four numbers, the buffer must have room for rates * delays values. On return the buffer
// contains the ends that were used, and then the density in 1 / (bps us): for each delay, the values at all rates.
// Returns 1 on success, 0 if no density has been learnt, -1 for a bad argument.
int ccs_density(void* half, int rates, int delays);

// --- A link: a bottleneck with its queue discipline, loss, jitter and propagation delay (sim/link.h), and the TCP
// connections that share it. Times must not go backwards.

// Creates a link. The parameters of the queue discipline are in the input buffer, in the order of the schema. Returns
// null if a value is refused.
void* ccs_link_create(double capacity_bps, int queue_kind, int queue_values, int mode, double burst_bytes,
                      double one_way_delay_us, double loss_ratio, double jitter_us, double seed);
void ccs_link_destroy(void* handle);
// Offers a packet. Returns the drop reason (0: not dropped at once), or -1 if a value is refused.
int ccs_link_enqueue(void* handle, double id, double size_bytes, int flow, double now_us);
// Advances the link to now_us and collects the deliveries and drops up to now_us. Returns the number of deliveries, or
// -1 if the time is refused.
int ccs_link_poll(void* handle, double now_us);
// The deliveries of the last poll; abi/link_rows.def lists the columns. A packet that is delayed by reordering keeps
// its original place in this list. Its deliver_us may lie in the future; then the caller must hold the packet until
// that time.
const double* ccs_link_deliveries(void* handle);
int ccs_link_drop_count(void* handle);
// The drops of the last poll; abi/link_rows.def lists the columns.
const double* ccs_link_drops(void* handle);
// When to call ccs_link_poll() next: nothing is delivered before that time. Infinity if no packet is in flight and
// there is no cross traffic.
double ccs_link_next_event_us(void* handle);
int ccs_link_set_capacity(void* handle, double capacity_bps, double now_us);
// Replaces the scheduled changes of capacity. The input buffer contains `steps` pairs of a time and a capacity, in time
// order. If `steps` is 0, all scheduled changes are cancelled.
int ccs_link_set_schedule(void* handle, int steps);
int ccs_link_set_mode(void* handle, int mode, double now_us);
int ccs_link_set_one_way_delay(void* handle, double one_way_delay_us, double now_us);
int ccs_link_set_loss_ratio(void* handle, double loss_ratio, double now_us);
// Sets the mean length of a burst of losses, in packets.
int ccs_link_set_burst_loss(void* handle, double packets, double now_us);
// Starts outages at now_us; a mean_off_us of 0 ends them.
int ccs_link_set_outages(void* handle, double mean_on_us, double mean_off_us, int off_phases, double now_us);
// Delays each packet of the caller, with probability `ratio`, by a further delay_us after the bottleneck. A ratio of 0
// turns reordering off.
int ccs_link_set_reordering(void* handle, double ratio, double delay_us, double now_us);
// Sets the round-trip propagation delay of the TCP connections.
int ccs_link_set_cross_rtt(void* handle, double rtt_us, double now_us);
// Sets how many TCP connections share the queue from now_us on.
int ccs_link_set_cross_traffic(void* handle, double cubic, double new_reno, double now_us);
int ccs_link_set_jitter(void* handle, double jitter_us, double now_us);
int ccs_link_set_queue(void* handle, int queue_kind, int queue_values, double now_us);
// The state of the link at now_us; abi/link_rows.def lists the values. The values of the queue include cross traffic.
// Counts start at the link's creation. Random losses are included in dropped_bytes and cross_drops, but not in
// dropped_packets. Null if now_us is refused.
const double* ccs_link_stats(void* handle, double now_us);

// --- A simulation (sim/simulation.h). Create its windows first, then its paths (direction 0 forward, 1 backward),
// its flows and its trace; then run it.

// Creates a simulation. Returns null if a value is refused.
void* ccs_sim_create(double duration_us, double rate_interval_us, double seed, double max_events);
void ccs_sim_destroy(void* handle);
// Sets the outages of a path. Call it before the path is created.
int ccs_sim_set_outages(void* handle, int direction, double mean_on_us, double mean_off_us, int off_phases);
// Sets the mean length of a burst of losses, in packets. Call it before the path is created.
int ccs_sim_set_burst_loss(void* handle, int direction, double packets);
// Sets whether jitter acts after the bottleneck and the propagation delay, instead of before the queue. Call it before
// the path is created.
int ccs_sim_set_jitter_behind_queue(void* handle, int direction, int behind);
// Sets reordering: each packet is delayed, with probability `ratio`, by a further delay_us after the bottleneck. Call
// it before the path is created.
int ccs_sim_set_reordering(void* handle, int direction, double ratio, double delay_us);
// Creates a path with a bottleneck. The parameters of the queue discipline are in the input buffer, in the order of the
// schema.
int ccs_sim_set_bottleneck(void* handle, int direction, double capacity_bps, int queue_kind, int queue_values, int mode,
                           double burst_bytes, double one_way_delay_us, double loss_ratio, double jitter_us);
// Creates a path without a bottleneck. It applies the given delay, loss and jitter, and the outages, bursts of losses
// and reordering that were set before.
int ccs_sim_set_delay(void* handle, int direction, double one_way_delay_us, double loss_ratio, double jitter_us);
// Schedules a change of a bottleneck's capacity. Changes must be scheduled in time order.
int ccs_sim_schedule_capacity(void* handle, int direction, double at_us, double capacity_bps);
// Adds a span of time that gets its own metrics; window 0 is the whole run.
int ccs_sim_add_window(void* handle, double begin_us, double end_us);
// Adds a media flow. If stop_us is NaN, the flow does not stop. The input buffer contains, in this order:
// - the parameters of the source,
// - if `live` is 1, the parameters of a live call's path (sim/live/live_flow.h),
// - the parameters of the controller,
// - the beginning and the end of each pause.
int ccs_sim_add_media_flow(void* handle, int direction, double start_us, double stop_us, double extra_delay_us,
                           int controller, int live, int pauses);
// Adds a TCP flow. The input buffer contains TCP's parameters in the order of the schema. If `short_files` is 1, the
// flow sends short files; the buffer then also contains the smallest and the largest file size in bytes, and the mean
// pause between files in us.
int ccs_sim_add_tcp_flow(void* handle, int direction, double start_us, double stop_us, double extra_delay_us,
                         int congestion_control, int short_files);
// Records the trace tables whose bits are set in `tables`. Tables that are sampled get a row every interval_us.
int ccs_sim_trace(void* handle, int tables, double interval_us);
// Functions that change a path between two calls of ccs_sim_run_until(). A change takes effect at the current simulated
// time. All of them except ccs_sim_change_delay() require a path with a bottleneck. The parameters of a new queue are
// in the input buffer, in the order of the schema. Waiting packets move to the new queue.
int ccs_sim_change_delay(void* handle, int direction, double one_way_delay_us);
int ccs_sim_change_queue(void* handle, int direction, int queue_kind, int queue_values);
int ccs_sim_change_mode(void* handle, int direction, int mode);
int ccs_sim_change_loss(void* handle, int direction, double loss_ratio, double burst_packets);
int ccs_sim_change_jitter(void* handle, int direction, double jitter_us);
// Starts outages; a mean_off_us of 0 ends them.
int ccs_sim_change_outages(void* handle, int direction, double mean_on_us, double mean_off_us, int off_phases);
int ccs_sim_change_reordering(void* handle, int direction, double ratio, double delay_us);
// Sets all parameters of a media flow's controller to the values in the input buffer, from the current simulated time
// on.
int ccs_sim_configure(void* handle, int flow);
// The sender half of a flow, for ccs_density(); null if the flow is not a media flow.
void* ccs_sim_sender_half(void* handle, int flow);
// The simulation's trace.
void* ccs_sim_recorder(void* handle);
// Runs until end_us, or to the end of the simulation if that comes first. Fails if one of the run's limits is reached:
// the amount of work (sim/simulation.h), the number of packets under way, or the number of trace rows that the caller
// has not cleared yet. The events before that have been run.
int ccs_sim_run_until(void* handle, double end_us);
double ccs_sim_now_us(void* handle);
double ccs_sim_events(void* handle);
// The metrics of one window as flat numbers, in the order of abi/simulation_rows.def: first the window, then the
// forward and the backward path, each with its drops by reason, and then the flows. After this call,
// ccs_sim_metrics_size() returns how many numbers there are.
const double* ccs_sim_metrics(void* handle, int window);
int ccs_sim_metrics_size(void* handle);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CCSCOPE_ABI_CCSCOPE_H_
