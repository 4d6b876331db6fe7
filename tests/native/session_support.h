// The receiver half of a controller behind the ABI, as a page or the command line drives it.
#ifndef CCSCOPE_TESTS_NATIVE_SESSION_SUPPORT_H_
#define CCSCOPE_TESTS_NATIVE_SESSION_SUPPORT_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "abi/ccscope.h"
#include "cc/gcc/parameters.h"
#include "trace/rows.h"

namespace ccscope {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline int ParameterIndex(const std::string& name) {
  for (int i = 0; i < gcc::kParameterCount; ++i) {
    if (gcc::kParameterSpecs[i].name == name) return i;
  }
  ADD_FAILURE() << "no parameter " << name;
  return 0;
}

inline int PresetIndex(const std::string& name) {
  for (int i = 0; i < gcc::kPresetCount; ++i) {
    if (gcc::kPresets[i].name == name) return i;
  }
  ADD_FAILURE() << "no preset " << name;
  return 0;
}

// Writes all parameters of a preset to the ABI's input buffer.
inline void PassPreset(int preset) {
  const gcc::Parameters parameters = gcc::WithPreset(preset);
  double* input = ccs_input_buffer(gcc::kParameterCount);
  for (int i = 0; i < gcc::kParameterCount; ++i) input[i] = gcc::Get(parameters, i);
}

// Create the two halves of GCC with the parameters of a preset.
inline void* CreateReceiver(int preset) {
  PassPreset(preset);
  return ccs_receiver_create(0, 0);
}
inline void* CreateSender(int preset) {
  PassPreset(preset);
  return ccs_sender_create(0, 0, 1);
}

// The rows of a trace table, as structs.
template <class Row>
std::vector<Row> Rows(void* session) {
  constexpr int kColumns = static_cast<int>(sizeof(Row) / sizeof(double));
  const int table = static_cast<int>(Row::kTable);
  std::vector<Row> rows(static_cast<std::size_t>(ccs_trace_rows(ccs_session_recorder(session), table)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double values[kColumns];
    for (int c = 0; c < kColumns; ++c) values[c] = ccs_trace_column(ccs_session_recorder(session), table, c)[i];
    std::copy(values, values + kColumns, reinterpret_cast<double*>(&rows[i]));
  }
  return rows;
}

template <class Row>
void Fill(void* session, const Row& row) {
  constexpr int kColumns = static_cast<int>(sizeof(Row) / sizeof(double));
  const auto* values = reinterpret_cast<const double*>(&row);
  std::copy(values, values + kColumns, ccs_session_buffer(session, kColumns));
}

class ReceiverSession {
 public:
  explicit ReceiverSession(int preset) : handle_(CreateReceiver(preset)) {}
  explicit ReceiverSession(const std::string& preset) : ReceiverSession(PresetIndex(preset)) {}
  ReceiverSession(const ReceiverSession&) = delete;
  ReceiverSession& operator=(const ReceiverSession&) = delete;
  ~ReceiverSession() { ccs_session_destroy(handle_); }

  void* handle() const { return handle_; }
  void Set(const char* name, double value) {
    ASSERT_EQ(ccs_session_set_parameter(handle_, ParameterIndex(name), value), 0) << ccs_last_error();
  }
  int Push(const ArrivalRow& row) {
    Fill(handle_, row);
    return ccs_receiver_push_arrivals(handle_, 1);
  }
  int Push(const InboundRow& row) {
    Fill(handle_, row);
    return ccs_receiver_push_inbound(handle_, 1);
  }

 private:
  void* handle_;
};

inline ArrivalRow Frame(double seq, double send_us, double arrival_us, double bytes) {
  return {0, seq, send_us, arrival_us, bytes, kNaN, kNaN, 0, kNaN};
}

}  // namespace ccscope

#endif  // CCSCOPE_TESTS_NATIVE_SESSION_SUPPORT_H_
