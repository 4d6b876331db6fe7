// The specification of one parameter of a component (a controller, a queue discipline, TCP, a source). Each component
// declares its parameters once, as lines of a .def file:
//   PARAMETER(name, unit, default, min, max, values, section, description)
// `values` is "" for a number, "whole" for a whole number, or "a|b|c" for an enumeration. The value of an enumeration
// is the index of one of these names, counted from 0. `unit` is "ms", "B", "packets", "1/s" and the like, or "" for a
// ratio, a count or an enumeration. Most names end in the unit (_ms, _bytes, _packets, _per_s). In the text form of a
// queue this ending is left out: limit_packets is written limit=50. Everything else is generated from the .def file:
// the struct that the component uses, the range checks, the schema that gives TypeScript its types and sliders, and
// the tables of the documentation.
#ifndef CCSCOPE_UNITS_PARAMETER_H_
#define CCSCOPE_UNITS_PARAMETER_H_

#include <array>
#include <cstddef>
#include <cstring>

#include "units/bit_cast.h"

namespace ccscope {

// The part of a specification that is needed at run time; units, sections and descriptions are only in the schema
// (abi/schema.cc).
struct ParameterSpec {
  const char* name;
  double min;
  double max;
  bool whole;               // the value is a count, or an index into a list of names
  const char* expectation;  // what a valid value is, for messages
};

// Two definitions for `#define PARAMETER`: a field of a struct of doubles, and an entry of a table of ParameterSpec.
#define CCSCOPE_PARAMETER_FIELD(name, unit, def, min, max, values, section, description) double name = def;
#define CCSCOPE_PARAMETER_SPEC(name, unit, def, min, max, values, section, description) \
  {#name, min, max, sizeof(values) > 1, "expected " #min " to " #max " " unit},

// One assignment of a preset.
struct PresetValue {
  int parameter;
  double value;
};

struct PresetSpec {
  const char* name;
  const PresetValue* values;
  int count;
};

// Whether a parameter with the values `off|on` is on.
constexpr bool IsOn(double value) { return value != 0; }
// Converts the value of an enumerated parameter to `E`, whose enumerators must be in the order of the parameter's
// names.
template <class E>
constexpr E Choice(double value) {
  return static_cast<E>(static_cast<int>(value));
}

// What is wrong with a component's parameters; `field` is null if nothing is wrong.
struct ParameterError {
  const char* field = nullptr;
  const char* expectation = "";

  explicit operator bool() const { return field != nullptr; }
};

// Checks that there are `spec_count` values and that each is in its range. Counts and enumerations must be whole
// numbers.
ParameterError CheckValues(const ParameterSpec* specs, int spec_count, const double* values, int value_count);

// Makes a component's parameters from values in the order of its .def file.
template <class Params>
Params ParamsFromValues(const double* values) {
  std::array<double, sizeof(Params) / sizeof(double)> copy;
  std::memcpy(copy.data(), values, sizeof copy);
  return BitCast<Params>(copy);
}

}  // namespace ccscope

#endif  // CCSCOPE_UNITS_PARAMETER_H_
