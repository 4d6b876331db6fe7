#include "abi/export.h"

#include <cstring>

namespace ccscope {
namespace {

constexpr int kCapacity = 512;
char last_error[kCapacity] = "";

void Append(const char* text) {
  const std::size_t used = std::strlen(last_error);
  std::strncat(last_error, text, kCapacity - 1 - used);
}

}  // namespace

int Fail(const char* field, const char* expectation) { return FailIn(nullptr, field, expectation); }

int FailIn(const char* group, const char* field, const char* expectation) {
  last_error[0] = '\0';
  if (group != nullptr) {
    Append(group);
    Append(".");
  }
  Append(field);
  Append(": ");
  Append(expectation);
  return 1;
}

}  // namespace ccscope

CCSCOPE_FN(const char*, ccs_last_error)() { return ccscope::last_error; }

CCSCOPE_FN(int, ccs_abi_version)() { return 2; }
