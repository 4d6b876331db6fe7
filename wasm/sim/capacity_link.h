// The transmitter of a bottleneck: one packet at a time, at a capacity that may change while the packet is being sent.
// Two modes:
//
// - serial: a packet of L bits leaves L / C after its transmission began (as in the papers CMP and LCC);
// - token bucket: a packet leaves as soon as the bucket contains as many tokens as the packet has bytes. The bucket
//   fills at rate C, up to `burst` (5 kB: the emulated testbeds of gcc-ton-2017 and gcc-aqm-2016). A packet larger
//   than `burst` leaves when the bucket is full, and makes the number of tokens negative. (Linux's tbf would drop such
//   a packet, but here a "packet" may be a whole video frame.)
#ifndef CCSCOPE_SIM_CAPACITY_LINK_H_
#define CCSCOPE_SIM_CAPACITY_LINK_H_

#include "sim/packet.h"
#include "units/units.h"

namespace ccscope {

class CapacityLink {
 public:
  enum class Mode { kSerial = 0, kTokenBucket = 1 };
  struct Params {
    Mode mode = Mode::kSerial;
    DataRate capacity = DataRate::KilobitsPerSec(1000);
    DataSize burst = DataSize::Bytes(5000);  // token bucket only
  };

  // The bucket starts full.
  explicit CapacityLink(const Params& params);

  // Takes effect at `now`; zero is an outage. The rest of the current packet is sent at the new capacity.
  void SetCapacity(DataRate capacity, Timestamp now);
  // Takes effect at `now`; the current packet starts over in the new mode, with a full bucket.
  void SetMode(Mode mode, Timestamp now);

  bool busy() const { return busy_; }
  Mode mode() const { return params_.mode; }
  DataRate capacity() const { return params_.capacity; }
  // The capacity or, during an outage, the capacity before the outage; never zero.
  DataRate nominal_capacity() const { return last_capacity_; }

  // Begins to transmit a packet. The link must not be busy.
  void Start(const Packet& packet, Timestamp now);
  // When the transmission of the current packet ends. Infinity if there is no packet, and during an outage unless the
  // bucket already has the tokens for the packet.
  Timestamp completion() const { return completion_; }
  struct Sent {
    Packet packet;
    Timestamp depart;
    TimeDelta queue_delay;  // from reaching the queue to the start of the transmission
  };
  // Ends the transmission at completion().
  Sent Finish();

  // How long a packet would wait if it found `ahead` bytes in the queue. During an outage, the capacity before the
  // outage is used.
  TimeDelta WaitingTime(DataSize ahead, Timestamp now) const;

 private:
  // Token bucket: the tokens gained since `since_`. Serial: the bits sent since `since_`.
  DataSize Gained(Timestamp now) const { return params_.capacity * (now - since_); }
  DataSize TokensAt(Timestamp now) const;
  void Plan(Timestamp now);

  Params params_;
  DataRate last_capacity_;  // never zero
  DataSize tokens_;         // at since_; token bucket only
  DataSize remaining_;      // of the current packet at since_; serial only
  Timestamp since_;
  bool busy_ = false;
  Packet packet_;
  Timestamp begin_;
  Timestamp completion_ = Timestamp::PlusInfinity();
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_CAPACITY_LINK_H_
