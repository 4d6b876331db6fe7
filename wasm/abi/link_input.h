// Checks of the numbers that describe a link; both link_abi.cc and simulation_abi.cc use them.
#ifndef CCSCOPE_ABI_LINK_INPUT_H_
#define CCSCOPE_ABI_LINK_INPUT_H_

#include <cstdint>
#include <memory>

#include "sim/link.h"
#include "sim/queue_disc/queue_disc.h"

namespace ccscope {

inline constexpr double kMaxSizeBytes = 1e9;
inline constexpr double kMaxDelayUs = 60e6;
inline constexpr double kMaxInteger = 9007199254740991.0;  // 2^53 - 1

// False for NaN too.
inline bool Within(double value, double min, double max) { return value >= min && value <= max; }

// Each of these functions sets the last error and returns 1 if it refuses the value.
int CheckTime(const char* field, double us);
// Like CheckTime(), but also accepts minus infinity, which does not advance the link's clock.
int CheckTimeOrNone(double us);
int CheckCapacity(double bps);
int CheckCapacityOrOutage(double bps);
int CheckDelay(double us);
int CheckLoss(double ratio);
int CheckBurstLoss(double packets);
int CheckJitter(double us);
int CheckMode(int mode);
int CheckSeed(double seed);

// Reads the caller's description of outages: mean durations in us, and the number of phases of an outage.
bool ReadOutages(double mean_on_us, double mean_off_us, int off_phases, Outages::Params& params);

// Reads the caller's description of reordering: the fraction of packets that are delayed, and the delay in us.
bool ReadReordering(double ratio, double delay_us, Reordering::Params& params);

// A link as the caller describes it.
struct LinkInput {
  double capacity_bps;
  int mode;
  double burst_bytes;
  double one_way_delay_us;
  double loss_ratio;
  double jitter_us;
};
// Sets the last error and returns false if a value is refused.
bool ReadLink(const LinkInput& input, Link::Params& params);

// Makes a queue discipline from the `count` values in the input buffer. Null if a value is refused.
std::unique_ptr<QueueDisc> MakeQueue(int kind, int count, std::uint64_t seed);

}  // namespace ccscope

#endif  // CCSCOPE_ABI_LINK_INPUT_H_
