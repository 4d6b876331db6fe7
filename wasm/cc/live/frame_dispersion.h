// Capacity and queue from the dispersion of frames, for live calls. A frame leaves as a packet train, so the bottleneck
// needs the size of the frame divided by the capacity to send it. Every frame thus probes the capacity at no cost
// (packet-train dispersion; cf. Dovrolis et al., "What do packet dispersion techniques measure?", INFOCOM 2001). This
// estimate is ccscope's own addition to the controllers. GCC's filter also estimates 1/C, but correctly only if the
// queue runs empty between frames.
//
// Model of a serial bottleneck (Lindley's recursion) with propagation delay b, which includes the offset between the
// clocks: a frame of L_i bytes is sent at T_i. It leaves the bottleneck at f_i, and its stamp is t_i:
//   f_i = max(T_i, f_{i-1}) + L_i / C,   t_i = f_i + b + n_i.
// Stamps may be late but are never early (n_i >= 0). On a machine that also does other work, the stamps of several
// frames at once are late by tens of milliseconds. So the fit is a quantile regression at a low quantile: late stamps
// do not change the fit as long as some stamps are punctual. The queue is the shortest wait among the latest frames:
// *all* of them waited at least that long. The less punctual the stamps are, the less the fit and the queue are
// trusted.
//
// If a packet of a frame is lost, the frame arrives after later frames, once the packet has been sent again. The frame
// is inserted at its place in the order of sending, since most of its bytes passed the bottleneck there. Its stamp is
// not used.
#ifndef CCSCOPE_CC_LIVE_FRAME_DISPERSION_H_
#define CCSCOPE_CC_LIVE_FRAME_DISPERSION_H_

#include <array>
#include <optional>

#include "cc/controller.h"
#include "units/units.h"

namespace ccscope {

class FrameDispersion {
 public:
  // Processes an arrival. Has no effect if another controller that shares this object has already passed in the
  // same arrival.
  void OnFrame(const Arrival& arrival);

  struct Estimate {
    DataRate rate;
    double spread;  // the fit's mean pinball loss, divided by the mean service time of a frame
  };
  // The capacity that the frames of the last `horizon` show. If fewer than `min_frames` of them have usable stamps
  // (tells_time()), older frames are used, too. No value until there are `min_frames` such frames, or while the
  // dispersion is within the noise of the clocks.
  std::optional<Estimate> Capacity(TimeDelta horizon, int min_frames) const;
  // The propagation delay b, including the clocks' offset.
  std::optional<TimeDelta> Base() const;
  // The shortest time that any of the latest `frames` frames waited to be served. Zero until there is a base (Base()).
  TimeDelta Wait(int frames) const;
  // How long the newest frames waited, beyond what the lateness of stamps explains: the longest wait that the latest
  // 2, 3, 5 or 8 frames show. The fewer frames show a wait, the more of it is attributed to late stamps.
  TimeDelta Wait() const;
  // Among the latest `frames` frames, the smallest excess of the service time over the expected time. The expected
  // times come from the capacity of the last seconds. A fall of the capacity makes all service times longer. In
  // contrast, a late stamp, a retransmission, or a pause of the machine or of a radio link makes one service time
  // longer and the next one shorter.
  TimeDelta ServiceExcess(int frames) const;
  // The rates at which the slowest and the fastest of the latest `frames` frames were served.
  struct ServiceRates {
    DataRate slowest;
    DataRate fastest;
  };
  ServiceRates ServiceRatesOf(int frames) const;
  // The rate of frames on the wire, measured over the last `window` or, if that is shorter, since the first frame. If
  // the window contains only a few frames, a longer time is used.
  std::optional<DataRate> Delivered(TimeDelta window) const;
  // Whether the newest frame was stamped so soon after its predecessor that the link cannot have served it in that
  // time.
  bool IsBunched() const { return Back(0).bunched; }
  // How late individual stamps are, compared with the model (a high quantile).
  TimeDelta Lateness() const { return lateness_; }

 private:
  struct Frame {
    double seq;
    Timestamp send;
    Timestamp arrival;
    DataSize size;  // on the wire
    TimeDelta excess = {};          // one-way delay less propagation delay and the frame's own transmission time
    DataSize served = {};           // bytes of this frame and of retransmitted frames just before it
    TimeDelta service = {};         // how long the link took for these bytes
    TimeDelta service_excess = {};  // `service` less the time expected from the latest capacity
    double missing = 0;             // number of frames missing before this one
    bool sent_again = false;        // it arrived after later frames
    bool bunched = false;           // arrived together with a neighbour, so its stamp may be late
    TimeDelta one_way_delay() const { return arrival - send; }
    // tells_time(): whether the frame's stamp shows when the link had served the frame. tells_service(): whether
    // `service` shows how long the link took.
    bool tells_time() const { return !sent_again && !bunched && missing == 0; }
    bool tells_service() const { return !sent_again && missing == 0; }
  };
  static constexpr int kFrames = 128;

  // A contiguous copy of the frames, oldest first, since the regressions scan the frames repeatedly.
  struct Ordered {
    int count = 0;
    std::array<double, kFrames> send_us{};
    std::array<double, kFrames> arrival_us{};
    std::array<double, kFrames> bytes{};
    std::array<double, kFrames> missing{};  // number of missing frames before each frame, at most kMostMissing
    std::array<bool, kFrames> tells_time{};

    // The time at which the link has served frame `i`, if the link became free at `free_us`.
    double ServedUs(int i, double free_us, double us_per_byte) const;
  };

  Frame& Back(int k);
  const Frame& Back(int k) const;
  void Order();
  struct Fit {
    double us_per_byte;
    double base_us;
    double loss;  // pinball loss of the regression, per frame
  };
  Fit BestBase(double us_per_byte);
  std::optional<int> Insert(const Frame& frame);
  void Measure(int k);
  template <class Visit>
  bool ForLatest(int frames, Visit&& visit) const;
  void MarkBunch();
  void UpdateBase();
  void UpdateLateness();
  double Loss(double us_per_byte, int frames) const;

  std::array<Frame, kFrames> frames_{};
  struct Seen {
    double seq;
    Timestamp arrival;
    bool operator==(const Seen& other) const { return seq == other.seq && arrival == other.arrival; }
  };
  std::optional<Seen> latest_;
  int count_ = 0;
  int next_ = 0;
  Ordered ordered_;                            // as of the latest frame
  std::array<double, kFrames> residuals_{};    // scratch
  std::array<double, kFrames> partitioned_{};  // scratch
  std::optional<double> base_us_;
  double us_per_byte_ = 0;  // the inverse of the capacity in the latest fit
  bool had_good_fit_ = false;
  TimeDelta lateness_;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_FRAME_DISPERSION_H_
