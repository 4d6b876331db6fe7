// The rows of the trace tables as structs of doubles, generated from columns.def.
#ifndef CCSCOPE_TRACE_ROWS_H_
#define CCSCOPE_TRACE_ROWS_H_

namespace ccscope {

enum class TraceTable {
#define TABLE(name, Name, doc) k##Name,
#define COLUMN(name, values)
#define END_TABLE(name, Name)
#include "trace/columns.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE
};

inline constexpr int kTraceTableCount = 0
#define TABLE(name, Name, doc) +1
#define COLUMN(name, values)
#define END_TABLE(name, Name)
#include "trace/columns.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE
    ;

#define TABLE(name, Name, doc)                                      \
  struct Name##Row {                                                \
    static constexpr TraceTable kTable = TraceTable::k##Name;
#define COLUMN(name, values) double name;
#define END_TABLE(name, Name) \
  }                           \
  ;
#include "trace/columns.def"
#undef TABLE
#undef COLUMN
#undef END_TABLE

}  // namespace ccscope

#endif  // CCSCOPE_TRACE_ROWS_H_
