#include "trace/recorder.h"

namespace ccscope {

void Recorder::Append(TraceTable which, const double* values, int columns) {
  Table& table = tables_[static_cast<std::size_t>(which)];
  table.columns.resize(static_cast<std::size_t>(columns));
  for (auto& column : table.columns) column.push_back(*values++);
  ++table.rows;
  ++kept_rows_;
}

}  // namespace ccscope
