/*
 * What a WebAssembly module has to export to be a congestion controller of ccscope: the functions that
 * ccscope's own module has for the halves of controllers. `wasmController` and `ccscope --controller
 * FILE.wasm` take it.
 *
 * Each half gets an instance of the module for itself: global variables are the half's own. Numbers are
 * doubles in microseconds, bits per second and bytes; NaN stands for "absent". Functions that return a
 * status return 0, or 1 when they failed: then the half is asked no more, and its last good rate stays.
 *
 * What every controller needs is done around the module: the received rate, the counters of packets,
 * echo and RTT, the application's bounds, and the rows of the trace.
 */
#ifndef CCSCOPE_CONTROLLER_H_
#define CCSCOPE_CONTROLLER_H_

#ifdef __cplusplus
#define CCSCOPE_C extern "C"
#else
#define CCSCOPE_C
#endif

/* Before each definition: CCSCOPE_FN(int, ccs_sender_run)(void* half, double now_us) { ... } */
#define CCSCOPE_FN(type, name) CCSCOPE_C __attribute__((used, visibility("default"), export_name(#name))) type name

/* What ccs_input_buffer() holds when a half is made. */
struct ccs_bitrates {
  double min_bps;
  double max_bps;
  double start_bps;
};

/* What ccs_session_buffer() holds when an arrival is pushed: a frame in a call, a packet in a simulation. */
struct ccs_arrival {
  double flow;
  double seq;
  double send_time_us;    /* on the sender's clock */
  double arrival_time_us; /* on the receiver's clock */
  double size_bytes;
  double rtp_timestamp;
  double abs_send_time;
  double key_frame; /* 1: it is one */
  double rtt_us;    /* as the sender last knew it */
};

/* Likewise for cumulative counters of the wire; in calls only. */
struct ccs_inbound {
  double flow;
  double time_us;
  double packets_received;
  double packets_lost;
  double bytes_received;
};

/* A message from the receiver half to the sender half. A receiver fills in its values, at most 64; the
 * fields in front of them are filled in for it. */
struct ccs_feedback {
  double time_us; /* receiver's clock */
  double received_rate_bps;
  double packets_received; /* cumulative */
  double packets_lost;     /* cumulative */
  double echo_send_time_us;
  double echo_delay_us;
  double values[64];
};
#define CCS_FEEDBACK_FIELDS 6

/* What ccs_session_buffer() holds after ccs_sender_run(). */
struct ccs_rates {
  double target_bps; /* for the encoder */
  double pacing_bps; /* for the pacer; NaN: 1.5 times the target */
};

/* Room for this many doubles. One buffer may serve all uses: each use is read before the next one is written. */
CCSCOPE_C double* ccs_input_buffer(int doubles);
CCSCOPE_C double* ccs_session_buffer(void* half, int doubles);

/* The receiver half. `controller` is 0 unless the host chose another. Null: it could not be made; else
 * any other pointer, which names the half from then on. */
CCSCOPE_C void* ccs_receiver_create(int controller, double flow);
/* `rows` is 1. */
CCSCOPE_C int ccs_receiver_push_arrivals(void* half, int rows);
/* How many numbers the message that became due has, fields included; 0: none is due. It is in ccs_session_buffer(). */
CCSCOPE_C int ccs_receiver_take_feedback(void* half);

/* The sender half. `seed` is for random numbers. */
CCSCOPE_C void* ccs_sender_create(int controller, double flow, double seed);
/* A message of `count` numbers came in at `now_us`, on the sender's clock. */
CCSCOPE_C int ccs_sender_push_feedback(void* half, double now_us, int count);
/* The rates at `now_us`. */
CCSCOPE_C int ccs_sender_run(void* half, double now_us);

/* These may be left out. */
CCSCOPE_C int ccs_receiver_push_inbound(void* half, int rows);
/* `rtt_us` is a number, the others are NaN. */
CCSCOPE_C int ccs_sender_push_sent(void* half, double now_us, double sent_bytes, double rtt_us, double estimate_bps);
/* Why a function failed: text that ends with a zero. */
CCSCOPE_C const char* ccs_last_error(void);

#endif /* CCSCOPE_CONTROLLER_H_ */
