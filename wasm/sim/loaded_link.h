// A link that the caller's packets share with TCP cross traffic: the segments of simulated connections
// wait in the same queue, between the caller's packets, in the time that the caller's clock tells. Their
// ACKs come back after the one-way delay, or after what a given RTT of theirs leaves; that way is not
// congested. Contract, besides that of Link:
//
//  1. The caller's flows are numbered from 0. Those of the cross traffic are below, so that disciplines
//     that tell flows apart never take one for the other.
//  2. Cross traffic is counted, but neither its deliveries nor its drops are told to the caller.
//  3. What happens inside (segments, ACKs, TCP's timers) is computed at its own time, in time order,
//     whenever it is asked for. At equal times deliveries come first, then ACKs, then timers.
//  4. Cross traffic and outages that are set before any time is known begin with the first one.
//  5. One call computes at most kMostEventsAtOnce events. What cross traffic would have done beyond them, in a
//     silence of the caller that long, is left out: its connections end there, and others begin when the
//     caller asks again. The caller's packets pass the link as ever.
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
  // Connections that always have data, by their congestion control.
  struct CrossTraffic {
    int cubic = 0;
    int new_reno = 0;
  };
  static constexpr int kMaxFlowsOfAKind = 64;
  // A few tenths of a second of computing: minutes at 10 Mbps, and seconds at kMaxCapacity. Who asks when
  // NextEvent() says so stays far below.
  static constexpr int kMostEventsAtOnce = 1'000'000;
  // In real time, beside other links of the same thread, each of which waits while one computes.
  static constexpr DataRate kMaxCapacity = DataRate::BitsPerSec(1e9);

  LoadedLink(const Link::Params& params, std::unique_ptr<QueueDisc> queue);

  // As Link has them, of the caller's packets.
  DropReason Enqueue(double id, DataSize size, int flow, Timestamp now);
  void Poll(Timestamp now, std::vector<Link::Delivery>& deliveries, std::vector<Link::Drop>& drops);
  // The same one by one, behind At(): what was not taken yet.
  RingBuffer<Link::Delivery>& deliveries() { return deliveries_; }
  RingBuffer<Link::Drop>& drops() { return drops_; }
  // With cross traffic also now and then without need, so that there is never much to compute at once.
  Timestamp NextEvent() const;

  // The link when everything until `now` has happened: what is then changed, changes at `now`.
  Link& At(Timestamp now);
  void SetOutages(const Outages::Params& outages, Timestamp now);
  // Propagation of the connections there and back, at least the link's there. At first it is the link's twice.
  void SetCrossRtt(TimeDelta rtt, Timestamp now);
  // Surplus connections end, missing ones are started; the others go on.
  void SetCrossTraffic(const CrossTraffic& wanted, Timestamp now);

  bool has_cross_traffic() const { return cross_traffic_.cubic + cross_traffic_.new_reno > 0; }

  // For what does not depend on the time.
  Link& link() { return link_; }
  const Link& link() const { return link_; }

 private:
  struct Connection {
    std::unique_ptr<TcpFlow> flow;  // null: there is none
    int number = 0;                 // of its packets' flow: another one for each connection
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
  TimeDelta cross_rtt_ = TimeDelta::PlusInfinity();  // not given
  bool begun_ = false;
  Timestamp now_ = Timestamp::MinusInfinity();
  const std::vector<int> no_windows_;
  std::vector<Connection> connections_;  // CUBIC at even places, NewReno at odd ones
  int connections_made_ = 0;
  Timestamp next_timer_ = Timestamp::PlusInfinity();  // none of the connections' timers is before it
  RingBuffer<ReturningAck> acks_;
  RingBuffer<Link::Delivery> deliveries_;  // the caller's, until they are polled
  RingBuffer<Link::Drop> drops_;
};

}  // namespace ccscope

#endif  // CCSCOPE_SIM_LOADED_LINK_H_
