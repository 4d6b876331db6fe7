// Checks the link behind the ABI, in some runs with cross traffic and outages. Packets are conserved and keep their
// order. Nothing is reported before it happens, and the next event is always in the future. Settings may change at any
// time.
#include "tests/fuzz/native/link_model.h"
#include "tests/fuzz/native/queue_values.h"

namespace ccscope::fuzz {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class LinkExercise {
 public:
  explicit LinkExercise(Input& input)
      : input_(input), loaded_(input.Pick(4) == 0), queue_(DrawQueue(input, input.Pick(kQueueKinds))), model_(queue_.one_fifo()) {
    const int how = input.Byte();
    // The caller's clock may start at any time, even a negative one.
    if ((how & 0xe0) == 0) now_us_ = input.Between(-kHourUs, 1e6 * kHourUs);
    const int values = queue_.Pass();
    link_ = ccs_link_create(Capacity(), queue_.kind, values, how & 1, 1 + input.Word(), Delay(), (how & 2) != 0 ? Ratio() : 0,
                            (how & 4) != 0 ? Jitter() : 0, how >> 3);
    EXPECT_THAT_HOLDS(link_ != nullptr, "values in range make a link");
    // Settings made at minus infinity do not advance the link's clock.
    if ((how & 8) != 0) SetOutages(-kNever);
    if ((how & 16) != 0) SetCrossTraffic(-kNever);
  }
  LinkExercise(const LinkExercise&) = delete;
  LinkExercise& operator=(const LinkExercise&) = delete;
  ~LinkExercise() { ccs_link_destroy(link_); }

  void Run() {
    while (!input_.ended() && model_.next_id() < kMostPackets && work_ < kMostWork) Step(input_.Byte());
    Drain();
  }

 private:
  void Step(int what) {
    const int kind = what & 31;
    if (kind < 14) return Enqueue(what >> 5);
    if (kind < 18) return Wait(input_.Byte() * 100.0);
    if (kind < 22) return FollowEvents(1 + (what >> 5));
    if (kind == 22) return Wait(input_.Scaled(1, LongestWaitUs()));
    if (kind == 23) return Refused(what >> 5);
    Change(kind, what >> 5);
  }

  void Enqueue(int how) {
    if (how < 5) now_us_ += input_.Byte() * 10.0;
    const double bytes = how == 0 ? input_.Scaled(1, 1e9) : 40 + 6.0 * input_.Byte();
    const int flow = input_.Pick(LinkModel::kFlows);
    const int reason = ccs_link_enqueue(link_, model_.next_id(), bytes, flow, now_us_);
    EXPECT_THAT_HOLDS(reason >= 0, "a packet in range is taken");
    model_.OnOffered(bytes, flow, now_us_);
    if (reason > 0) model_.OnRefused(reason);
  }

  void Wait(double us) { PassTo(now_us_ + us); }

  void PassTo(double at_us) {
    if (loaded_) work_ += (at_us - now_us_) / LongestWaitUs();
    now_us_ = at_us;
    Poll();
  }

  void Poll() {
    const int deliveries = ccs_link_poll(link_, now_us_);
    EXPECT_THAT_HOLDS(deliveries >= 0, "a finite time is taken");
    const double* row = ccs_link_deliveries(link_);
    for (int i = 0; i < deliveries; ++i, row += 6) model_.OnDelivery(row, now_us_);
    const int drops = ccs_link_drop_count(link_);
    row = ccs_link_drops(link_);
    for (int i = 0; i < drops; ++i, row += 5) model_.OnDrop(row, now_us_);
    const double* stats = ccs_link_stats(link_, now_us_);
    EXPECT_THAT_HOLDS(stats != nullptr, "a finite time is taken");
    model_.CheckStats(stats);
    EXPECT_THAT_HOLDS(ccs_link_next_event_us(link_) > now_us_, "the next event is ahead");
  }

  // Polls like a caller that sleeps until the next event.
  void FollowEvents(int count) {
    for (int i = 0; i < count; ++i) {
      const double next = ccs_link_next_event_us(link_);
      if (!(next < kNever) || next > now_us_ + LongestWaitUs()) return;
      PassTo(std::max(now_us_, next));
    }
  }

  void Change(int kind, int how) {
    switch (kind) {
      case 24:
        return Ok(ccs_link_set_capacity(link_, how == 0 ? 0 : Capacity(), now_us_));
      case 25:
        return Schedule(how);
      case 26:
        Ok(ccs_link_set_mode(link_, how & 1, now_us_));
        return Ok(ccs_link_set_jitter(link_, how < 4 ? 0 : Jitter(), now_us_));
      case 27:
        return Ok(ccs_link_set_one_way_delay(link_, Delay(), now_us_));
      case 28:
        Ok(ccs_link_set_loss_ratio(link_, how < 4 ? 0 : Ratio(), now_us_));
        return Ok(ccs_link_set_burst_loss(link_, how < 2 ? 1 : input_.Scaled(1, 1e6), now_us_));
      case 29:
        return SetOutages(now_us_);
      case 30:
        SetCrossTraffic(now_us_);
        return Ok(ccs_link_set_cross_rtt(link_, input_.Scaled(1, 1.2e8), now_us_));
      default:
        queue_ = DrawQueue(input_, how % kQueueKinds);
        model_.SetOneFifo(queue_.one_fifo());
        return Ok(ccs_link_set_queue(link_, queue_.kind, queue_.Pass(), now_us_));
    }
  }

  void Schedule(int how) {
    const int steps = how == 0 ? 0 : 1 + input_.Pick(4);
    double at_us = now_us_;
    double* step = ccs_input_buffer(2 * steps);
    for (int i = 0; i < steps; ++i) {
      *step++ = at_us += input_.Scaled(1, loaded_ ? 1e5 : 1e9);
      *step++ = how == 1 ? 0 : Capacity();
    }
    Ok(ccs_link_set_schedule(link_, steps));
  }

