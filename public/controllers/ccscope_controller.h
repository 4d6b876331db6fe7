/*
 * The functions that a WebAssembly module must export so that ccscope can use the module as a congestion controller.
 * A controller has two halves: the receiver half sees arrivals, and the sender half sets the rate. Pass such a module
 * to `wasmController` or to `ccscope --controller FILE.wasm`.
 *
 * Each half gets its own instance of the module, so global variables belong to one half. Numbers are doubles in
 * microseconds, bits per second and bytes; NaN stands for "absent". Functions that return a status return 0, or 1 if
 * they failed. After a failure, the half is not called again, and the flow keeps its last good rate.
 *
 * Everything that all controllers need is done outside the module: the received rate, the counters of packets,
 * echo and RTT, the application's bounds, and the rows of the trace.
 */
#ifndef CCSCOPE_CONTROLLER_H_
#define CCSCOPE_CONTROLLER_H_

#ifdef __cplusplus
#define CCSCOPE_C extern "C"
#else
#define CCSCOPE_C
#endif

/* To be used in each definition: CCSCOPE_FN(int, ccs_sender_run)(void* half, double now_us) { ... } */
#define CCSCOPE_FN(type, name) CCSCOPE_C __attribute__((used, visibility("default"), export_name(#name))) type name

/* The contents of ccs_input_buffer() when a half is created. */
struct ccs_bitrates {
  double min_bps;
  double max_bps;
  double start_bps;
};

/* The contents of ccs_session_buffer() when an arrival is pushed: a frame in a call, a packet in a simulation. */
struct ccs_arrival {
  double flow;
  double seq;
  double send_time_us;    /* on the sender's clock */
  double arrival_time_us; /* on the receiver's clock */
  double size_bytes;
  double rtp_timestamp;
  double abs_send_time;
  double key_frame; /* 1: a key frame */
  double rtt_us;    /* the sender's latest RTT */
};

/*
 * The contents of ccs_session_buffer() when cumulative counters of received packets are pushed. This happens only in
 * live calls.
 */
struct ccs_inbound {
  double flow;
  double time_us;
  double packets_received;
  double packets_lost;
  double bytes_received;
};

/*
 * A message from the receiver half to the sender half. The receiver half sets `values`, at most 64 numbers. ccscope
 * sets the fields before them.
 */
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

/* The contents of ccs_session_buffer() after ccs_sender_run(). */
struct ccs_rates {
  double target_bps; /* for the encoder */
  double pacing_bps; /* for the pacer; NaN: 1.5 times the target */
};

/*
 * Returns a buffer for this many doubles. One buffer may serve all uses: its contents are read before they are
 * overwritten.
 */
CCSCOPE_C double* ccs_input_buffer(int doubles);
CCSCOPE_C double* ccs_session_buffer(void* half, int doubles);

/*
 * Creates the receiver half. `controller` is 0 unless the host chose another controller of the module. Returns null
 * if the half cannot be created, otherwise a pointer that identifies the half from then on.
 */
CCSCOPE_C void* ccs_receiver_create(int controller, double flow);
/* Takes one arrival from ccs_session_buffer(); `rows` is 1. */
CCSCOPE_C int ccs_receiver_push_arrivals(void* half, int rows);
/*
 * If a feedback message is due, writes the message into ccs_session_buffer() and returns its length in numbers,
 * including the first CCS_FEEDBACK_FIELDS. Returns 0 if no message is due.
 */
CCSCOPE_C int ccs_receiver_take_feedback(void* half);

/* Creates the sender half. `seed` is for random numbers. */
CCSCOPE_C void* ccs_sender_create(int controller, double flow, double seed);
/* Takes a message of `count` numbers that arrived at `now_us`, on the sender's clock. */
CCSCOPE_C int ccs_sender_push_feedback(void* half, double now_us, int count);
/* Writes the rates at `now_us` into ccs_session_buffer(). */
CCSCOPE_C int ccs_sender_run(void* half, double now_us);

/* The module may leave out the functions below. */
CCSCOPE_C int ccs_receiver_push_inbound(void* half, int rows);
/* Takes an RTT: `rtt_us` is a number, the other values are NaN. */
CCSCOPE_C int ccs_sender_push_sent(void* half, double now_us, double sent_bytes, double rtt_us, double estimate_bps);
/* Why a function failed: text that ends with a zero byte. */
CCSCOPE_C const char* ccs_last_error(void);

#endif /* CCSCOPE_CONTROLLER_H_ */
