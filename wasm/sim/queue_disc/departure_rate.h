// The rate at which a queue is served, measured from its departures (RFC 8033, section 5.2; Linux's
// pie_process_dequeue). A measurement begins when the backlog has reached a threshold, and ends when that many bytes
// have departed. Little's law then gives the delay of the queue.
#ifndef CCSCOPE_SIM_QUEUE_DISC_DEPARTURE_RATE_H_
#define CCSCOPE_SIM_QUEUE_DISC_DEPARTURE_RATE_H_

#include <optional>

#include "units/units.h"

namespace ccscope {

class DepartureRate {
 public:
  // Which quantity is averaged. Linux averages the rate, with weight 1/8 for each measurement. RFC 8033 averages the
  // time that DQ_THRESHOLD bytes take to depart, with weight 1/4.
  enum class Average { kRate, kTime };

  // `whole`: the rate and its average are whole numbers in Linux's unit; a rate that becomes 0 counts as unknown.
  DepartureRate(Average average, DataSize threshold, bool whole = false)
      : average_(average), threshold_(threshold), whole_(whole) {}

  // Call it when a packet has left the queue. `backlog`: the bytes that still wait. If this packet ends a measurement,
  // returns the duration of the measurement.
  std::optional<TimeDelta> OnDeparture(DataSize size, DataSize backlog, Timestamp now);

  bool known() const { return known_; }
  // Zero before the first measurement.
  TimeDelta DelayOf(DataSize backlog) const;
  void Forget() { known_ = measuring_ = false; }

 private:
  void Begin(Timestamp now);
  void Measure(TimeDelta took);
  void MeasureWhole(TimeDelta took);

  Average average_;
  DataSize threshold_;
  bool whole_;
  bool known_ = false;
  DataRate rate_;   // with Average::kRate
  double units_ = 0;  // the rate in Linux's unit, if `whole`
  TimeDelta time_;  // time in which threshold_ bytes depart, with Average::kTime
  bool measuring_ = false;
  Timestamp since_;
  DataSize departed_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_QUEUE_DISC_DEPARTURE_RATE_H_
