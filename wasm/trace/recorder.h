// Keeps the rows of a controller or a simulation, in one array of doubles per column, until the owner clears them.
// Storage grows to the largest batch seen and is then reused.
#ifndef CCSCOPE_TRACE_RECORDER_H_
#define CCSCOPE_TRACE_RECORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/rows.h"
#include "units/bit_cast.h"

namespace ccscope {

class Recorder {
 public:
  static constexpr int kTables = kTraceTableCount;

  // Keeps only rows of the tables whose bits are set in `tables`; by default all rows are kept.
  void KeepOnly(std::uint32_t tables) { kept_ = tables; }
  bool keeps(TraceTable table) const { return (kept_ >> static_cast<int>(table) & 1) != 0; }

  // Records a row that the controller consumed. Also records the order of the input rows across all tables: if the rows
  // are replayed in this order, the outputs are the same.
  template <class Row>
  void Input(const Row& row) {
    if (!keeps(Row::kTable)) return;
    input_order_.push_back(static_cast<std::uint8_t>(Row::kTable));
    Output(row);
  }

  // Records any other row: one that a controller produced, or a measurement of a simulation.
  template <class Row>
  void Output(const Row& row) {
    if (!keeps(Row::kTable)) return;
    constexpr int kColumns = static_cast<int>(sizeof(Row) / sizeof(double));
    Append(Row::kTable, BitCast<std::array<double, kColumns>>(row).data(), kColumns);
  }

  // The number of rows in all tables since the last Clear().
  int kept_rows() const { return kept_rows_; }
  int rows(int table) const { return tables_[static_cast<std::size_t>(table)].rows; }
  const double* column(int table, int column) const {
    return tables_[static_cast<std::size_t>(table)].columns[static_cast<std::size_t>(column)].data();
  }
  // For each input row since the last Clear(), in order of consumption: the index of its table.
  const std::vector<std::uint8_t>& input_order() const { return input_order_; }

  void Clear() {
    for (Table& table : tables_) {
      for (auto& column : table.columns) column.clear();
      table.rows = 0;
    }
    input_order_.clear();
    kept_rows_ = 0;
  }

 private:
  struct Table {
    std::vector<std::vector<double>> columns;
    int rows = 0;
  };
  // This function is not a template: a copy for each type of row would make the module larger but not faster.
  void Append(TraceTable table, const double* values, int columns);

  std::uint32_t kept_ = ~std::uint32_t{0};
  std::array<Table, kTables> tables_;
  std::vector<std::uint8_t> input_order_;
  int kept_rows_ = 0;
};

}  // namespace ccscope

#endif  // CCSCOPE_TRACE_RECORDER_H_
