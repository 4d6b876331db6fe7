#include <cstdio>

#include "tests/fuzz/native/session.h"

namespace ccscope::fuzz {

void CheckTrace(void* handle) {
  struct Columns {
    TraceTable table;
    int count;
    unsigned absent;  // bits of the columns that may be NaN
  };
  constexpr auto bit = [](std::size_t offset) { return 1u << (offset / sizeof(double)); };
  constexpr Columns kTables[] = {
      {TraceTable::kGroup, sizeof(GroupRow) / sizeof(double),
       bit(offsetof(GroupRow, received_rate_bps)) | bit(offsetof(GroupRow, capacity_estimate_bps))},
      {TraceTable::kFeedback, sizeof(FeedbackRow) / sizeof(double),
       bit(offsetof(FeedbackRow, a_r_bps)) | bit(offsetof(FeedbackRow, drain_bps))},
      {TraceTable::kNada, sizeof(NadaRow) / sizeof(double), bit(offsetof(NadaRow, bound_bps))},
      {TraceTable::kLcc, sizeof(LccRow) / sizeof(double), bit(offsetof(LccRow, bound_bps))},
      // Does not check the last column, the browser's estimate: the host supplies it, not the controller.
      {TraceTable::kRate, sizeof(RateRow) / sizeof(double) - 1,
       bit(offsetof(RateRow, a_r_bps)) | bit(offsetof(RateRow, a_s_bps)) | bit(offsetof(RateRow, sent_bps))},
  };
  void* recorder = ccs_session_recorder(handle);
  for (const Columns& columns : kTables) {
    const int rows = ccs_trace_rows(recorder, static_cast<int>(columns.table));
    for (int c = 0; rows > 0 && c < columns.count; ++c) {
      const double* values = ccs_trace_column(recorder, static_cast<int>(columns.table), c);
      const bool may_be_absent = (columns.absent >> c & 1) != 0;
      for (int r = 0; r < rows; ++r) {
        if (std::isfinite(values[r]) || (may_be_absent && std::isnan(values[r]))) continue;
        std::fprintf(stderr, "table %d, column %d, row %d of %d: %g\n", static_cast<int>(columns.table), c, r, rows, values[r]);
        EXPECT_THAT_HOLDS(false, "a trace has finite numbers, or none");
      }
    }
  }
}

}  // namespace ccscope::fuzz
