// What a component (a controller, a queue discipline, TCP, a source) tells about one of its
// parameters. Each declares its parameters once, in a .def file of
//
//   PARAMETER(name, unit, default, min, max, values, section, description)
//
// The struct it runs on, the checks of ranges, the schema that TypeScript takes its types and sliders
// from, and the tables of the documentation, all come from there.
#ifndef CCSCOPE_UNITS_PARAMETER_H_
#define CCSCOPE_UNITS_PARAMETER_H_

#include <cstddef>
#include <cstring>

namespace ccscope {

struct ParameterSpec {
  const char* name;  // carries the unit where there is one
  const char* unit;
  double default_value;
  double min;
  double max;
  const char* values;  // names of an enumeration joined by '|', whose index is the value; or ""
  const char* section;  // where it comes from
  const char* description;
  const char* expectation;  // what a value must be, for messages
};

// For `#define PARAMETER`: a field of a struct of doubles, and a line of a table of ParameterSpec.
#define CCSCOPE_PARAMETER_FIELD(name, unit, def, min, max, values, section, description) double name = def;
#define CCSCOPE_PARAMETER_SPEC(name, unit, def, min, max, values, section, description) \
  {#name, unit, def, min, max, values, section, description, "expected " #min " to " #max " " unit},

// One assignment of a preset.
struct PresetValue {
  int parameter;
  double value;
};

struct PresetSpec {
  const char* name;
  const char* description;
  const PresetValue* values;
  int count;
};

// What is wrong with a component's parameters; `field` is null if nothing is.
struct ParameterError {
  const char* field = nullptr;
  const char* expectation = "";

  explicit operator bool() const { return field != nullptr; }
};

// Whether there are `spec_count` values, each in its range, and whole where it is a count or names one of a list.
ParameterError CheckValues(const ParameterSpec* specs, int spec_count, const double* values, int value_count);

// A component's parameters, from their values in the order of its .def.
template <class Params>
Params ParamsFromValues(const double* values) {
  Params params;
  std::memcpy(reinterpret_cast<char*>(&params), values, sizeof params);
  return params;
}

}  // namespace ccscope

#endif  // CCSCOPE_UNITS_PARAMETER_H_
