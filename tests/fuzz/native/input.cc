#include "tests/fuzz/native/input.h"

#include <cstdio>
#include <cstdlib>

namespace ccscope::fuzz {

const Target* Target::first = nullptr;

const Target* FindTarget(const char* name) {
  const Target* target = Target::first;
  while (target != nullptr && std::strcmp(target->name, name) != 0) target = target->next;
  return target;
}

namespace {

std::string& Replayed() {
  static std::string name;
  return name;
}

}  // namespace

void SetReplayed(const std::string& name) { Replayed() = name; }

void Violated(const char* what, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: oracle violated: %s\n", file, line, what);
  if (!Replayed().empty()) std::fprintf(stderr, "with %s\n", Replayed().c_str());
  std::abort();
}

}  // namespace ccscope::fuzz
