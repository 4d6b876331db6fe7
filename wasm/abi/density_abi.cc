// The density of sending rate and one-way delay that a sender half has learnt (LCC Fig. 1), on a grid.
#include <cmath>

#include "abi/export.h"
#include "cc/controller.h"
#include "cc/density_axes.h"

namespace ccscope {
namespace {

int CheckCount(int count, const char* field) {
  return count >= 2 && count <= DensityAxis::kMaxCount ? 0 : Fail(field, "expected 2 to 256");
}

int CheckEnds(const double* ends, const char* field) {
  const bool absent = std::isnan(ends[0]) && std::isnan(ends[1]);
  return absent || (std::isfinite(ends[0]) && std::isfinite(ends[1]) && ends[0] < ends[1])
             ? 0
             : Fail(field, "expected two finite numbers, the smaller first");
}

}  // namespace
}  // namespace ccscope

using namespace ccscope;  // NOLINT: the function below is the ABI and nothing includes this file

CCSCOPE_FN(int, ccs_density)(void* half, int rates, int delays) {
  if (CheckCount(rates, "rates") != 0 || CheckCount(delays, "delays") != 0) return -1;
  double* buffer = Input(4 + rates * delays);
  if (buffer == nullptr) return Fail("density", "expected room in the input buffer"), -1;
  if (CheckEnds(buffer, "rateBps") != 0 || CheckEnds(buffer + 2, "delayUs") != 0) return -1;
  DensityAxes axes{{buffer[0], buffer[1], rates}, {buffer[2], buffer[3], delays}};
  if (!static_cast<SenderHalf*>(half)->Density(axes, buffer + 4)) return 0;
  buffer[0] = axes.rate_bps.from;
  buffer[1] = axes.rate_bps.to;
  buffer[2] = axes.delay_us.from;
  buffer[3] = axes.delay_us.to;
  return 1;
}
