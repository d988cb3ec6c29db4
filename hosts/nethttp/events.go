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
	checkInterval      = 2 * time.Second  // interval of checks for changes
	keepAlive          = 20 * time.Second // interval of keep-alive comments, so that proxies do not close the connection
	maxStreams         = 2000
	maxPerClient       = 40               // per client network
	streamLife         = 30 * time.Minute // after which the browser reconnects
	streamWriteTimeout = 10 * time.Second
)

// Events streams a campaign's live totals as server-sent events at GET /live/{slug}/events: once at
// the start and whenever they change. The number of streams, in total and per client, and their
// duration are limited.
type Events struct {
	// Live returns the body of GET /live/{slug}.
	Live func(ctx context.Context, slug string) (json.RawMessage, error)
	// TrustedHeader has the meaning of Options.TrustedHeader.
	TrustedHeader string

	mu      sync.Mutex
	streams int
	clients networkCount
	once    sync.Once
	stop    sync.Once
	stopped chan struct{}
}

func (e *Events) initialize() {
	e.once.Do(func() { e.stopped = make(chan struct{}) })
}

// Stop ends all streams permanently. Browsers reconnect automatically.
func (e *Events) Stop() {
	e.initialize()
	e.stop.Do(func() { close(e.stopped) })
}

// acquire counts a stream for the networks of a client's address. It returns an error if a limit is
// reached.
func (e *Events) acquire(address string) *fault.Error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.streams >= maxStreams {
		return fault.New(fault.Unavailable, "Too many live streams are open")
	}
	if !e.clients.add(address, maxPerClient) {
		return fault.New(fault.Unavailable, "Too many live streams are open from your network")
	}
	e.streams++
	return nil
}

func (e *Events) release(address string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.streams--
	e.clients.remove(address)
}

// ServeHTTP implements http.Handler, for a pattern with {slug}.
func (e *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.initialize()
	httpapi.Secure(w.Header(), "")
	if r.Method != http.MethodHead { // HEAD opens no stream
		client := clientIP(r, e.TrustedHeader)
		if refused := e.acquire(client); refused != nil {
			write(w, r, httpapi.Failure(refused.Code, refused.Message))
			return
		}
		defer e.release(client)
	}
	now, err := e.Live(r.Context(), r.PathValue("slug"))
	if fault.Is(err, fault.NotFound) {
		w.WriteHeader(http.StatusNoContent) // makes browsers stop reconnecting
		return
	}
	if err != nil {
		write(w, r, httpapi.Failure(fault.Unavailable, "The totals are not available"))
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

// stream sends the totals, and then changes until the client disconnects, Stop is called, or
// streamLife has passed.
func (e *Events) stream(w http.ResponseWriter, r *http.Request, sent json.RawMessage) {
	control := http.NewResponseController(w)
	send := func(text string) bool {
		_ = control.SetWriteDeadline(time.Now().Add(streamWriteTimeout)) // not every writer supports deadlines
		_, err := fmt.Fprint(w, text)
		return err == nil && control.Flush() == nil
	}
	if !send("data: " + string(sent) + "\n\n") {
		return
	}
	tick := time.NewTicker(checkInterval)
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
		quiet += checkInterval
		now, err := e.Live(r.Context(), r.PathValue("slug"))
		text := ""
		switch {
		case err == nil && !bytes.Equal(now, sent):
			sent, text = now, "data: "+string(now)+"\n\n"
		case quiet >= keepAlive:
			text = ": nothing new\n\n"
		default:
			continue
		}
		if quiet = 0; !send(text) {
			return
		}
	}
}