  // Cross traffic and outages create events while time passes, which take computing time. So only links with `loaded_`
  // get them.
  void SetOutages(double at_us) {
    const double off_us = loaded_ && input_.Flag() ? input_.Scaled(1e3, 6e7) : 0;
    Ok(ccs_link_set_outages(link_, input_.Scaled(1e3, 6e7), off_us, 1 + input_.Pick(100), at_us));
  }
  void SetCrossTraffic(double at_us) {
    const int flows = input_.Byte();
    const bool many = (flows & 0xc0) == 0xc0;
    const int cubic = many ? input_.Pick(65) : flows & 3;
    const int new_reno = many ? input_.Pick(65) : flows >> 2 & 1;
    Ok(ccs_link_set_cross_traffic(link_, loaded_ ? cubic : 0, loaded_ ? new_reno : 0, at_us));
  }

  // A refused call must give its reason and change nothing, so it is not passed to the model.
  void Refused(int how) {
    ForgetError();
    const double wild = input_.Wild();
    const bool is_time = std::fabs(wild) < kMaxExact;
    int status = 1;
    if (how == 0 && !is_time) status = -ccs_link_poll(link_, wild);
    if (how == 1 && !(wild >= 1 && wild <= 1e9)) status = -ccs_link_enqueue(link_, 0, wild, 0, now_us_);
    if (how == 2 && !(wild >= 0 && wild < kMaxExact)) status = -ccs_link_enqueue(link_, wild, 100, 0, now_us_);
    if (how == 3 && !(wild >= 0 && wild <= 1)) status = ccs_link_set_loss_ratio(link_, wild, now_us_);
    if (how == 4 && !(wild >= 0 && wild <= 6e7)) status = ccs_link_set_one_way_delay(link_, wild, now_us_);
    if (how == 5 && wild != 0 && !(wild >= 1 && wild <= 1e11)) status = ccs_link_set_capacity(link_, wild, now_us_);
    if (how == 6 && !is_time && wild != -kNever) status = ccs_link_set_cross_traffic(link_, 0, 0, wild);
    if (how == 7 && queue_.Pass() > 0) status = ccs_link_set_queue(link_, kQueueKinds + input_.Pick(9), 1, now_us_);
    EXPECT_THAT_HOLDS(status == 1, "a value out of range is refused");
    if (ccs_last_error()[0] != '\0') CheckRefusal();
  }

  // Once the link has capacity and no outages, every packet must leave it. The number of polls is limited: to
  // kPollsPerPacket for each packet and for each segment of the cross traffic, plus a margin.
  void Drain() {
    now_us_ += 1;
    Ok(ccs_link_set_cross_traffic(link_, 0, 0, now_us_));
    Ok(ccs_link_set_outages(link_, 1e3, 0, 1, now_us_));
    Ok(ccs_link_set_schedule(link_, 0));
    Ok(ccs_link_set_capacity(link_, 1e11, now_us_));
    Poll();
    const double segments_before = Segments();
    int polls = 0;
    for (double next = ccs_link_next_event_us(link_); next < kNever; next = ccs_link_next_event_us(link_)) {
      const double packets = kMostPackets + model_.next_id() + Segments() - segments_before;
      EXPECT_THAT_HOLDS(++polls <= kPollsPerPacket * packets, "a link at rest has no more events than packets");
      EXPECT_THAT_HOLDS(packets < kMostSegments, "connections that have ended send nothing");
      now_us_ = next;
      Poll();
    }
    EXPECT_THAT_HOLDS(model_.inside() == 0, "everything gets out");
  }

  // How many segments of the cross traffic left the bottleneck or were dropped.
  double Segments() const {
    const double* stats = ccs_link_stats(link_, now_us_);
    return stats[14] / kSegmentBytes + stats[15];
  }
  static void Ok(int status) { EXPECT_THAT_HOLDS(status == 0, "a value in range is taken"); }
  // Loaded links have lower capacities, because their cross traffic would otherwise take too much computing time.
  double Capacity() {
    const double bps = input_.Scaled(1e3, loaded_ ? 1e9 : 1e11);
    highest_bps_ = std::max(highest_bps_, bps);
    return bps;
  }
  // On loaded links, the wait is short, to limit the computing time of cross traffic and outages. Longer gaps are
  // tested by tests/node/long_gaps.test.ts: after a long gap, a single call may compute a million events.
  double LongestWaitUs() const { return loaded_ ? std::min(kWorkOfAWaitBits * 1e6 / highest_bps_, kLongestLoadedWaitUs) : 100 * kHourUs; }
  double Delay() { return input_.Scaled(1, 6e7) - 1; }
  double Jitter() { return input_.Scaled(1e-3, 1e7); }
  double Ratio() { return input_.Word() / 65535.0; }

  static constexpr int kMostPackets = 300;
  static constexpr double kLongestLoadedWaitUs = 1e6;
  static constexpr double kWorkOfAWaitBits = 3e5;
  static constexpr double kMostWork = 10;
  static constexpr int kPollsPerPacket = 4;
  static constexpr double kSegmentBytes = 1500;
  static constexpr double kMostSegments = 1e5;

  Input& input_;
  const bool loaded_;
  QueueValues queue_;
  LinkModel model_;
  void* link_ = nullptr;
  double now_us_ = 0;
  double highest_bps_ = 1e3;
  double work_ = 0;  // the time that a loaded link has run, in units of LongestWaitUs()
};

FUZZ_TARGET(link) { LinkExercise(input).Run(); }

}  // namespace
}  // namespace ccscope::fuzz
