// Assembles a receiver's packets into frames. Keeps track of which packets are missing, when to request them again (RFC
// 4585, 6.2.1), and which frames are complete. A browser hands a frame to its encoded transform as soon as the frame is
// complete, even if earlier frames are not. The decoder gets a frame only when all frames to which this frame refers
// are complete, too.
#ifndef CCSCOPE_SIM_LIVE_FRAME_ASSEMBLY_H_
#define CCSCOPE_SIM_LIVE_FRAME_ASSEMBLY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "units/ring_buffer.h"
#include "units/units.h"

namespace ccscope::live {

// What every packet contains about its frame.
struct FramePacket {
  double seq = 0;  // sequence number of the packet; the same in a retransmission
  double frame = 0;
  int packets = 1;      // number of packets of the frame
  DataSize frame_size;  // payload
  bool key_frame = false;
  double rtp_timestamp = 0;
  Timestamp stamped = {};  // when the sender's encoded transform stamped the frame
  std::optional<TimeDelta> rtt = {};
};

class FrameAssembly {
 public:
  struct Params {
    bool nack;
    TimeDelta nack_interval;
    int nack_retries;
  };
  struct Frame {
    FramePacket of;
    Timestamp arrived;  // when its last packet arrived
  };
  // The most packets that one message requests.
  static constexpr int kMaxAskedFor = 64;
  struct Request {
    int count = 0;
    std::array<double, kMaxAskedFor> seqs{};
  };

  explicit FrameAssembly(const Params& params) : params_(params) {}

  // Returns the frame that this packet completes, if any. `again`: the packet is a retransmission.
  std::optional<Frame> OnPacket(const FramePacket& packet, bool again, Timestamp now);
  // Returns the next frame that can be decoded, if any: the next frame in order, once it is complete; or, after the
  // receiver gave up on a packet, the first complete key frame.
  std::optional<Frame> NextFrame();

  // The packets to request now.
  Request TakeRequest(Timestamp now);
  // When to call TakeRequest() and TakeNeedsKeyFrame() next; infinity if nothing is missing.
  Timestamp NextRequest() const;
  // Whether to request a key frame now. After the receiver gave up on a packet, later frames cannot be decoded until a
  // key frame arrives.
  bool TakeNeedsKeyFrame(Timestamp now);

  // How many packets did not arrive when they were first sent, as in receiver reports (RFC 3550, 6.4.1). A packet that
  // arrives late is no longer counted. A packet that arrives as a retransmission still counts, since retransmissions
  // belong to a separate stream (RFC 4588).
  double packets_lost() const { return packets_lost_; }

 private:
  struct Slot {
    bool known = false;
    int received = 0;
    Frame frame;
    bool complete() const { return known && received >= frame.of.packets; }
  };
  struct Missing {
    double seq;
    Timestamp ask_at;
    int asked = 0;
  };
  bool IsNew(double seq, bool again, Timestamp now);
  Slot* SlotOf(const FramePacket& packet);
  void SkipToKeyFrame();
  void GiveUp();

  Params params_;
  RingBuffer<Slot> slots_;  // slots_[0] belongs to frame next_frame_
  double next_frame_ = 0;
  std::optional<double> highest_seq_;
  std::vector<Missing> missing_;  // in the order in which their absence was noticed
  bool awaits_key_frame_ = false;
  Timestamp ask_for_key_frame_at_ = Timestamp::PlusInfinity();
  double packets_lost_ = 0;
};

}  // namespace ccscope::live

#endif  // CCSCOPE_SIM_LIVE_FRAME_ASSEMBLY_H_
