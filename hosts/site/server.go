package site

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
)

// Server serves the site, and publishes catalogues: a catalogue and the pages made of it are
// switched together. No request waits for a build. It is safe for concurrent use.
type Server struct {
	// Last is what the program before has published; nil if that is not known. A campaign that
	// cannot be rendered when the first site is made has its version in Last.
	Last *campaign.Catalogue
	// Shown is told each catalogue that is published with its site. It may be nil. Both are set
	// before the server is used.
	Shown func(*campaign.Catalogue)

	now func() time.Time
	log *slog.Logger

	shown   atomic.Pointer[print]
	first   chan struct{} // closed with the first tree
	running sync.WaitGroup
	busy    atomic.Bool // a build runs, or waits for another one, in the background

	building sync.Mutex // held by a build
	builder  *Builder

	drawing sync.Mutex // held by a preview
	drawer  *Builder
}

// print is a finished site, its catalogue, and the time for which it is good.
type print struct {
	tree        *Tree // nil before the first build
	of          *campaign.Catalogue
	problems    campaign.Problems
	from, until time.Time
}

func (p *print) good(now time.Time) bool { return !now.Before(p.from) && now.Before(p.until) }

// NewServer returns a server of a catalogue whose site is made by the first Publish, or after the
// first request. Close it.
func NewServer(b *Builder, catalogue *campaign.Catalogue, now func() time.Time, log *slog.Logger) *Server {
	s := &Server{builder: b, drawer: b.twin(), now: now, log: log, first: make(chan struct{})}
	s.shown.Store(&print{of: catalogue})
	return s
}

// Close waits for builds in the background.
func (s *Server) Close() { s.running.Wait() }

// Catalogue is the published one.
func (s *Server) Catalogue() *campaign.Catalogue { return s.shown.Load().of }

// Problems are those of the published site: campaigns that could not be rendered, and pictures,
// pages and settings that were replaced.
func (s *Server) Problems() campaign.Problems { return s.shown.Load().problems }

// Adopt replaces the catalogue at once if no site is made of it yet, and publishes it otherwise.
func (s *Server) Adopt(catalogue *campaign.Catalogue) {
	s.building.Lock()
	defer s.building.Unlock()
	if s.shown.Load().tree != nil {
		s.build(catalogue)
		return
	}
	s.shown.Store(&print{of: catalogue})
}

// Builder is the one that the site is made with.
func (s *Server) Builder() *Builder {
	s.building.Lock()
	defer s.building.Unlock()
	return s.builder
}

// Use takes another builder for the next builds and previews: the settings have changed.
func (s *Server) Use(b *Builder) {
	s.building.Lock()
	s.builder = b
	s.building.Unlock()
	s.drawing.Lock()
	s.drawer = b.twin()
	s.drawing.Unlock()
}

// Publish makes the site of a catalogue and switches to both. A campaign that cannot be rendered
// keeps the version that is published, or is left out if there is none.
func (s *Server) Publish(catalogue *campaign.Catalogue) {
	s.building.Lock()
	defer s.building.Unlock()
	s.build(catalogue)
}

// firstWait is how long a request for a page waits for the first site after the start.
const firstWait = 10 * time.Second

// Handler serves what the site has, and everything else by next: the API. What is
// neither is the site's page for that, if somebody reads it.
func (s *Server) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tree := s.tree()
		if tree == nil {
			s.serveEarly(w, r, next)
			return
		}
		serve(tree, w, r, next)
	})
}

func serve(tree *Tree, w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		tree.Serve(w, r, next)
		return
	}
	tree.Serve(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if missing(w, r, next) {
			tree.NotFound(w, r)
		}
	}))
}

// serveEarly answers before the first site is made: the API at once, and what it does not have once
// the site is there.
func (s *Server) serveEarly(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		next.ServeHTTP(w, r)
		return
	}
	if !missing(w, r, next) {
		return
	}
	select {
	case <-s.first:
		serve(s.tree(), w, r, next)
		return
	case <-r.Context().Done():
	case <-time.After(firstWait):
	}
	w.Header().Set("Retry-After", "10")
	http.Error(w, "The site is being built. Try again in a moment.", http.StatusServiceUnavailable)
}

// missing has next answer, unless its answer is that there is nothing at this path, which it reports.
func missing(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
	answer := &reader{ResponseWriter: w, before: w.Header().Clone()}
	next.ServeHTTP(answer, r)
	return answer.missing
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

// tree is the site that is published, nil before the first one. If its time is over, another is
// made in the background.
func (s *Server) tree() *Tree {
	shown := s.shown.Load()
	if shown.tree == nil || !shown.good(s.now()) {
		s.refresh()
	}
	return shown.tree
}

// refresh makes the site again in the background, once at a time.
func (s *Server) refresh() {
	if !s.busy.CompareAndSwap(false, true) {
		return
	}
	s.running.Go(func() {
		defer s.busy.Store(false)
		s.building.Lock()
		defer s.building.Unlock()
		if shown := s.shown.Load(); !shown.good(s.now()) {
			s.build(shown.of)
		}
	})
}

// build makes the site of a catalogue and switches to both. The building lock is held. If the
// builder itself fails, the published site stays, and the build is retried in a minute.
func (s *Server) build(catalogue *campaign.Catalogue) {
	before, now := s.shown.Load(), s.now()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("could not build the site, keeping the published one", "error", fmt.Sprint(p))
			s.shown.Store(&print{before.tree, before.of, campaign.Problems{{Message: fmt.Sprintf("The site cannot be built: %v", p)}}, now, now.Add(time.Minute)})
		}
	}()
	rejected := campaign.Problems{}
	for {
		made := s.builder.render(catalogue, now, before.tree)
		next := s.replaceFailed(catalogue, before, made.failed)
		if next == catalogue {
			s.show(&print{made.tree, catalogue, append(rejected, made.all()...), now, s.builder.next(catalogue, now)}, before)
			return
		}
		for _, slug := range slices.Sorted(maps.Keys(made.failed)) {
			rejected = append(rejected, made.failed[slug]...)
		}
		catalogue = next
	}
}

// replaceFailed returns a catalogue with the published version of each campaign that cannot be
// rendered, and without those that have none.
func (s *Server) replaceFailed(catalogue *campaign.Catalogue, before *print, failed map[string]campaign.Problems) *campaign.Catalogue {
	published, first := before.of, before.tree == nil
	if first {
		published = cmp.Or(s.Last, new(campaign.Catalogue))
	}
	for slug := range failed {
		good, err := published.Campaign(slug)
		now, _ := catalogue.Campaign(slug)
		switch {
		case err != nil, first && good.Revision == now.Revision:
			catalogue = catalogue.Without(slug)
		case good != now:
			catalogue = catalogue.With(good)
		}
	}
	return catalogue
}

func (s *Server) show(p, before *print) {
	slices.SortStableFunc(p.problems, func(a, b campaign.Problem) int { return cmp.Compare(a.String(), b.String()) })
	p.problems = slices.Compact(p.problems)
	for _, problem := range p.problems {
		if !slices.Contains(before.problems, problem) {
			s.log.Error("a part of the content cannot be shown: its last good version or a placeholder is", "problem", problem.String())
		}
	}
	s.shown.Store(p)
	if before.tree == nil {
		close(s.first)
	}
	if s.Shown != nil {
		s.Shown(p.of)
	}
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
