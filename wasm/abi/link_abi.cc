// The ABI's functions for a link with cross traffic (wasm/sim/loaded_link.h). If a value is refused, the error names
// its field. A refused change has no effect.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "abi/export.h"
#include "abi/link_input.h"
#include "sim/loaded_link.h"

namespace ccscope {
namespace {

constexpr int kDropFields = 0
#define CCSCOPE_LINK_DROP(name, value) +1
#include "abi/link_rows.def"
    ;
constexpr std::size_t kStatFields = 0
#define CCSCOPE_LINK_STAT(name, value) +1
#include "abi/link_rows.def"
    ;

// The handle also contains the rows that the caller reads, so that their storage is reused from one poll to the next.
struct LinkHandle {
  LinkHandle(const Link::Params& params, std::unique_ptr<QueueDisc> queue)
      : link(params, std::move(queue)), seed(params.seed) {}

  LoadedLink link;
  std::uint64_t seed;
  std::vector<double> delivery_rows;
  std::vector<double> drop_rows;
  double stats[kStatFields] = {};
};

LinkHandle& Of(void* handle) { return *static_cast<LinkHandle*>(handle); }

template <class Value>
int Change(void* handle, double now_us, void (Link::*set)(Value, Timestamp), Value value) {
  const Timestamp now = Timestamp::Micros(now_us);
  (Of(handle).link.At(now).*set)(std::move(value), now);
  return 0;
}

// Refuses a capacity above LoadedLink::kMaxCapacity if the link has cross traffic.
int CheckLoad(void* handle, double capacity_bps) {
  const bool fits = capacity_bps <= LoadedLink::kMaxCapacity.bps() || !Of(handle).link.has_cross_traffic();
  return fits ? 0 : Fail("capacityBps", "expected at most 1e9 bit/s while the link has cross traffic; remove crossTraffic first");
}

}  // namespace
}  // namespace ccscope

using ccscope::Of;

CCSCOPE_FN(void*, ccs_link_create)
(double capacity_bps, int queue_kind, int queue_values, int mode, double burst_bytes, double one_way_delay_us,
 double loss_ratio, double jitter_us, double seed) {
  using namespace ccscope;
  Link::Params params;
  if (!ReadLink({capacity_bps, mode, burst_bytes, one_way_delay_us, loss_ratio, jitter_us}, params)) return nullptr;
  if (CheckSeed(seed)) return nullptr;
  params.seed = static_cast<std::uint64_t>(seed);
  auto queue = MakeQueue(queue_kind, queue_values, params.seed);
  if (queue == nullptr) return nullptr;
  return std::make_unique<LinkHandle>(params, std::move(queue)).release();
}

CCSCOPE_FN(void, ccs_link_destroy)(void* handle) {
  const std::unique_ptr<ccscope::LinkHandle> owned(static_cast<ccscope::LinkHandle*>(handle));
}

CCSCOPE_FN(int, ccs_link_enqueue)(void* handle, double id, double size_bytes, int flow, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us)) return -1;
  if (!Within(id, 0, kMaxInteger) || id != std::floor(id)) {
    Fail("packetId", "expected an integer from 0 to 2^53 - 1");
    return -1;
  }
  if (!Within(size_bytes, 1, kMaxSizeBytes)) {
    Fail("sizeBytes", "expected 1 to 1e9 bytes");
    return -1;
  }
  if (flow < 0) {
    Fail("flow", "expected an integer from 0 to 2^31 - 1");
    return -1;
  }
  return static_cast<int>(
      Of(handle).link.Enqueue(id, DataSize::Bytes(size_bytes), flow, Timestamp::Micros(now_us)));
}

CCSCOPE_FN(int, ccs_link_poll)(void* handle, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us)) return -1;
  LinkHandle& h = Of(handle);
  h.delivery_rows.clear();
  h.drop_rows.clear();
  h.link.At(Timestamp::Micros(now_us));
  RingBuffer<Link::Delivery>& deliveries = h.link.deliveries();
  RingBuffer<Link::Drop>& drops = h.link.drops();
  const int count = static_cast<int>(deliveries.size());
  for (; !deliveries.empty(); deliveries.Pop()) {
    const Link::Delivery& d = deliveries.front();
    for (const double value : {
#define CCSCOPE_LINK_DELIVERY(name, value) value,
#include "abi/link_rows.def"
         })
      h.delivery_rows.push_back(value);
  }
  for (; !drops.empty(); drops.Pop()) {
    const Link::Drop& d = drops.front();
    for (const double value : {
#define CCSCOPE_LINK_DROP(name, value) value,
#include "abi/link_rows.def"
         })
      h.drop_rows.push_back(value);
  }
  return count;
}

CCSCOPE_FN(const double*, ccs_link_deliveries)(void* handle) { return Of(handle).delivery_rows.data(); }

CCSCOPE_FN(int, ccs_link_drop_count)(void* handle) { return static_cast<int>(Of(handle).drop_rows.size()) / ccscope::kDropFields; }

CCSCOPE_FN(const double*, ccs_link_drops)(void* handle) { return Of(handle).drop_rows.data(); }

CCSCOPE_FN(double, ccs_link_next_event_us)(void* handle) { return Of(handle).link.NextEvent().us(); }

CCSCOPE_FN(int, ccs_link_set_capacity)(void* handle, double capacity_bps, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us) || CheckCapacityOrOutage(capacity_bps) || CheckLoad(handle, capacity_bps)) return 1;
  return Change(handle, now_us, &Link::SetCapacity, DataRate::BitsPerSec(capacity_bps));
}

