// The headers that nearly every native test includes, compiled once for all tests. Each file still includes the headers
// that it uses.
#ifndef CCSCOPE_TESTS_NATIVE_PRECOMPILED_H_
#define CCSCOPE_TESTS_NATIVE_PRECOMPILED_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#endif  // CCSCOPE_TESTS_NATIVE_PRECOMPILED_H_
