/*
 * What a WebAssembly module has to export so that ccscope can use it as a congestion controller: the functions
 * that ccscope's own module has for the halves of controllers. Pass such a module to `wasmController` or to
 * `ccscope --controller FILE.wasm`.
 *
 * Each half gets its own instance of the module, so global variables belong to one half. Numbers are doubles in
 * microseconds, bits per second and bytes; NaN stands for "absent". Functions that return a status return 0, or 1
 * if they failed: then the half is not called again, and its last good rate stays in force.
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

/* Use it in each definition: CCSCOPE_FN(int, ccs_sender_run)(void* half, double now_us) { ... } */
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
  double key_frame; /* 1: a key frame */
  double rtt_us;    /* the sender's latest RTT */
};

/*
 * What ccs_session_buffer() holds when cumulative counters of the wire are pushed, which happens only in live
 * calls.
 */
struct ccs_inbound {
  double flow;
  double time_us;
  double packets_received;
  double packets_lost;
  double bytes_received;
};

/*
 * A message from the receiver half to the sender half. A receiver fills in its values, at most 64; ccscope fills
 * in the fields in front of them.
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

/* What ccs_session_buffer() holds after ccs_sender_run(). */
struct ccs_rates {
  double target_bps; /* for the encoder */
  double pacing_bps; /* for the pacer; NaN: 1.5 times the target */
};

/* Room for this many doubles. One buffer may serve all uses: its contents are read before they are overwritten. */
CCSCOPE_C double* ccs_input_buffer(int doubles);
CCSCOPE_C double* ccs_session_buffer(void* half, int doubles);

/*
 * Makes the receiver half. `controller` is 0 unless the host chose another. Returns null if the half could not be
 * made, otherwise any other pointer, which identifies the half from then on.
 */
CCSCOPE_C void* ccs_receiver_create(int controller, double flow);
/* Takes one arrival from ccs_session_buffer(); `rows` is 1. */
CCSCOPE_C int ccs_receiver_push_arrivals(void* half, int rows);
/*
 * Writes the feedback message that is due, if any, into ccs_session_buffer(). Returns its length in numbers,
 * including the CCS_FEEDBACK_FIELDS leading ones, or 0 if none is due.
 */
CCSCOPE_C int ccs_receiver_take_feedback(void* half);

/* Makes the sender half. `seed` is for random numbers. */
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
