// The functions that libFuzzer calls. One binary contains all targets; CCSCOPE_FUZZ_TARGET names the one to run.
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/native/input.h"

namespace {

const ccscope::fuzz::Target* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("CCSCOPE_FUZZ_TARGET");
  target = name == nullptr ? nullptr : ccscope::fuzz::FindTarget(name);
  if (target != nullptr) return 0;
  std::fputs("CCSCOPE_FUZZ_TARGET has to name one of:", stderr);
  for (const auto* t = ccscope::fuzz::Target::first; t != nullptr; t = t->next) std::fprintf(stderr, " %s", t->name);
  std::fputs("\n", stderr);
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ccscope::fuzz::Input input(data, size);
  target->run(input);
  return 0;
}
