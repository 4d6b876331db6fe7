// A selective forwarding unit that uses pion. It forwards each publisher's video, or one of its simulcast layers, to
// each watcher. It estimates the bandwidth of each connection, and sends the lowest estimate to the publishers as REMB.
// Settings control what the unit forwards: see forwarding.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/interceptor/pkg/gcc"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/sdp/v3"
	"github.com/pion/webrtc/v3"
)

const startBps = 500_000

// frameTicks is the duration of a frame at 30 fps, in ticks of the 90 kHz RTP clock.
const frameTicks = 3000

// forwarding contains the settings that control what the unit forwards and sends. A missing field changes nothing.
type forwarding struct {
	// Paused: nothing is forwarded.
	Paused *bool `json:"paused,omitempty"`
	// RID: the layer to forward; "" (the default) means the layer that began last.
	RID *string `json:"rid,omitempty"`
	// KeyFrames: whether key frames are requested.
	KeyFrames *bool `json:"keyFrames,omitempty"`
	// LimitBps: the highest rate that REMB allows publishers; 0: only the unit's own estimates limit them.
	LimitBps *float32 `json:"limitBps,omitempty"`
	// Feedback: whether any RTCP is sent at all.
	Feedback *bool `json:"feedback,omitempty"`
}

type message struct {
	ID         int                       `json:"id,omitempty"`
	Own        int                       `json:"own,omitempty"`
	Publishers int                       `json:"publishers,omitempty"`
	SDP        string                    `json:"sdp,omitempty"`
	Candidates []webrtc.ICECandidateInit `json:"candidates,omitempty"`
	forwarding
}

// layer is one of the simulcast layers that a publisher sends.
type layer struct {
	rid  string
	ssrc webrtc.SSRC
}

// publisher lists its layers in the order in which they began. The forwarded packets of all layers are numbered and
// timestamped as one stream.
type publisher struct {
	id        int
	peer      *webrtc.PeerConnection
	track     *webrtc.TrackLocalStaticRTP
	layers    []layer
	current   webrtc.SSRC
	sequence  uint16
	timestamp uint32
	offsets   struct {
		sequence  uint16
		timestamp uint32
	}
}

type unit struct {
	sync.Mutex
	settings   webrtc.SettingEngine
	late       bool
	paused     bool
	rid        string
	mute       bool
	limitBps   float32
	silent     atomic.Bool
	publishers []*publisher
	watchers   map[int]*webrtc.PeerConnection
	candidates map[int][]webrtc.ICECandidateInit
	estimators []cc.BandwidthEstimator
	next       int
}

func must(err error) {
	if err != nil {
		log.Panic(err)
	}
}

// silence drops the RTCP packets of a connection while the unit must not send any (forwarding.Feedback is false).
type silence struct {
	interceptor.NoOp
	unit *unit
}

func (s *silence) NewInterceptor(string) (interceptor.Interceptor, error) { return s, nil }

func (s *silence) BindRTCPWriter(writer interceptor.RTCPWriter) interceptor.RTCPWriter {
	return interceptor.RTCPWriterFunc(func(packets []rtcp.Packet, attributes interceptor.Attributes) (int, error) {
		if s.unit.silent.Load() {
			return 0, nil
		}
		return writer.Write(packets, attributes)
	})
}

// registerCodecs leaves out RTX (RFC 4588): this version of pion does not read it, and would request each lost packet
// again and again. Without RTX, browsers retransmit packets in the stream itself.
func registerCodecs(media *webrtc.MediaEngine) {
	opus := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48000, Channels: 2}
	must(media.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: opus, PayloadType: 111}, webrtc.RTPCodecTypeAudio))
	vp8 := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8, ClockRate: 90000, RTCPFeedback: []webrtc.RTCPFeedback{
		{Type: webrtc.TypeRTCPFBGoogREMB},
		{Type: webrtc.TypeRTCPFBCCM, Parameter: "fir"},
		{Type: webrtc.TypeRTCPFBNACK},
		{Type: webrtc.TypeRTCPFBNACK, Parameter: "pli"},
	}}
	must(media.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: vp8, PayloadType: 96}, webrtc.RTPCodecTypeVideo))
}

