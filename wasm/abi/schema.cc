// The schema as JSON text: parameters and presets of each controller and the columns of each trace
// table. scripts/generate_schema.mjs turns it into src/core/schema.generated.ts.
// Lists start with null, which the generator drops, so that the macros need no commas of their own.
#include "abi/export.h"

CCSCOPE_FN(const char*, ccs_schema)() {
  return "{\"controllers\":{\"gcc\":{\"parameters\":[null"
#define PARAMETER(name, unit, def, min, max, values, section, description)                            \
  ",{\"name\":\"" #name "\",\"unit\":\"" unit "\",\"default\":" #def ",\"min\":" #min ",\"max\":" #max \
  ",\"values\":\"" values "\",\"section\":\"" section "\",\"description\":\"" description "\"}"
#include "cc/gcc/parameters.def"
#undef PARAMETER
         "],\"presets\":[null"
#define PRESET(id, name, description) ",{\"name\":\"" name "\",\"description\":\"" description "\"}"
#define SET(name, value)
#define BASED_ON(id)
#define END_PRESET(id)
#include "cc/gcc/presets.def"
#undef PRESET
#undef SET
#undef BASED_ON
#undef END_PRESET
         "]}},\"tables\":[null"
#define TABLE(name, Name, doc) ",{\"name\":\"" #name "\",\"description\":\"" doc "\",\"columns\":[null"
#define COLUMN(name, values) ",{\"name\":\"" #name "\",\"values\":\"" values "\"}"
#define END_TABLE(name, Name) "]}"
#include "trace/columns.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE
         "]}";
}
