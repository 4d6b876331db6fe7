// Runs a list of operations through the ABI of a native build, and writes every number that the ABI returns.
// scripts/identity_test.mjs describes the operations and runs them on the WebAssembly module, too.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include "abi/ccscope.h"

namespace {

constexpr int kArguments = 10;
using Operation = std::array<double, kArguments + 1>;  // the number of the operation, then its arguments

int ToInt(double value) { return static_cast<int>(value); }

class Interpreter {
 public:
  void Run(const Operation& operation) {
    const double* a = operation.data() + 1;
    switch (ToInt(operation[0])) {
      case 0:
        receiver_ = ccs_receiver_create(ToInt(a[0]), 0);
        sender_ = ccs_sender_create(ToInt(a[0]), 0, a[1]);
        break;
      case 1:
        std::memcpy(ccs_session_buffer(receiver_, 9), a, 9 * sizeof(double));
        Write(ccs_receiver_push_arrivals(receiver_, 1));
        PassFeedback(a[3]);
        break;
      case 2:
        std::memcpy(ccs_session_buffer(receiver_, 5), a, 5 * sizeof(double));
        Write(ccs_receiver_push_inbound(receiver_, 1));
        PassFeedback(a[1]);
        break;
      case 3:
        Write(ccs_sender_push_sent(sender_, a[0], a[1], a[2], a[3]));
        Write(ccs_sender_run(sender_, a[0]));
        break;
      case 4:
        Write(ccs_session_set_parameter(receiver_, ToInt(a[0]), a[1]));
        Write(ccs_session_set_parameter(sender_, ToInt(a[0]), a[1]));
        break;
      case 5:
        for (void* session : {receiver_, sender_}) WriteTable(ccs_session_recorder(session), a[0], a[1]);
        break;
      case 6:
        ccs_session_destroy(receiver_);
        ccs_session_destroy(sender_);
        break;
      case 7:
        link_ = ccs_link_create(a[0], ToInt(a[1]), ToInt(a[2]), ToInt(a[3]), a[4], a[5], a[6], a[7], a[8]);
        break;
      case 8:
        Write(ccs_link_enqueue(link_, a[0], a[1], ToInt(a[3]), a[2]));
        WritePolled(ccs_link_poll(link_, a[2]));
        break;
      case 9:
        ccs_link_destroy(link_);
        break;
      case 10:  // writes a number to the input buffer: its index, its value
        ccs_input_buffer(ToInt(a[0]) + 1)[ToInt(a[0])] = a[1];
        break;
      case 11:
        Write(ccs_session_configure(receiver_));
        Write(ccs_session_configure(sender_));
        break;
      case 26:
        Write(ccs_link_set_burst_loss(link_, a[0], a[1]));
        break;
      case 27:
        Write(ccs_link_set_outages(link_, a[0], a[1], ToInt(a[2]), a[3]));
        break;
      case 28:
        Write(ccs_link_set_cross_traffic(link_, a[0], a[1], a[2]));
        break;
      case 29:
        WriteAll(ccs_link_stats(link_, a[0]), 16);
        break;
      case 30:
        Write(ccs_link_set_cross_rtt(link_, a[0], a[1]));
        break;
      default:
        RunSimulation(ToInt(operation[0]), a);
    }
  }

 private:
  void RunSimulation(int what, const double* a) {
    switch (what) {
      case 12:
        simulation_ = ccs_sim_create(a[0], a[1], a[2], a[3]);
        break;
      case 13:
        Write(ccs_sim_set_bottleneck(simulation_, ToInt(a[0]), a[1], ToInt(a[2]), ToInt(a[3]), ToInt(a[4]), a[5], a[6],
                                     a[7], a[8]));
        break;
      case 14:
        Write(ccs_sim_set_delay(simulation_, ToInt(a[0]), a[1], a[2], a[3]));
        break;
      case 15:
        Write(ccs_sim_schedule_capacity(simulation_, ToInt(a[0]), a[1], a[2]));
        break;
      case 16:
        Write(ccs_sim_add_window(simulation_, a[0], a[1]));
        break;
      case 17:
        Write(ccs_sim_add_media_flow(simulation_, ToInt(a[0]), a[1], a[2], a[3], ToInt(a[4]), ToInt(a[5]), ToInt(a[6])));
        break;
      case 18:
        Write(ccs_sim_add_tcp_flow(simulation_, ToInt(a[0]), a[1], a[2], a[3], ToInt(a[4]), ToInt(a[5])));
        break;
      case 19:
        Write(ccs_sim_trace(simulation_, ToInt(a[0]), a[1]));
        break;
      case 20:
        Write(ccs_sim_run_until(simulation_, a[0]));
        Write(ccs_sim_events(simulation_));
        break;
      case 21: {
        const double* metrics = ccs_sim_metrics(simulation_, ToInt(a[0]));
        WriteAll(metrics, ccs_sim_metrics_size(simulation_));
        break;
      }
      case 22:
        WriteTable(ccs_sim_recorder(simulation_), a[0], a[1]);
        break;
      case 24: {
        Write(ccs_density(ccs_sim_sender_half(simulation_, ToInt(a[0])), ToInt(a[1]), ToInt(a[2])));
        const int numbers = 4 + ToInt(a[1]) * ToInt(a[2]);
        WriteAll(ccs_input_buffer(numbers), numbers);
        break;
      }
      case 25:
        Write(ccs_sim_set_outages(simulation_, ToInt(a[0]), a[1], a[2], ToInt(a[3])));
        break;
      default:
        ccs_sim_destroy(simulation_);
    }
  }
  void Write(double value) { WriteAll(&value, 1); }
  void WriteAll(const double* values, int count) {
    std::fwrite(values, sizeof(double), static_cast<std::size_t>(count), stdout);
  }
  void WriteTable(void* recorder, double table, double columns) {
    const int rows = ccs_trace_rows(recorder, ToInt(table));
    for (int column = 0; rows > 0 && column < ToInt(columns); ++column) {
      WriteAll(ccs_trace_column(recorder, ToInt(table), column), rows);
    }
  }
  void WritePolled(int deliveries) {
    WriteAll(ccs_link_deliveries(link_), 6 * deliveries);
    WriteAll(ccs_link_drops(link_), 5 * ccs_link_drop_count(link_));
  }
  void PassFeedback(double now_us) {
    const int count = ccs_receiver_take_feedback(receiver_);
    if (count == 0) return;
    const double* message = ccs_session_buffer(receiver_, count);
    WriteAll(message, count);
    std::memcpy(ccs_session_buffer(sender_, count), message, static_cast<std::size_t>(count) * sizeof(double));
    Write(ccs_sender_push_feedback(sender_, now_us, count));
  }

  void* receiver_ = nullptr;
  void* sender_ = nullptr;
  void* link_ = nullptr;
  void* simulation_ = nullptr;
};

}  // namespace

int main() {
  Interpreter interpreter;
  Operation operation;
  while (std::fread(operation.data(), sizeof(double), operation.size(), stdin) == operation.size()) {
    interpreter.Run(operation);
  }
  return 0;
}
