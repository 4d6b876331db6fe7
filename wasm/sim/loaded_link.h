// A link that the caller's packets share with TCP cross traffic. The segments of simulated connections wait in the
// same queue as the caller's packets, on the caller's clock. The return path has no queue: an ACK takes the one-way
// delay or, if SetCrossRtt() was called, the RTT less the one-way delay. Contract, in addition to that of Link:
//  1. The caller's flows are numbered from 0. The flows of the cross traffic have numbers below 0.
//  2. Cross traffic is counted, but its deliveries and drops are not reported to the caller.
//  3. Each event inside the link (segments, ACKs, TCP's timers) is computed at its own time, in time order, however
//     often the caller uses the link. At equal times deliveries come first, then ACKs, then timers.
//  4. Cross traffic and outages may be set before a finite `now` is passed to any method. They begin at the first
//     finite `now`.
//  5. One method call computes at most kMostEventsAtOnce events. If more are due after a long time without calls, the
//     connections end after these events, and new connections begin at the time of the method call. The caller's
//     packets are not affected.
#ifndef CCSCOPE_SIM_LOADED_LINK_H_
#define CCSCOPE_SIM_LOADED_LINK_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/flow.h"
#include "sim/link.h"
#include "sim/tcp_flow.h"
#include "units/random.h"
#include "units/ring_buffer.h"
#include "units/units.h"

namespace ccscope {

class LoadedLink final : private FlowNetwork {
 public:
  // The number of TCP connections for each congestion control. Every connection always has data to send.
  struct CrossTraffic {
    int cubic = 0;
    int new_reno = 0;
  };
  static constexpr int kMaxFlowsOfAKind = 64;
  // This many events take a few tenths of a second to compute. They cover some minutes of cross traffic at 10 Mbps, or
  // some seconds at kMaxCapacity. A caller that polls at each NextEvent() stays far below that number.
  static constexpr int kMostEventsAtOnce = 1'000'000;
  // The highest capacity with cross traffic. It is limited for use in real time: other links on the same thread wait
  // while one link computes.
  static constexpr DataRate kMaxCapacity = DataRate::BitsPerSec(1e9);

  LoadedLink(const Link::Params& params, std::unique_ptr<QueueDisc> queue);

  // Like the methods of Link, but Poll() reports the caller's packets only.
  DropReason Enqueue(double id, DataSize size, int flow, Timestamp now);
  void Poll(Timestamp now, std::vector<Link::Delivery>& deliveries, std::vector<Link::Drop>& drops);
  // An alternative to Poll(): call At(), and then take the deliveries and drops out of these queues.
  RingBuffer<Link::Delivery>& deliveries() { return deliveries_; }
  RingBuffer<Link::Drop>& drops() { return drops_; }
  // See Link::NextEvent(). With cross traffic, the returned time is at most kLongestStep ahead, so that one call never
  // has much to compute.
  Timestamp NextEvent() const;

  // Computes all events up to `now` and returns the link, so that a setting can be changed at `now`.
  Link& At(Timestamp now);
  void SetOutages(const Outages::Params& outages, Timestamp now);
  // Sets the round-trip propagation delay of the connections. It is at least the link's one-way delay, and by default
  // twice that delay.
  void SetCrossRtt(TimeDelta rtt, Timestamp now);
  // Ends surplus connections and starts missing ones; the others continue.
  void SetCrossTraffic(const CrossTraffic& wanted, Timestamp now);

  bool has_cross_traffic() const { return cross_traffic_.cubic + cross_traffic_.new_reno > 0; }

  // The link, for queries that do not depend on the time.
  Link& link() { return link_; }
  const Link& link() const { return link_; }

 private:
  struct Connection {
    std::unique_ptr<TcpFlow> flow;  // null: no connection
    int number = 0;                 // flow number of its packets; different for each connection
    std::array<Timestamp, Flow::kTimers> timers;
  };
  struct ReturningAck {
    Timestamp arrival;
    int number;
    std::uint32_t id;
  };

  // FlowNetwork
  bool Send(const Flow& flow, Leg leg, std::uint32_t id, DataSize size, Timestamp now) override;
  void Hold(int) override {}
  void SetTimer(int flow, int timer, Timestamp at) override;
  TimeDelta MinRtt(int) const override { return link_.one_way_delay() + return_delay(); }
  TimeDelta MinOneWayDelay(int) const override { return link_.one_way_delay(); }
  const std::vector<int>& active_windows() const override { return no_windows_; }

  TimeDelta return_delay() const {
    const TimeDelta there = link_.one_way_delay();
    return cross_rtt_.IsFinite() ? std::max(TimeDelta::Zero(), cross_rtt_ - there) : there;
  }
  void Begin();
  void Begin(std::size_t place);
  Connection* Find(int number);
  Timestamp NextInside() const;
  void RunUntil(Timestamp now);
  void RunLink();
  void RunAcks();
  void RunTimers();
  void LeaveOutUntil(Timestamp end);

  Link link_;
  Random seeds_;
  Outages::Params outages_;
  CrossTraffic cross_traffic_;
  TimeDelta cross_rtt_ = TimeDelta::PlusInfinity();  // infinity until SetCrossRtt() is called
  bool begun_ = false;
  Timestamp now_ = Timestamp::MinusInfinity();
  const std::vector<int> no_windows_;
  std::vector<Connection> connections_;  // CUBIC at even indexes, NewReno at odd ones
  int connections_made_ = 0;
  Timestamp next_timer_ = Timestamp::PlusInfinity();  // a lower bound of the times of all connections' timers
  RingBuffer<ReturningAck> acks_;
  RingBuffer<Link::Delivery> deliveries_;  // for the caller's packets, until they are polled
  RingBuffer<Link::Drop> drops_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_LOADED_LINK_H_
