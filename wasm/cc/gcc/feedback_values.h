// The values of GCC's feedback (cc/controller.h). They have two forms:
// - If the arrival filter runs in the receiver half, the values are A_r and the part of A_r that the sender must not
//   use.
// - If the filter runs in the sender half (CMP Fig. 3), the values describe pairs of consecutive packet groups: the
//   number of pairs since the last message, the one-way delay of the latest group, and the filter's inputs for each
//   pair (SentPair). A message that is full is sent before it is due, so that no pair is lost.
// The common fields of the message provide CMP's f_l (fraction lost) and R (received rate).
#ifndef CCSCOPE_CC_GCC_FEEDBACK_VALUES_H_
#define CCSCOPE_CC_GCC_FEEDBACK_VALUES_H_

#include <algorithm>

#include "cc/controller.h"
#include "cc/gcc/packet_grouping.h"
#include "units/units.h"

namespace ccscope::gcc {

enum RateValue {
  kA_r,
  kDrain,  // the part of A_r that the sender must not use until a backlog is drained
  kRateValues
};

// A pair of groups in a message.
struct SentPair {
  TimeDelta delay_variation;  // d_m
  TimeDelta send;
  DataSize size;
  TimeDelta elapsed;  // since the previous pair was completed
};

enum PairsValue { kPairs, kOneWayDelay, kValuesBeforePairs };
inline constexpr int kValuesPerPair = 4;
inline constexpr int kMaxPairs = (Feedback::kMaxValues - kValuesBeforePairs) / kValuesPerPair;

// The largest absolute value of a time (us) or size (bytes) in a message; larger values are clamped. In a real call no
// value is larger, but a replayed trace may contain larger values.
inline constexpr double kMaxPairValue = 9007199254740991.0;  // 2^53 - 1
inline double SentValue(double value) { return std::clamp(value, -kMaxPairValue, kMaxPairValue); }

// Whether the message has the form with pairs. In that form, the first value is the number of pairs, and the total
// number of values follows from it. A message in the other form has two values, as many as a message with zero pairs;
// but its first value is A_r, which is never 0.
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
