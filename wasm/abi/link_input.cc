#include "abi/link_input.h"

#include <cmath>

#include "abi/export.h"
#include "sim/queue_disc/make_queue_disc.h"

namespace ccscope {
namespace {

constexpr double kMaxCapacityBps = 1e11;
constexpr double kMaxJitterUs = 10e6;
constexpr int kMaxPhases = 100;

}  // namespace

// Beyond 2^53 us (285 years) doubles are too coarse: adding a microsecond would change nothing.
int CheckTime(const char* field, double us) {
  return std::fabs(us) <= kMaxInteger ? 0 : Fail(field, "expected a finite time in microseconds of at most 2^53");
}
int CheckTimeOrNone(double us) { return us == -kInfinity ? 0 : CheckTime("nowUs", us); }
int CheckCapacity(double bps) {
  return Within(bps, 1, kMaxCapacityBps) ? 0 : Fail("capacityBps", "expected 1 to 1e11 bit/s");
}
int CheckCapacityOrOutage(double bps) {
  return bps == 0 || Within(bps, 1, kMaxCapacityBps)
             ? 0
             : Fail("capacityBps", "expected 1 to 1e11 bit/s, or 0 for an outage");
}
int CheckDelay(double us) {
  return Within(us, 0, kMaxDelayUs) ? 0 : Fail("oneWayDelayUs", "expected 0 to 6e7 us (one minute)");
}
int CheckLoss(double ratio) { return Within(ratio, 0, 1) ? 0 : Fail("lossRatio", "expected 0 to 1"); }
int CheckBurstLoss(double packets) {
  return Within(packets, 1, 1e6) ? 0 : Fail("burstLossPackets", "expected 1 to 1e6 packets");
}
int CheckJitter(double us) {
  return Within(us, 0, kMaxJitterUs) ? 0 : Fail("jitterUs", "expected 0 to 1e7 us (ten seconds)");
}
int CheckMode(int mode) {
  return mode == 0 || mode == 1 ? 0 : Fail("bottleneck", "expected serial or token-bucket");
}

int CheckSeed(double seed) {
  return Within(seed, 0, kMaxInteger) && seed == std::floor(seed)
             ? 0
             : Fail("seed", "expected an integer from 0 to 2^53 - 1");
}

bool ReadOutages(double mean_on_us, double mean_off_us, int off_phases, Outages::Params& params) {
  // The shortest mean length of an outage, and of the time between two outages. Each outage costs computing time, so
  // shorter periods would make the link too slow to compute.
  constexpr double kMinPeriodUs = 1e3;
  if (!Within(mean_on_us, kMinPeriodUs, kMaxDelayUs)) return Fail("meanOnUs", "expected 1e3 to 6e7 us (one minute)"), false;
  if (!Within(mean_off_us, kMinPeriodUs, kMaxDelayUs)) return Fail("meanOffUs", "expected 1e3 to 6e7 us (one minute)"), false;
  if (off_phases < 1 || off_phases > kMaxPhases) return Fail("offPhases", "expected 1 to 100"), false;
  params = {TimeDelta::Micros(mean_on_us), TimeDelta::Micros(mean_off_us), off_phases};
  return true;
}

bool ReadReordering(double ratio, double delay_us, Reordering::Params& params) {
  if (!Within(ratio, 0, 1)) return Fail("ratio", "expected 0 to 1"), false;
  if (!Within(delay_us, 0, kMaxDelayUs)) return Fail("delayUs", "expected 0 to 6e7 us (one minute)"), false;
  params = {ratio, TimeDelta::Micros(delay_us)};
  return true;
}

bool ReadLink(const LinkInput& input, Link::Params& params) {
  if (CheckCapacity(input.capacity_bps) || CheckMode(input.mode) || CheckDelay(input.one_way_delay_us) ||
      CheckLoss(input.loss_ratio) || CheckJitter(input.jitter_us)) {
    return false;
  }
  if (!Within(input.burst_bytes, 1, kMaxSizeBytes)) {
    Fail("burstBytes", "expected 1 to 1e9 bytes");
    return false;
  }
  params.bottleneck = {static_cast<CapacityLink::Mode>(input.mode), DataRate::BitsPerSec(input.capacity_bps),
                       DataSize::Bytes(input.burst_bytes)};
  params.one_way_delay = TimeDelta::Micros(input.one_way_delay_us);
  params.loss_ratio = input.loss_ratio;
  params.jitter = TimeDelta::Micros(input.jitter_us);
  return true;
}

std::unique_ptr<QueueDisc> MakeQueue(int kind, int count, std::uint64_t seed) {
  const auto which = static_cast<QueueDiscKind>(kind);
  const double* values = Input(count);
  const ParameterError error =
      values == nullptr ? ParameterError{"parameters", "expected them in the input buffer"}
                        : CheckQueueDisc(which, values, count);
  if (!error) return MakeQueueDisc(which, values, count, seed);
  FailIn("queue", error.field, error.expectation);
  return nullptr;
}

}  // namespace ccscope
