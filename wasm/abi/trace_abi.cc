// The trace functions of the ABI. They return what a session or a simulation recorded, column by column.
#include "abi/export.h"
#include "trace/recorder.h"

namespace ccscope {
namespace {

Recorder& Of(void* recorder) { return *static_cast<Recorder*>(recorder); }

}  // namespace
}  // namespace ccscope

using ccscope::Of;

CCSCOPE_FN(int, ccs_trace_rows)(void* recorder, int table) {
  return table >= 0 && table < ccscope::Recorder::kTables ? Of(recorder).rows(table) : 0;
}
CCSCOPE_FN(const double*, ccs_trace_column)(void* recorder, int table, int column) {
  return Of(recorder).column(table, column);
}
CCSCOPE_FN(const unsigned char*, ccs_trace_input_order)(void* recorder) { return Of(recorder).input_order().data(); }
CCSCOPE_FN(int, ccs_trace_input_count)(void* recorder) {
  return static_cast<int>(Of(recorder).input_order().size());
}
CCSCOPE_FN(void, ccs_trace_clear)(void* recorder) { Of(recorder).Clear(); }
