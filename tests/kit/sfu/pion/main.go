// A selective forwarding unit on pion: each publisher's video goes to each watcher, and the least of what its
// bandwidth estimator finds for the watchers goes back to the publishers as REMB.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/cc"
	"github.com/pion/interceptor/pkg/gcc"
	"github.com/pion/rtcp"
	"github.com/pion/webrtc/v3"
)

const startBps = 500_000

type message struct {
	ID         int                       `json:"id,omitempty"`
	SDP        string                    `json:"sdp,omitempty"`
	Candidates []webrtc.ICECandidateInit `json:"candidates,omitempty"`
}

type publisher struct {
	peer  *webrtc.PeerConnection
	track *webrtc.TrackLocalStaticRTP
	ssrc  webrtc.SSRC
}

type unit struct {
	sync.Mutex
	settings   webrtc.SettingEngine
	late       bool
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

// peer makes a connection whose senders are paced by an estimator.
func (u *unit) peer() *webrtc.PeerConnection {
	media := &webrtc.MediaEngine{}
	must(media.RegisterDefaultCodecs())
	registry := &interceptor.Registry{}
	congestion, err := cc.NewInterceptor(func() (cc.BandwidthEstimator, error) {
		return gcc.NewSendSideBWE(gcc.SendSideBWEInitialBitrate(startBps), gcc.SendSideBWEPacer(gcc.NewNoOpPacer()))
	})
	must(err)
	congestion.OnNewPeerConnection(func(_ string, estimator cc.BandwidthEstimator) {
		u.estimators = append(u.estimators, estimator)
	})
	registry.Add(congestion)
	must(webrtc.ConfigureTWCCHeaderExtensionSender(media, registry))
	must(webrtc.RegisterDefaultInterceptors(media, registry))
	api := webrtc.NewAPI(webrtc.WithMediaEngine(media), webrtc.WithInterceptorRegistry(registry), webrtc.WithSettingEngine(u.settings))
	peer, err := api.NewPeerConnection(webrtc.Configuration{})
	must(err)
	return peer
}

// describe sets the local description; its candidates are in it, or follow when they are asked for.
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
	peer.OnTrack(func(remote *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		local, err := webrtc.NewTrackLocalStaticRTP(remote.Codec().RTPCodecCapability, "video", fmt.Sprint("page", id))
		must(err)
		u.Lock()
		u.publishers = append(u.publishers, &publisher{peer, local, remote.SSRC()})
		u.Unlock()
		for {
			packet, _, err := remote.ReadRTP()
			if err != nil {
				return
			}
			packet.Extension, packet.Extensions = false, nil
			_ = local.WriteRTP(packet)
		}
	})
	must(peer.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer.SDP}))
	answer, err := peer.CreateAnswer(nil)
	must(err)
	return message{ID: id, SDP: u.describe(id, peer, answer)}
}

// watch offers everything that is published now; no SDP where that is nothing.
func (u *unit) watch() message {
	u.Lock()
	published := append([]*publisher{}, u.publishers...)
	u.next++
	id := u.next
	if len(published) == 0 {
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
						_ = from.peer.WriteRTCP([]rtcp.Packet{&rtcp.PictureLossIndication{MediaSSRC: uint32(from.ssrc)}})
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

// limit tells publishers what the slowest watcher can take.
func (u *unit) limit() {
	for range time.Tick(time.Second) {
		u.Lock()
		least := float32(0)
		for _, estimator := range u.estimators {
			if bps := float32(estimator.GetTargetBitrate()); least == 0 || bps < least {
				least = bps
			}
		}
		for _, from := range u.publishers {
			limit := &rtcp.ReceiverEstimatedMaximumBitrate{Bitrate: least, SSRCs: []uint32{uint32(from.ssrc)}}
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
	handle("/watch", func(message) message { return u.watch() })
	handle("/answer", u.answer)
	handle("/candidates", u.found)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	must(err)
	fmt.Println("http://" + listener.Addr().String())
	must(http.Serve(listener, nil))
}
