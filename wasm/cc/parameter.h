// What a controller tells about one of its parameters. Each controller declares its parameters
// once, in a parameters.def; the struct it runs on, the presets' checks, the schema that TypeScript
// generates sliders and documentation from, all come from there.
#ifndef CCSCOPE_CC_PARAMETER_H_
#define CCSCOPE_CC_PARAMETER_H_

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
};

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

}  // namespace ccscope

#endif  // CCSCOPE_CC_PARAMETER_H_
