// Capacity and queue from the dispersion of frames, for live calls. A frame leaves as a packet train, so the time
// that the bottleneck takes for it is its size divided by the capacity: a probe that costs nothing (packet-train
// dispersion; cf. Dovrolis et al., "What do packet dispersion techniques measure?", INFOCOM 2001). ccscope's own
// addition to the controllers: GCC's filter also estimates 1/C, but only from pairs of frames between which the queue
// ran empty.
//
// Model of a serial bottleneck (Lindley's recursion) with propagation delay b, which includes the offset between the
// clocks: a frame of L_i bytes that is sent at T_i has left at
//   f_i = max(T_i, f_{i-1}) + L_i / C     and is stamped at     t_i = f_i + b + n_i.
// Stamps are only ever late (n_i >= 0); on a machine that also does other work they are late by tens of milliseconds,
// for several frames at once. So the fit is a quantile regression at a low quantile, which late stamps do not move as
// long as some stamps are punctual. The queue is the minimum time that *all* of the latest frames waited. The
// lateness of single stamps determines how far the fit and the queue are trusted.
//
// A frame that lost a packet arrives after later frames, once that packet has been sent again. It is put in its place
// in the order of sending, where its bytes passed the bottleneck, but its stamp says nothing about the queue.
#ifndef CCSCOPE_CC_LIVE_FRAME_DISPERSION_H_
#define CCSCOPE_CC_LIVE_FRAME_DISPERSION_H_

#include <array>
#include <optional>

#include "cc/controller.h"
#include "units/units.h"

namespace ccscope {

class FrameDispersion {
 public:
  // Takes an arrival. An arrival that was already taken (from another controller that shares this object) changes
  // nothing.
  void OnFrame(const Arrival& arrival);

  struct Estimate {
    DataRate rate;
    double spread;  // mean pinball loss of the frames' times, divided by the mean time that the link takes for a frame
  };
  // The capacity that the frames of the last `horizon` show, or that more frames show, if fewer than `min_frames` of
  // these have stamps that tell the time (tells_time()). No value until that many have arrived, or while their
  // dispersion is within the noise of the clocks.
  std::optional<Estimate> Capacity(TimeDelta horizon, int min_frames) const;
  // The propagation delay b, including the clocks' offset.
  std::optional<TimeDelta> Base() const;
  // The shortest time that any of the latest `frames` frames waited to be served. Zero until there is a base.
  TimeDelta Wait(int frames) const;
  // How long the newest frames waited, beyond what the lateness of stamps explains: the longest wait that 2 to 8 of the
  // latest frames show, where fewer frames have to exceed the lateness further.
  TimeDelta Wait() const;
  // By how much, at least, each of the latest `frames` frames took longer to be served than at the capacity of the
  // last seconds. A fall of the capacity makes all of them take longer; a late stamp, a retransmission, or a pause
  // of the machine or of a radio link makes one frame late and the next one's service shorter.
  TimeDelta ServiceExcess(int frames) const;
  // The rates at which the slowest and the fastest of the latest `frames` frames were served.
  struct ServiceRates {
    DataRate slowest;
    DataRate fastest;
  };
  ServiceRates ServiceRatesOf(int frames) const;
  // The rate of frames on the wire in the last `window`, or since the first frame; over a longer time if the window
  // holds only a few.
  std::optional<DataRate> Delivered(TimeDelta window) const;
  // Whether the newest frame was stamped so soon after its predecessor that the link cannot have served it in
  // between.
  bool IsBunched() const { return Back(0).bunched; }
  // By how much single stamps are later than the model predicts.
  TimeDelta Lateness() const { return lateness_; }

 private:
  struct Frame {
    double seq;
    Timestamp send;
    Timestamp arrival;
    DataSize size;  // on the wire
    TimeDelta excess = {};          // one-way delay beyond propagation and own service
    DataSize served = {};           // this frame and those retransmitted just before it,
    TimeDelta service = {};         // how long they took to be served,
    TimeDelta service_excess = {};  // and by how much longer than at the capacity of the last seconds
    double missing = 0;             // missing frames between this one and its predecessor
    bool sent_again = false;        // it arrived after later frames
    bool bunched = false;           // stamped together with a neighbour: neither stamp tells when the link served it
    TimeDelta one_way_delay() const { return arrival - send; }
    // Whether the frame's stamp tells when the link had served it, and whether `service` tells how long the link needs
    // for it.
    bool tells_time() const { return !sent_again && !bunched && missing == 0; }
    bool tells_service() const { return !sent_again && missing == 0; }
  };
  static constexpr int kFrames = 128;

  // The frames, laid out for the regressions, which scan them repeatedly: oldest first, contiguous.
  struct Ordered {
    int count = 0;
    std::array<double, kFrames> send_us{};
    std::array<double, kFrames> arrival_us{};
    std::array<double, kFrames> bytes{};
    std::array<double, kFrames> missing{};  // how many of the frames missing before each one count
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
    double loss;  // of the regression, per frame
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
  double us_per_byte_ = 0;  // the capacity with which the base was found
  bool had_good_fit_ = false;
  TimeDelta lateness_;
};

}  // namespace ccscope

#endif  // CCSCOPE_CC_LIVE_FRAME_DISPERSION_H_
