// The schema as JSON text: parameters and presets of each controller and of each component of the simulator, and the
// columns of each trace table. scripts/generate_schema.mjs turns it into src/core/schema.generated.ts. This file is
// built into a separate module (build/wasm/schema.wasm), so that pages do not download the text twice. Each macro
// begins its entry with a comma. So that the first comma is valid JSON, each list starts with null and each object
// with an entry that has an empty name; the generator drops both. To add a component, add its COMPONENT …
// END_COMPONENT lines below.
#include "abi/export.h"

#define PARAMETER(name, unit, def, min, max, values, section, description)                            \
  ",{\"name\":\"" #name "\",\"unit\":\"" unit "\",\"default\":" #def ",\"min\":" #min ",\"max\":" #max \
  ",\"values\":\"" values "\",\"section\":\"" section "\",\"description\":\"" description "\"}"
#define COMPONENT(name) ",\"" name "\":{\"parameters\":[null"
#define PRESETS "],\"presets\":[null"
#define END_COMPONENT "]}"

CCSCOPE_FN(const char*, ccs_schema)() {
#define PRESET(id, name, description) \
  ",{\"id\":\"" #id "\",\"name\":\"" name "\",\"description\":\"" description "\",\"values\":[null"
#define BASED_ON(id) ",{\"based_on\":\"" #id "\"}"
#define SET(name, value) ",{\"name\":\"" #name "\",\"value\":" #value "}"
#define END_PRESET(id) "]}"
  return "{\"controllers\":{\"\":null"
  COMPONENT("gcc")
#include "cc/gcc/parameters.def"
  PRESETS
#include "cc/gcc/presets.def"
  END_COMPONENT
  COMPONENT("nada")
#include "cc/nada/parameters.def"
  PRESETS
#include "cc/nada/presets.def"
  END_COMPONENT
  COMPONENT("lcc")
#include "cc/lcc/parameters.def"
  PRESETS
#include "cc/lcc/presets.def"
  END_COMPONENT
         "},\"components\":{\"\":null"
  COMPONENT("droptail")
#include "sim/queue_disc/drop_tail.def"
  PRESETS END_COMPONENT
  COMPONENT("codel")
#include "sim/queue_disc/codel.def"
  PRESETS END_COMPONENT
  COMPONENT("pie")
#include "sim/queue_disc/pie.def"
  PRESETS
#include "sim/queue_disc/pie_presets.def"
  END_COMPONENT
  COMPONENT("sfq")
#include "sim/queue_disc/sfq.def"
  PRESETS
#include "sim/queue_disc/sfq_presets.def"
  END_COMPONENT
  COMPONENT("fq_codel")
#include "sim/queue_disc/fq_codel.def"
  PRESETS END_COMPONENT
  COMPONENT("tcp")
#include "sim/tcp/parameters.def"
  PRESETS
#include "sim/tcp/presets.def"
  END_COMPONENT
  COMPONENT("media_source")
#include "sim/media_source.def"
  PRESETS
#include "sim/media_source_presets.def"
  END_COMPONENT
  COMPONENT("live_call")
#include "sim/live/parameters.def"
  PRESETS
#include "sim/live/presets.def"
  END_COMPONENT
  COMPONENT("user_controller")
#include "abi/user_controller.def"
  PRESETS END_COMPONENT
         "},\"tables\":[null"
#define TABLE(name, Name, doc) ",{\"name\":\"" #name "\",\"description\":\"" doc "\",\"columns\":[null"
#define COLUMN(name, values) ",{\"name\":\"" #name "\",\"values\":\"" values "\"}"
#define END_TABLE(name, Name) "]}"
#include "trace/columns.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE
         "]}";
}
