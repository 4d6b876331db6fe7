/* Additive increase, multiplicative decrease, on the queuing delay and on losses: aimd.ts in C. */
#include "ccscope_controller.h"

static double buffer[70];
static double shortest_us = 1e300, queuing_us, sent_at_us = -1e300;
static int is_due;
static double target_bps, lost, held_until_us;

CCSCOPE_FN(double*, ccs_input_buffer)(int doubles) { return doubles <= 70 ? buffer : 0; }
CCSCOPE_FN(double*, ccs_session_buffer)(void* half, int doubles) { return ccs_input_buffer(doubles); }

CCSCOPE_FN(void*, ccs_receiver_create)(int controller, double flow) { return buffer; }

CCSCOPE_FN(int, ccs_receiver_push_arrivals)(void* half, int rows) {
  const struct ccs_arrival* a = (const struct ccs_arrival*)buffer;
  const double delay_us = a->arrival_time_us - a->send_time_us;
  if (delay_us < shortest_us) shortest_us = delay_us;
  queuing_us += 0.1 * (delay_us - shortest_us - queuing_us);
  is_due = !(a->arrival_time_us - sent_at_us < 100e3);
  if (is_due) sent_at_us = a->arrival_time_us;
  return 0;
}

CCSCOPE_FN(int, ccs_receiver_take_feedback)(void* half) {
  if (!is_due) return 0;
  ((struct ccs_feedback*)buffer)->values[0] = queuing_us;
  return CCS_FEEDBACK_FIELDS + 1;
}

CCSCOPE_FN(void*, ccs_sender_create)(int controller, double flow, double seed) {
  target_bps = ((const struct ccs_bitrates*)buffer)->start_bps;
  return buffer;
}

CCSCOPE_FN(int, ccs_sender_push_feedback)(void* half, double now_us, int count) {
  const struct ccs_feedback* f = (const struct ccs_feedback*)buffer;
  const int congested = f->values[0] > 30e3 || f->packets_lost > lost + 2;
  lost = f->packets_lost;
  if (!congested) {
    const double more_bps = target_bps + 4e3, most_bps = 1.5 * f->received_rate_bps;
    const double next_bps = more_bps < most_bps ? more_bps : most_bps;
    if (next_bps > target_bps) target_bps = next_bps;
  } else if (now_us >= held_until_us) {
    const double lower_bps = 0.85 * f->received_rate_bps;
    if (lower_bps < target_bps) target_bps = lower_bps;
    held_until_us = now_us + 500e3;
  }
  return 0;
}

CCSCOPE_FN(int, ccs_sender_run)(void* half, double now_us) {
  buffer[0] = target_bps;
  buffer[1] = __builtin_nan("");
  return 0;
}
