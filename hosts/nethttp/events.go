package nethttp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	lookEvery   = 2 * time.Second  // for something new
	breathe     = 20 * time.Second // within which something is said, so that nobody in between hangs up
	maxStreams  = 2000
	writeWithin = 10 * time.Second
)

// Events streams a campaign's live numbers as server-sent events, at
// GET /live/{slug}/events: once at the beginning, and whenever they change.
type Events struct {
	// Live is the body of GET /live/{slug}.
	Live func(ctx context.Context, slug string) (json.RawMessage, error)

	once    sync.Once
	stop    sync.Once
	stopped chan struct{}
	places  chan struct{}
}

func (e *Events) begin() {
	e.once.Do(func() { e.stopped, e.places = make(chan struct{}), make(chan struct{}, maxStreams) })
}

// Stop ends all streams, for good; a browser comes again by itself.
func (e *Events) Stop() {
	e.begin()
	e.stop.Do(func() { close(e.stopped) })
}

// ServeHTTP implements http.Handler, below a pattern with {slug}.
func (e *Events) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.begin()
	httpapi.Secure(w.Header())
	select {
	case e.places <- struct{}{}:
		defer func() { <-e.places }()
	default:
		write(w, r, httpapi.Failure(fault.Unavailable, "Too many look already"))
		return
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
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("X-Accel-Buffering", "no")
	e.stream(w, r, now)
}

// stream says what is new until the visitor has gone or the server goes.
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
	quiet := time.Duration(0)
	for {
		select {
		case <-r.Context().Done():
			return
		case <-e.stopped:
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
