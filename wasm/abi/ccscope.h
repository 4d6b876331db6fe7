// The ABI of the core: every function that the module exports, for C and C++.
//
// Conventions: a handle is an opaque pointer, and its owner calls nothing with it after its destroy; numbers
// are doubles in microseconds, bits per second and bytes, counted from an origin of the caller's choice; a
// name ends in its unit. No exception crosses this boundary. A function that can fail returns 0, or refuses:
// then it changes nothing, returns 1 (or a null pointer, or -1, where it says so), and ccs_last_error()
// names the field and what was expected.
//
// Parameters, presets, queue disciplines and trace tables have no names here, but the places that they have
// in ccs_schema().
#ifndef CCSCOPE_ABI_CCSCOPE_H_
#define CCSCOPE_ABI_CCSCOPE_H_

#ifdef __cplusplus
extern "C" {
#endif

// The version of this ABI; the TypeScript bindings refuse another.
int ccs_abi_version(void);
// All names, units, limits and defaults, as JSON.
const char* ccs_schema(void);
// What the last call that failed has to say: "field: what was expected". Empty before one did.
const char* ccs_last_error(void);
// Room for `doubles` numbers that the next call reads. The pointer holds until the next call of this.
double* ccs_input_buffer(int doubles);

// --- Controllers: a receiver half and a sender half, each with its trace. Rows go in through the session's
// buffer, columns in the order of trace/columns.def; NaN stands for what is absent.

// A receiver half of that controller, all its parameters from the input buffer; null on bad arguments.
// `flow` is a whole number below 2^32, which its rows carry.
void* ccs_receiver_create(int controller, double flow);
// Has a receiver half go through frames together with another one of the same stream, which gets each arrival, too:
// results are the same, and most of the work is done once. Refused once one of them has had an arrival.
int ccs_receiver_share_frames(void* handle, void* other);
// A sender half, made in the same way; `seed` is for controllers that draw random numbers.
void* ccs_sender_create(int controller, double flow, double seed);
void ccs_session_destroy(void* handle);
// Only rows of the tables whose bits are set are recorded; at first all are.
void ccs_session_record(void* handle, int tables);
// NaN for an index that the schema does not have.
double ccs_session_parameter(void* handle, int index);
// Changes one parameter, also during a call.
int ccs_session_set_parameter(void* handle, int index, double value);
// Changes all parameters, to those in the input buffer.
int ccs_session_configure(void* handle);
// Room for `doubles` numbers to be read by the next push.
double* ccs_session_buffer(void* handle, int doubles);
// `rows` rows of the table `arrival` from the buffer. Stops at the first bad one; the rows before it count.
int ccs_receiver_push_arrivals(void* handle, int rows);
// `rows` rows of the table `inbound` from the buffer, under the same rules.
int ccs_receiver_push_inbound(void* handle, int rows);
// The latest feedback that became due since the last call, in the buffer: time_us, received_rate_bps,
// packets_received, packets_lost, echo_send_time_us, echo_delay_us, then the controller's own values.
// Returns how many numbers that are, and 0 when no feedback is due.
int ccs_receiver_take_feedback(void* handle);
// A message of `count` numbers from the buffer, received at `now_us` on the sender's clock.
int ccs_sender_push_feedback(void* handle, double now_us, int count);
// Cumulative counts of RTCP receiver reports, while no feedback comes.
int ccs_sender_push_receiver_report(void* handle, double now_us, double packets_received, double packets_lost);
// What the sender knows of itself: cumulative bytes sent, the RTT and the browser's own estimate (each NaN
// where unknown).
int ccs_sender_push_sent(void* handle, double now_us, double sent_bytes, double rtt_us, double browser_estimate_bps);
// The rate at `now_us`; also a row of the table `rate`. In the buffer: target, pacing, A_s, A_r (bps),
// fraction lost, RTT (us).
int ccs_sender_run(void* handle, double now_us);
// The half itself, for ccs_density().
void* ccs_sender_half(void* handle);
// The session's trace, for the functions below.
void* ccs_session_recorder(void* handle);

// --- Traces: what a session or a simulation recorded, column by column.

// 0 for a table that the schema does not have.
int ccs_trace_rows(void* recorder, int table);
// As many numbers as the table has rows; they hold until something is recorded or cleared.
const double* ccs_trace_column(void* recorder, int table, int column);
// The table of each input row since the last clear, one byte each, in order of consumption.
const unsigned char* ccs_trace_input_order(void* recorder);
int ccs_trace_input_count(void* recorder);
void ccs_trace_clear(void* recorder);

// --- The density of sending rate and one-way delay that a sender half has learnt (LCC Fig. 1), on a grid.
// `half` comes from ccs_sender_half() or ccs_sim_sender_half(). In the input buffer: the ends of both axes
// (bps, bps, us, us; NaN: where the density ends) and room for the values; after the call: the ends that
// were taken, then for each delay the values per bps and us of all rates. Returns 1 for that, 0 if the
// controller has none, -1 for a bad argument.
int ccs_density(void* half, int rates, int delays);

// --- A link: a bottleneck with its queue discipline, loss, jitter and propagation delay (sim/link.h), and
// the TCP connections that share it. Times must not go back.

// The queue's values are in the input buffer, in the order of the schema; null if a value is refused.
void* ccs_link_create(double capacity_bps, int queue_kind, int queue_values, int mode, double burst_bytes,
                      double one_way_delay_us, double loss_ratio, double jitter_us, double seed);
void ccs_link_destroy(void* handle);
// The drop reason (0: not dropped), or -1 if a value is refused.
int ccs_link_enqueue(void* handle, double id, double size_bytes, int flow, double now_us);
// Fills the delivery and drop rows with what happened until now_us. Returns the number of delivery rows, or -1 if
// the time is refused.
int ccs_link_poll(void* handle, double now_us);
// Rows of what abi/link_rows.def has of a delivery. A packet that reordering holds back has
// its row where it would be without: then deliver_us may lie ahead, and the caller keeps it until then.
const double* ccs_link_deliveries(void* handle);
int ccs_link_drop_count(void* handle);
// Rows of what it has of a drop.
const double* ccs_link_drops(void* handle);
// When something leaves next; infinity if nothing is under way.
double ccs_link_next_event_us(void* handle);
int ccs_link_set_capacity(void* handle, double capacity_bps, double now_us);
// The changes of capacity that are ahead, in the place of earlier ones: in the input buffer are pairs of a
// time and a capacity, the times in order. No steps: none are ahead.
int ccs_link_set_schedule(void* handle, int steps);
int ccs_link_set_mode(void* handle, int mode, double now_us);
int ccs_link_set_one_way_delay(void* handle, double one_way_delay_us, double now_us);
int ccs_link_set_loss_ratio(void* handle, double loss_ratio, double now_us);
// The mean length of a burst of losses, in packets.
int ccs_link_set_burst_loss(void* handle, double packets, double now_us);
// Outages from now_us on; with a mean of 0, none.
int ccs_link_set_outages(void* handle, double mean_on_us, double mean_off_us, int off_phases, double now_us);
// The caller's packets are held back behind the bottleneck for delay_us with this probability; with 0, none.
int ccs_link_set_reordering(void* handle, double ratio, double delay_us, double now_us);
// Propagation there and back of the TCP connections.
int ccs_link_set_cross_rtt(void* handle, double rtt_us, double now_us);
// How many TCP connections share the queue from now_us on.
int ccs_link_set_cross_traffic(void* handle, double cubic, double new_reno, double now_us);
int ccs_link_set_jitter(void* handle, double jitter_us, double now_us);
int ccs_link_set_queue(void* handle, int queue_kind, int queue_values, double now_us);
// What abi/link_rows.def has of a link, at now_us: the queue's with cross traffic, counts since the link was made,
// those dropped with those lost. Null if now_us is refused.
const double* ccs_link_stats(void* handle, double now_us);

// --- A simulation (sim/simulation.h): first its windows, then its paths (direction 0 forward, 1 backward), its
// flows and its trace, then it runs.

// Null if a value is refused.
void* ccs_sim_create(double duration_us, double rate_interval_us, double seed, double max_events);
void ccs_sim_destroy(void* handle);
// Outages of the path of that direction; before the path itself.
int ccs_sim_set_outages(void* handle, int direction, double mean_on_us, double mean_off_us, int off_phases);
// The mean length of a burst of losses, in packets; before the path itself.
int ccs_sim_set_burst_loss(void* handle, int direction, double packets);
// Whether jitter acts behind the bottleneck and the propagation delay, not before the queue; before the path itself.
int ccs_sim_set_jitter_behind_queue(void* handle, int direction, int behind);
// Packets are held back behind the bottleneck for delay_us with this probability; before the path itself.
int ccs_sim_set_reordering(void* handle, int direction, double ratio, double delay_us);
// A path with a bottleneck; the queue's values are in the input buffer, in the order of the schema.
int ccs_sim_set_bottleneck(void* handle, int direction, double capacity_bps, int queue_kind, int queue_values, int mode,
                           double burst_bytes, double one_way_delay_us, double loss_ratio, double jitter_us);
// A path with loss, jitter and delay alone.
int ccs_sim_set_delay(void* handle, int direction, double one_way_delay_us, double loss_ratio, double jitter_us);
// A change of a bottleneck's capacity, not before the one that was scheduled last.
int ccs_sim_schedule_capacity(void* handle, int direction, double at_us, double capacity_bps);
// A span of time with metrics of its own; window 0 is the whole run.
int ccs_sim_add_window(void* handle, double begin_us, double end_us);
// The input buffer holds the values of the source, in the order of the schema, where `live` is 1 those of the
// path of a live call (sim/live/live_flow.h), those of the controller, then pairs of begin and end of pauses. A
// stop_us of NaN: the flow does not stop.
int ccs_sim_add_media_flow(void* handle, int direction, double start_us, double stop_us, double extra_delay_us,
                           int controller, int live, int pauses);
// The input buffer holds TCP's values in the order of the schema, then, for short files, the smallest
// and the largest size in bytes and the mean pause in us.
int ccs_sim_add_tcp_flow(void* handle, int direction, double start_us, double stop_us, double extra_delay_us,
                         int congestion_control, int short_files);
// `tables`: one bit for each trace table.
int ccs_sim_trace(void* handle, int tables, double interval_us);
// The sender half of a flow, for ccs_density(); null if that is not a media flow.
void* ccs_sim_sender_half(void* handle, int flow);
// The simulation's trace.
void* ccs_sim_recorder(void* handle);
// Runs on to end_us, or to the end of the simulation if that comes first. Fails where the run's limits are
// reached: its events, packets under way, rows that were not drained.
int ccs_sim_run_until(void* handle, double end_us);
double ccs_sim_now_us(void* handle);
double ccs_sim_events(void* handle);
// The metrics of one window as flat numbers, in the order of abi/simulation_rows.def: the window, the forward path
// and the backward one, each with its drops by reason, then the flows. Their count is ccs_sim_metrics_size() after
// the call.
const double* ccs_sim_metrics(void* handle, int window);
int ccs_sim_metrics_size(void* handle);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // CCSCOPE_ABI_CCSCOPE_H_
