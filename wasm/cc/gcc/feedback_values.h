// The values of GCC's feedback (cc/controller.h), in one of two forms. If the arrival filter runs in the receiver
// half, they are A_r and how far to stay below it. If it runs in the sender half (CMP Fig. 3), they are the number of
// pairs of groups since the last message, the one-way delay of the latest group, and then, for each pair, the
// filter's inputs: d_m and its parts. f_l and R of CMP come from the common fields. A message is sent as soon as it
// is full, so that no pair is lost.
#ifndef CCSCOPE_CC_GCC_FEEDBACK_VALUES_H_
#define CCSCOPE_CC_GCC_FEEDBACK_VALUES_H_

#include <algorithm>

#include "cc/controller.h"
#include "cc/gcc/packet_grouping.h"
#include "units/units.h"

namespace ccscope::gcc {

enum RateValue {
  kA_r,
  kDrain,  // how far to stay below A_r until a backlog is drained
  kRateValues
};

// A pair of groups, as it is sent.
struct SentPair {
  TimeDelta delay_variation;  // d_m
  TimeDelta send;
  DataSize size;
  TimeDelta elapsed;  // since the previous pair was complete
};

enum PairsValue { kPairs, kOneWayDelay, kValuesBeforePairs };
inline constexpr int kValuesPerPair = 4;
inline constexpr int kMaxPairs = (Feedback::kMaxValues - kValuesBeforePairs) / kValuesPerPair;

// The times (us) and sizes (bytes) of real calls stay below this; those in a trace that is replayed may be larger.
inline constexpr double kMaxPairValue = 9007199254740991.0;  // 2^53 - 1
inline double SentValue(double value) { return std::clamp(value, -kMaxPairValue, kMaxPairValue); }

// Whether the message has the form with pairs. The other form cannot be mistaken for it: there, the first value is
// A_r, which is above 0, and no values follow the first two.
inline bool HasPairs(const Feedback& feedback) {
  return feedback.value_count >= kValuesBeforePairs &&
         feedback.values[kPairs] * kValuesPerPair == feedback.value_count - kValuesBeforePairs;
}
inline int PairCount(const Feedback& feedback) {
  return (feedback.value_count - kValuesBeforePairs) / kValuesPerPair;
}

inline void BeginPairs(Feedback& feedback) {
  feedback.value_count = 0;
  feedback.Add(0);
  feedback.Add(0);
}

inline void AddPair(Feedback& feedback, const SentPair& pair) {
  ++feedback.values[kPairs];
  feedback.Add(SentValue(pair.delay_variation.us()));
  feedback.Add(SentValue(pair.send.us()));
  feedback.Add(SentValue(pair.size.bytes()));
  feedback.Add(SentValue(pair.elapsed.us()));
}

inline SentPair PairAt(const Feedback& feedback, int index) {
  const double* v = feedback.values.data() + kValuesBeforePairs + kValuesPerPair * index;
  return {TimeDelta::Micros(v[0]), TimeDelta::Micros(v[1]), DataSize::Bytes(v[2]), TimeDelta::Micros(v[3])};
}

}  // namespace ccscope::gcc

#endif  // CCSCOPE_CC_GCC_FEEDBACK_VALUES_H_
