// Helpers for the tests of NADA.
#ifndef CCSCOPE_TESTS_NATIVE_NADA_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_NADA_SUPPORT_H_

#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include "cc/nada/parameters.h"
#include "cc/nada/receiver.h"
#include "cc/nada/sender.h"
#include "trace/recorder.h"

namespace ccscope::nada {

// The presets: nada_rfc8698(), nada_2015(), …
#define PRESET(id, name, description) \
  inline Parameters id() {            \
    Parameters p;
#define BASED_ON(id) p = id();
#define SET(name, value) p.name = value;
#define END_PRESET(id) \
  return p;            \
  }
#include "cc/nada/presets.def"
#undef PRESET
#undef BASED_ON
#undef SET
#undef END_PRESET

inline std::vector<Parameters> AllPresets() {
  return {
#define PRESET(id, name, description) id(),
#define BASED_ON(id)
#define SET(name, value)
#define END_PRESET(id)
#include "cc/nada/presets.def"
#undef PRESET
#undef BASED_ON
#undef SET
#undef END_PRESET
  };
}

// The parameters as the ABI passes them.
inline std::vector<double> Values(const Parameters& p) {
  std::vector<double> values(static_cast<std::size_t>(kParameterCount));
  std::memcpy(values.data(), reinterpret_cast<const char*>(&p), sizeof p);
  return values;
}

inline TimeDelta Ms(double ms) { return TimeDelta::Millis(ms); }
inline Timestamp AtMs(double ms) { return Timestamp::Millis(ms); }
inline DataRate Kbps(double kbps) { return DataRate::KilobitsPerSec(kbps); }

}  // namespace ccscope::nada

#endif  // CCSCOPE_TESTS_NATIVE_NADA_SUPPORT_H_