CCSCOPE_FN(int, ccs_link_set_schedule)(void* handle, int steps) {
  using namespace ccscope;
  const double* in = steps < 0 ? nullptr : Input(2 * steps);
  if (in == nullptr) return Fail("schedule", "expected its steps in the input buffer");
  Timestamp last = Timestamp::MinusInfinity();
  for (const double* step = in; step < in + 2 * steps; step += 2) {
    const Timestamp at = Timestamp::Micros(step[0]);
    if (!std::isfinite(step[0]) || at < last) {
      return Fail("schedule", "expected finite times in microseconds, in ascending order");
    }
    if (CheckCapacityOrOutage(step[1]) || CheckLoad(handle, step[1])) return 1;
    last = at;
  }
  Link& link = Of(handle).link.link();
  link.ClearSchedule();
  for (const double* step = in; step < in + 2 * steps; step += 2) {
    link.ScheduleCapacity(Timestamp::Micros(step[0]), DataRate::BitsPerSec(step[1]));
  }
  return 0;
}

CCSCOPE_FN(int, ccs_link_set_mode)(void* handle, int mode, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us) || CheckMode(mode)) return 1;
  return Change(handle, now_us, &Link::SetMode, static_cast<CapacityLink::Mode>(mode));
}

CCSCOPE_FN(int, ccs_link_set_one_way_delay)(void* handle, double one_way_delay_us, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us) || CheckDelay(one_way_delay_us)) return 1;
  return Change(handle, now_us, &Link::SetOneWayDelay, TimeDelta::Micros(one_way_delay_us));
}

CCSCOPE_FN(int, ccs_link_set_loss_ratio)(void* handle, double loss_ratio, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us) || CheckLoss(loss_ratio)) return 1;
  return Change(handle, now_us, &Link::SetLossRatio, loss_ratio);
}

CCSCOPE_FN(int, ccs_link_set_burst_loss)(void* handle, double packets, double now_us) {
  using namespace ccscope;
  if (CheckTimeOrNone(now_us)) return 1;
  if (CheckBurstLoss(packets)) return 1;
  return Change(handle, now_us, &Link::SetBurstLoss, packets);
}

CCSCOPE_FN(int, ccs_link_set_outages)
(void* handle, double mean_on_us, double mean_off_us, int off_phases, double now_us) {
  using namespace ccscope;
  Outages::Params outages;
  if (CheckTimeOrNone(now_us)) return 1;
  if (mean_off_us != 0 && !ReadOutages(mean_on_us, mean_off_us, off_phases, outages)) return 1;
  Of(handle).link.SetOutages(outages, Timestamp::Micros(now_us));
  return 0;
}

CCSCOPE_FN(int, ccs_link_set_reordering)(void* handle, double ratio, double delay_us, double now_us) {
  using namespace ccscope;
  Reordering::Params reordering;
  if (CheckTimeOrNone(now_us) || !ReadReordering(ratio, delay_us, reordering)) return 1;
  const Timestamp now = Timestamp::Micros(now_us);
  Of(handle).link.At(now).SetReordering(reordering, now);
  return 0;
}

CCSCOPE_FN(int, ccs_link_set_cross_rtt)(void* handle, double rtt_us, double now_us) {
  using namespace ccscope;
  if (CheckTimeOrNone(now_us)) return 1;
  if (!Within(rtt_us, 0, 2 * kMaxDelayUs)) return Fail("crossRttUs", "expected 0 to 1.2e8 us (two minutes)");
  Of(handle).link.SetCrossRtt(TimeDelta::Micros(rtt_us), Timestamp::Micros(now_us));
  return 0;
}

CCSCOPE_FN(int, ccs_link_set_cross_traffic)(void* handle, double cubic, double new_reno, double now_us) {
  using namespace ccscope;
  if (CheckTimeOrNone(now_us)) return 1;
  for (const double flows : {cubic, new_reno}) {
    if (!Within(flows, 0, LoadedLink::kMaxFlowsOfAKind) || flows != std::floor(flows)) {
      return Fail("crossTraffic", "expected 0 to 64 connections of each kind");
    }
  }
  LoadedLink& link = Of(handle).link;
  const Timestamp now = Timestamp::Micros(now_us);
  if (cubic + new_reno > 0 && link.At(now).HighestCapacity() > LoadedLink::kMaxCapacity) {
    return Fail("crossTraffic", "expected no connections while capacityBps or a step of the schedule is above 1e9 bit/s; lower the capacity first");
  }
  link.SetCrossTraffic({static_cast<int>(cubic), static_cast<int>(new_reno)}, now);
  return 0;
}

CCSCOPE_FN(int, ccs_link_set_jitter)(void* handle, double jitter_us, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us) || CheckJitter(jitter_us)) return 1;
  return Change(handle, now_us, &Link::SetJitter, TimeDelta::Micros(jitter_us));
}

CCSCOPE_FN(int, ccs_link_set_queue)(void* handle, int queue_kind, int queue_values, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us)) return 1;
  auto queue = MakeQueue(queue_kind, queue_values, Of(handle).seed);
  if (queue == nullptr) return 1;
  return Change(handle, now_us, &Link::SetQueue, std::move(queue));
}

CCSCOPE_FN(const double*, ccs_link_stats)(void* handle, double now_us) {
  using namespace ccscope;
  if (CheckTime("nowUs", now_us)) return nullptr;
  LinkHandle& h = Of(handle);
  const Timestamp now = Timestamp::Micros(now_us);
  Link& link = h.link.At(now);
  const TimeDelta queue_delay = link.QueueDelay(now);
  const Link::Stats& s = link.stats();
  const Link::Stats& cross = link.cross_stats();
  const double values[] = {
#define CCSCOPE_LINK_STAT(name, value) value,
#include "abi/link_rows.def"
  };
  static_assert(std::size(values) == kStatFields);
  int i = 0;
  for (const double value : values) h.stats[i++] = value;
  return h.stats;
}
