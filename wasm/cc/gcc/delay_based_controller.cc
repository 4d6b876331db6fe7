#include "cc/gcc/delay_based_controller.h"

#include <limits>

namespace ccscope::gcc {

void DelayBasedController::Configure(const Parameters& parameters) {
  filter_.Configure(parameters);
  detector_.Configure(parameters);
  rate_controller_.Configure(parameters);
}

void DelayBasedController::OnGroups(const GroupDeltas& deltas, Timestamp time) {
  filter_.Update(deltas.arrival, deltas.send, deltas.size, detector_.signal());
  detector_.Detect(filter_.m(), deltas.send, filter_.num_deltas(), time);
}

void DelayBasedController::OnQueueRestored() {
  filter_.OnQueueRestored();
  detector_.OnQueueRestored();
}

void DelayBasedController::UpdateRate(Signal signal, const Conditions& conditions, Timestamp now) {
  const auto& [received_rate, loss, rtt] = conditions;
  rate_controller_.Update({signal, received_rate, loss, rtt, filter_.noise_variance_ms2()}, now);
}

void DelayBasedController::Record(const GroupDeltas& deltas, const Conditions& conditions,
                                  const LiveColumns& live, Timestamp now) {
  const auto bps = [](const std::optional<DataRate>& rate) {
    return rate ? rate->bps() : std::numeric_limits<double>::quiet_NaN();
  };
  recorder_.Output(GroupRow{
      .flow = flow_,
      .time_us = now.us(),
      .send_delta_us = deltas.send.us(),
      .arrival_delta_us = deltas.arrival.us(),
      .size_delta_bytes = deltas.size.bytes(),
      .delay_variation_ms = deltas.delay_variation().ms(),
      .m_ms = filter_.m().ms(),
      .inverse_capacity_ms_per_byte = filter_.inverse_capacity_ms_per_byte(),
      .noise_variance_ms2 = filter_.noise_variance_ms2(),
      .gamma_ms = detector_.gamma().ms(),
      .detector_input_ms = detector_.detector_input().ms(),
      .signal = static_cast<double>(detector_.signal()),
      .state = static_cast<double>(rate_controller_.acted_state()),
      .received_rate_bps = bps(conditions.received_rate),
      .a_r_bps = rate_controller_.a_r().bps(),
      .num_deltas = static_cast<double>(filter_.num_deltas()),
      .one_way_delay_us = deltas.one_way_delay.us(),
      .capacity_estimate_bps = bps(live.capacity),
      .held = live.held ? 1.0 : 0.0,
      .competing = live.competing ? 1.0 : 0.0,
  });
}

}  // namespace ccscope::gcc
