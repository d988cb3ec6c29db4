package site

import (
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Server serves the site, made anew when the catalogue or the time changes what is on
// it. It is safe for concurrent use.
type Server struct {
	catalogue func() *campaign.Catalogue
	now       func() time.Time
	log       *slog.Logger

	mu      sync.Mutex
	builder *Builder
	shown   atomic.Pointer[print]
}

// print is a finished site, and for which catalogue and time it is good.
type print struct {
	tree        *Tree
	of          *campaign.Catalogue
	from, until time.Time
}

// NewServer makes the site for the first time. It fails where it cannot be made.
func NewServer(b *Builder, catalogue func() *campaign.Catalogue, now func() time.Time, log *slog.Logger) (*Server, error) {
	s := &Server{builder: b, catalogue: catalogue, now: now, log: log}
	return s, s.rebuild()
}

// Remake makes the site again: a file that its pages refer to may have changed. Where
// that fails the site stays as it was.
func (s *Server) Remake() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.build(s.catalogue(), s.now())
}

// Use makes the site with another builder from now on: the settings, or a file that
// pages refer to, have changed. Where that fails the site stays as it was.
func (s *Server) Use(b *Builder) error {
	s.mu.Lock()
	old := s.builder
	s.builder = b
	s.mu.Unlock()
	err := s.rebuild()
	if err != nil {
		s.mu.Lock()
		s.builder = old
		s.mu.Unlock()
	}
	return err
}

// Handler serves what the site has, and everything else by next: the API. What is
// neither is the site's page for that, if somebody reads it.
func (s *Server) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tree := s.tree()
		if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
			tree.Serve(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				reader := &reader{ResponseWriter: w, before: w.Header().Clone()}
				next.ServeHTTP(reader, r)
				if reader.missing {
					tree.NotFound(w, r)
				}
			}))
			return
		}
		tree.Serve(w, r, next)
	})
}

// reader is somebody who reads pages: instead of an answer that says "not found" to
// programs there is a page.
type reader struct {
	http.ResponseWriter
	before         http.Header // the server's own
	missing, begun bool
}

// WriteHeader keeps back what programs are told of what is not there.
func (r *reader) WriteHeader(status int) {
	if r.begun {
		return
	}
	r.begun = true
	if r.missing = status == http.StatusNotFound; r.missing {
		clear(r.Header())
		maps.Copy(r.Header(), r.before)
		return
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *reader) Write(b []byte) (int, error) {
	r.begun = true
	if r.missing {
		return len(b), nil
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap lets a stream be flushed.
func (r *reader) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Tree is the site as it is now.
func (s *Server) tree() *Tree {
	e, now := s.shown.Load(), s.now()
	if e.of == s.catalogue() && !now.Before(e.from) && now.Before(e.until) {
		return e.tree
	}
	if err := s.rebuild(); err != nil {
		s.log.Error("the site stays as it was", "error", err.Error())
	}
	return s.shown.Load().tree
}

func (s *Server) rebuild() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, catalogue := s.now(), s.catalogue()
	if e := s.shown.Load(); e != nil && e.of == catalogue && !now.Before(e.from) && now.Before(e.until) && e.tree.by == s.builder {
		return nil // somebody else was faster
	}
	return s.build(catalogue, now)
}

// build makes the site. The lock is held.
func (s *Server) build(catalogue *campaign.Catalogue, now time.Time) error {
	tree, err := s.builder.Build(catalogue, now)
	if err != nil {
		if e := s.shown.Load(); e != nil { // not again for every request
			s.shown.Store(&print{e.tree, catalogue, now, now.Add(time.Minute)})
		}
		return err
	}
	s.shown.Store(&print{tree, catalogue, now, s.builder.next(catalogue, now)})
	return nil
}

// next is when the site would be another one, by the passing of time alone.
func (b *Builder) next(catalogue *campaign.Catalogue, now time.Time) time.Time {
	zone, soonest := b.config.Site.Timezone.Location(), now.Add(24*time.Hour)
	consider := func(at time.Time) {
		if at.After(now) && at.Before(soonest) {
			soonest = at
		}
	}
	for _, c := range catalogue.Campaigns() {
		consider(c.StartsAt(zone))
		consider(c.EndsAt(zone))
		for _, d := range c.Decisions {
			consider(d.Deadline.Ends(zone))
		}
		for _, d := range c.Diary {
			consider(d.Date.Starts(zone))
		}
	}
	return soonest
}
