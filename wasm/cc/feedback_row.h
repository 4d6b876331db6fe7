// The trace row of a feedback message: the fields that the messages of all controllers have, and GCC's rates.
#ifndef CCSCOPE_CC_FEEDBACK_ROW_H_
#define CCSCOPE_CC_FEEDBACK_ROW_H_

#include <limits>

#include "cc/controller.h"
#include "trace/recorder.h"

namespace ccscope {

inline void RecordFeedback(const Feedback& feedback, double flow, Recorder& recorder,
                           DataRate a_r = DataRate::BitsPerSec(std::numeric_limits<double>::quiet_NaN()),
                           DataRate drain = DataRate::BitsPerSec(std::numeric_limits<double>::quiet_NaN())) {
  recorder.Output(FeedbackRow{
      .flow = flow,
      .time_us = feedback.time.us(),
      .a_r_bps = a_r.bps(),
      .received_rate_bps = feedback.received_rate.bps(),
      .packets_received = feedback.packets_received,
      .packets_lost = feedback.packets_lost,
      .echo_send_time_us = feedback.echo_send_time.us(),
      .echo_delay_us = feedback.echo_delay.us(),
      .drain_bps = drain.bps(),
  });
}

}  // namespace ccscope

#endif  // CCSCOPE_CC_FEEDBACK_ROW_H_
