package simhttp

import (
	"net/http"
	"strconv"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
)

// NewHandler serves the processor's API under /v1/ and the simulator's controls
// under /_sim/.
func NewHandler(s *sim.Sim, o Options) http.Handler {
	h := handler{s, o.resolved()}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/", h.api)
	h.registerControls(mux)
	return mux
}

type handler struct {
	sim  *sim.Sim
	opts Options
}

func (h handler) api(w http.ResponseWriter, r *http.Request) {
	c, err := readCall(r, h.opts)
	if err != nil {
		http.Error(w, "The body is too large or truncated", http.StatusRequestEntityTooLarge)
		return
	}
	a := h.sim.Serve(c)
	if a.Wait > 0 && h.opts.Sleep(r.Context(), a.Wait) != nil {
		a.Lost = true
	}
	if a.Lost {
		hangUp(w)
		return
	}
	writeHeader(w.Header(), a, h.opts, c.Key)
	w.Header().Set("Content-Length", strconv.Itoa(len(a.Body)))
	w.WriteHeader(a.Status)
	if a.Cut {
		w.Write(a.Body[:len(a.Body)/2])
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler) // aborts the response midway
	}
	w.Write(a.Body)
}

// hangUp closes the connection. It first sends a few bytes: without any, Go's client would
// consider the connection stale and retry the request.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_, _ = conn.Write([]byte("HTTP/1.1 ")) // truncated on purpose
	_ = conn.Close()
}
