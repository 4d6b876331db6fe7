// Replays the committed corpora under AddressSanitizer. A corpus contains the inputs that minimisation kept because
// they cover code of the core, and the inputs that once caused a fault.
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/fuzz/native/input.h"

namespace ccscope::fuzz {
namespace {

std::vector<std::uint8_t> FromHex(const std::string& hex) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

std::vector<const Target*> Targets() {
  std::vector<const Target*> targets;
  for (const Target* target = Target::first; target != nullptr; target = target->next) targets.push_back(target);
  return targets;
}

class Corpus : public testing::TestWithParam<const Target*> {};

// A violated oracle ends the process; the last line of its output then names the input.
TEST_P(Corpus, HoldsEveryOracle) {
  const std::string file = std::string("tests/fuzz/corpus/") + GetParam()->name + ".txt";
  std::ifstream lines(file);
  int inputs = 0;
  for (std::string line; std::getline(lines, line); ++inputs) {
    const std::size_t space = line.find(' ');
    SetReplayed(file + ": " + line.substr(0, space));
    const std::vector<std::uint8_t> bytes = space == std::string::npos ? std::vector<std::uint8_t>() : FromHex(line.substr(space + 1));
    Input input(bytes.data(), bytes.size());
    GetParam()->run(input);
  }
  SetReplayed("");
  EXPECT_GT(inputs, 10) << file;
}

INSTANTIATE_TEST_SUITE_P(Fuzz, Corpus, testing::ValuesIn(Targets()),
                         [](const auto& target) { return std::string(target.param->name); });

}  // namespace
}  // namespace ccscope::fuzz
