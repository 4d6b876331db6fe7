// Helpers for the tests of GCC.
#ifndef CCSCOPE_TESTS_NATIVE_GCC_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_GCC_SUPPORT_H_

#include <gtest/gtest.h>

#include <string>

#include "cc/gcc/parameters.h"

namespace ccscope::gcc {

inline Parameters PresetNamed(const std::string& name) {
  for (int i = 0; i < kPresetCount; ++i) {
    if (kPresets[i].name == name) return WithPreset(i);
  }
  ADD_FAILURE() << "no preset " << name;
  return {};
}

}  // namespace ccscope::gcc

#endif  // CCSCOPE_TESTS_NATIVE_GCC_SUPPORT_H_