// peer makes a connection that estimates the bandwidth for what it sends, but does not pace packets.
func (u *unit) peer() *webrtc.PeerConnection {
	media := &webrtc.MediaEngine{}
	registerCodecs(media)
	registry := &interceptor.Registry{}
	// The first interceptor is nearest to the wire, so RTCP packets of the later interceptors pass through it.
	registry.Add(&silence{unit: u})
	congestion, err := cc.NewInterceptor(func() (cc.BandwidthEstimator, error) {
		return gcc.NewSendSideBWE(gcc.SendSideBWEInitialBitrate(startBps), gcc.SendSideBWEPacer(gcc.NewNoOpPacer()))
	})
	must(err)
	congestion.OnNewPeerConnection(func(_ string, estimator cc.BandwidthEstimator) {
		u.estimators = append(u.estimators, estimator)
	})
	registry.Add(congestion)
	for _, uri := range []string{sdp.SDESMidURI, sdp.SDESRTPStreamIDURI} {
		must(media.RegisterHeaderExtension(webrtc.RTPHeaderExtensionCapability{URI: uri}, webrtc.RTPCodecTypeVideo))
	}
	must(webrtc.ConfigureTWCCHeaderExtensionSender(media, registry))
	must(webrtc.RegisterDefaultInterceptors(media, registry))
	api := webrtc.NewAPI(webrtc.WithMediaEngine(media), webrtc.WithInterceptorRegistry(registry), webrtc.WithSettingEngine(u.settings))
	peer, err := api.NewPeerConnection(webrtc.Configuration{})
	must(err)
	return peer
}

// describe sets the local description and returns its SDP. The SDP contains the candidates. With the flag -late it does
// not, and clients have to request them.
func (u *unit) describe(id int, peer *webrtc.PeerConnection, description webrtc.SessionDescription) string {
	if u.late {
		peer.OnICECandidate(func(candidate *webrtc.ICECandidate) {
			if candidate != nil {
				u.Lock()
				u.candidates[id] = append(u.candidates[id], candidate.ToJSON())
				u.Unlock()
			}
		})
		must(peer.SetLocalDescription(description))
		return description.SDP
	}
	done := webrtc.GatheringCompletePromise(peer)
	must(peer.SetLocalDescription(description))
	<-done
	return peer.LocalDescription().SDP
}

func (u *unit) publish(offer message) message {
	u.Lock()
	peer := u.peer()
	u.next++
	id := u.next
	u.Unlock()
	from := &publisher{id: id, peer: peer}
	peer.OnTrack(func(remote *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		u.add(from, remote)
		for {
			packet, _, err := remote.ReadRTP()
			if err != nil {
				return
			}
			u.forward(from, remote.SSRC(), packet)
		}
	})
	must(peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer.SDP}))
	answer, err := peer.CreateAnswer(nil)
	must(err)
	return message{ID: id, SDP: u.describe(id, peer, answer)}
}

// add registers a layer of a publisher, and with its first layer the publisher itself.
func (u *unit) add(from *publisher, remote *webrtc.TrackRemote) {
	u.Lock()
	defer u.Unlock()
	from.layers = append(from.layers, layer{remote.RID(), remote.SSRC()})
	if from.track != nil {
		return
	}
	track, err := webrtc.NewTrackLocalStaticRTP(remote.Codec().RTPCodecCapability, "video", fmt.Sprint("page", from.id))
	must(err)
	from.track = track
	u.publishers = append(u.publishers, from)
}

// chosen returns the requested layer, or else the layer that began last: browsers begin the widest layer last.
func (u *unit) chosen(from *publisher) webrtc.SSRC {
	for _, each := range from.layers {
		if each.rid == u.rid && u.rid != "" {
			return each.ssrc
		}
	}
	return from.layers[len(from.layers)-1].ssrc
}

// forward passes on a packet if it belongs to the chosen layer. When the layer changes, sequence numbers and timestamps
// continue from the previous layer's.
func (u *unit) forward(from *publisher, ssrc webrtc.SSRC, packet *rtp.Packet) {
	u.Lock()
	defer u.Unlock()
	if u.paused || ssrc != u.chosen(from) {
		return
	}
	if ssrc != from.current {
		if from.current != 0 {
			from.offsets.sequence = from.sequence + 1 - packet.SequenceNumber
			from.offsets.timestamp = from.timestamp + frameTicks - packet.Timestamp
		}
		from.current = ssrc
		u.askForKey(from)
	}
	packet.Extension, packet.Extensions = false, nil
	packet.SequenceNumber += from.offsets.sequence
	packet.Timestamp += from.offsets.timestamp
	from.sequence, from.timestamp = packet.SequenceNumber, packet.Timestamp
	_ = from.track.WriteRTP(packet)
}

