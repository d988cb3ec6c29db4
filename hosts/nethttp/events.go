package nethttp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	lookEvery    = 2 * time.Second  // for something new
	breathe      = 20 * time.Second // within which something is said, so that nobody in between hangs up
	maxStreams   = 2000
	maxPerClient = 40               // of them, for one client network
	streamLife   = 30 * time.Minute // after which a browser comes again by itself
	writeWithin  = 10 * time.Second
)

// Events streams a campaign's live numbers as server-sent events, at
// GET /live/{slug}/events: once at the beginning, and whenever they change. Streams are
// bounded, in all and of one client, and in time.
type Events struct {
	// Live is the body of GET /live/{slug}.
	Live func(ctx context.Context, slug string) (json.RawMessage, error)
	// TrustedHeader is that of Options.
	TrustedHeader string

	mu      sync.Mutex
	streams int
	clients networkCount
	once    sync.Once
	stop    sync.Once
	stopped chan struct{}
}

func (e *Events) begin() {
	e.once.Do(func() { e.stopped = make(chan struct{}) })
}

// Stop ends all streams, for good; a browser comes again by itself.
func (e *Events) Stop() {
	e.begin()
	e.stop.Do(func() { close(e.stopped) })
}

// take counts a stream for the client's networks, or refuses it.
func (e *Events) take(address string) *fault.Error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.streams >= maxStreams {
		return fault.New(fault.Unavailable, "Too many look already")
	}
	if !e.clients.add(address, maxPerClient) {
		return fault.New(fault.Unavailable, "Too many look already from your network")
	}
	e.streams++
	return nil
}

func (e *Events) leave(address string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.streams--
	e.clients.remove(address)
}

// ServeHTTP implements http.Handler, below a pattern with {slug}.
func (e *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.begin()
	httpapi.Secure(w.Header(), "")
	if r.Method != http.MethodHead { // which looks at nothing for long
		client := clientIP(r, e.TrustedHeader)
		if refused := e.take(client); refused != nil {
			write(w, r, httpapi.Failure(refused.Code, refused.Message))
			return
		}
		defer e.leave(client)
	}
	now, err := e.Live(r.Context(), r.PathValue("slug"))
	if fault.Is(err, fault.NotFound) {
		w.WriteHeader(http.StatusNoContent) // tells a browser not to come again
		return
	}
	if err != nil {
		write(w, r, httpapi.Failure(fault.Unavailable, "The numbers are not available"))
		return
	}
	h := w.Header()
	maps.Copy(h, http.Header(httpapi.Public))
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return
	}
	e.stream(w, r, now)
}

// stream says what is new until the visitor has gone, the server goes, or its time is over.
func (e *Events) stream(w http.ResponseWriter, r *http.Request, said json.RawMessage) {
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(writeWithin)) // some writers have none
		_, err := fmt.Fprint(w, text)
		return err == nil && control.Flush() == nil
	}
	if !send("data: " + string(said) + "\n\n") {
		return
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	over := time.NewTimer(streamLife)
	defer over.Stop()
	quiet := time.Duration(0)
	for {
		select {
		case <-r.Context().Done():
			return
		case <-e.stopped:
			return
		case <-over.C:
			return
		case <-tick.C:
		}
		quiet += lookEvery
		now, err := e.Live(r.Context(), r.PathValue("slug"))
		text := ""
		switch {
		case err == nil && !bytes.Equal(now, said):
			said, text = now, "data: "+string(now)+"\n\n"
		case quiet >= breathe:
			text = ": nothing new\n\n"
		default:
			continue
		}
		if quiet = 0; !send(text) {
			return
		}
	}
}