// askForKey requests a key frame of the layer that is forwarded.
func (u *unit) askForKey(from *publisher) {
	if u.mute {
		return
	}
	_ = from.peer.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: uint32(u.chosen(from))}})
}

// control changes the unit's settings.
func (u *unit) control(change message) message {
	u.Lock()
	defer u.Unlock()
	if change.Paused != nil {
		u.paused = *change.Paused
	}
	if change.RID != nil {
		u.rid = *change.RID
	}
	if change.KeyFrames != nil {
		u.mute = !*change.KeyFrames
	}
	if change.LimitBps != nil {
		u.limitBps = *change.LimitBps
	}
	if change.Feedback != nil {
		u.silent.Store(!*change.Feedback)
	}
	return message{}
}

// watch makes an offer with the streams of other publishers. It returns no SDP while there are no other publishers, or
// fewer than requested.
func (u *unit) watch(asked message) message {
	u.Lock()
	published := []*publisher{}
	for _, from := range u.publishers {
		if from.id != asked.Own {
			published = append(published, from)
		}
	}
	u.next++
	id := u.next
	if len(published) == 0 || len(published) < asked.Publishers {
		u.Unlock()
		return message{}
	}
	peer := u.peer()
	u.watchers[id] = peer
	u.Unlock()
	for _, from := range published {
		from := from
		sender, err := peer.AddTrack(from.track)
		must(err)
		go func() {
			for {
				packets, _, err := sender.ReadRTCP()
				if err != nil {
					return
				}
				for _, packet := range packets {
					if _, ok := packet.(*rtcp.PictureLossIndication); ok {
						u.Lock()
						u.askForKey(from)
						u.Unlock()
					}
				}
			}
		}()
	}
	offer, err := peer.CreateOffer(nil)
	must(err)
	return message{ID: id, SDP: u.describe(id, peer, offer)}
}

func (u *unit) answer(answer message) message {
	u.Lock()
	peer := u.watchers[answer.ID]
	u.Unlock()
	must(peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer.SDP}))
	return message{ID: answer.ID}
}

func (u *unit) found(asked message) message {
	u.Lock()
	defer u.Unlock()
	return message{ID: asked.ID, Candidates: u.candidates[asked.ID]}
}

// limit sends a REMB to publishers once per second: the lowest estimate of any connection, or limitBps if it is lower.
func (u *unit) limit() {
	for range time.Tick(time.Second) {
		u.Lock()
		least := float32(0)
		for _, estimator := range u.estimators {
			if bps := float32(estimator.GetTargetBitrate()); least == 0 || bps < least {
				least = bps
			}
		}
		if u.limitBps > 0 && u.limitBps < least {
			least = u.limitBps
		}
		for _, from := range u.publishers {
			limit := &rtcp.ReceiverEstimatedMaximumBitrate{Bitrate: least, SSRCs: []uint32{uint32(from.layers[0].ssrc)}}
			_ = from.peer.WriteRTCP([]rtcp.Packet{limit})
		}
		u.Unlock()
	}
}

func handle(path string, answer func(message) message) {
	http.HandleFunc(path, func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Access-Control-Allow-Origin", "*")
		var asked message
		must(json.NewDecoder(request.Body).Decode(&asked))
		must(json.NewEncoder(response).Encode(answer(asked)))
	})
}

func main() {
	u := &unit{watchers: map[int]*webrtc.PeerConnection{}, candidates: map[int][]webrtc.ICECandidateInit{}}
	lite := flag.Bool("lite", false, "be an ICE-lite agent")
	mux := flag.Bool("mux", false, "use one UDP port for all connections")
	flag.BoolVar(&u.late, "late", false, "let the candidates follow the descriptions")
	flag.Parse()
	u.settings.SetLite(*lite)
	u.settings.SetIncludeLoopbackCandidate(true)
	u.settings.SetInterfaceFilter(func(name string) bool { return name == "lo" || name == "lo0" })
	u.settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	if *mux {
		socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
		must(err)
		u.settings.SetICEUDPMux(webrtc.NewICEUDPMux(nil, socket))
	}
	go u.limit()
	handle("/publish", u.publish)
	handle("/watch", u.watch)
	handle("/control", u.control)
	handle("/answer", u.answer)
	handle("/candidates", u.found)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(err)
	fmt.Println("http://" + listener.Addr().String())
	must(http.Serve(listener, nil))
}
