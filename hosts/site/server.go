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

// Server serves the site and publishes catalogues. A catalogue and its pages are replaced together.
// Requests get the previous site while a new one is built; before the first build they wait. Server
// is safe for concurrent use.
type Server struct {
	// Last is the catalogue that the previous process published, or nil if unknown. In the first
	// build, its version of a campaign replaces one that cannot be rendered.
	Last *campaign.Catalogue
	// Shown is called with each published catalogue. It may be nil. Last and Shown must be set
	// before the server is used.
	Shown func(*campaign.Catalogue)

	now func() time.Time
	log *slog.Logger

	shown   atomic.Pointer[publication]
	first   chan struct{} // closed when the first tree is published
	running sync.WaitGroup
	busy    atomic.Bool // a background build is running or waiting

	building sync.Mutex // held during a build
	builder  *Builder

	drawing sync.Mutex // held during a preview
	drawer  *Builder
}

// publication is a site with its catalogue and the period in which it is valid.
type publication struct {
	tree        *Tree // nil before the first build
	catalogue   *campaign.Catalogue
	problems    campaign.Problems
	from, until time.Time
}

func (p *publication) isValid(now time.Time) bool { return !now.Before(p.from) && now.Before(p.until) }

// NewServer returns a server for a catalogue. The first Publish or the first request starts the
// first build. The caller must close the server.
func NewServer(b *Builder, catalogue *campaign.Catalogue, now func() time.Time, log *slog.Logger) *Server {
	s := &Server{builder: b, drawer: b.clone(), now: now, log: log, first: make(chan struct{})}
	s.shown.Store(&publication{catalogue: catalogue})
	return s
}

// Close waits for background builds.
func (s *Server) Close() { s.running.Wait() }

// Catalogue returns the published catalogue.
func (s *Server) Catalogue() *campaign.Catalogue { return s.shown.Load().catalogue }

// Problems returns the problems of the published site: campaigns that could not be rendered, and
// pictures, pages and settings that were replaced.
func (s *Server) Problems() campaign.Problems { return s.shown.Load().problems }

// ReplaceCatalogue replaces the catalogue. It does not build the site unless a site is already
// published.
func (s *Server) ReplaceCatalogue(catalogue *campaign.Catalogue) {
	s.building.Lock()
	defer s.building.Unlock()
	if s.shown.Load().tree != nil {
		s.build(catalogue)
		return
	}
	s.shown.Store(&publication{catalogue: catalogue})
}

// Builder returns the current builder.
func (s *Server) Builder() *Builder {
	s.building.Lock()
	defer s.building.Unlock()
	return s.builder
}

// SetBuilder sets the builder for future builds and previews. It is called after a change of the
// settings.
func (s *Server) SetBuilder(b *Builder) {
	s.building.Lock()
	s.builder = b
	s.building.Unlock()
	s.drawing.Lock()
	s.drawer = b.clone()
	s.drawing.Unlock()
}

// Publish builds the site of a catalogue and publishes both. A campaign that cannot be rendered
// keeps its published version, or is left out if it has none.
func (s *Server) Publish(catalogue *campaign.Catalogue) {
	s.building.Lock()
	defer s.building.Unlock()
	s.build(catalogue)
}

// firstWait is how long a request for a page waits for the first build before it fails.
const firstWait = 10 * time.Second

// Handler serves the site's files and passes all other requests to next, the API. If next responds
// to a browser with 404, Handler serves the site's not-found page instead.
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
		if serveNotFound(w, r, next) {
			tree.NotFound(w, r)
		}
	}))
}

// serveEarly handles requests before the first build. It passes requests to next and, if next
// responds with 404, waits for the build to serve the page. After firstWait it responds with 503.
func (s *Server) serveEarly(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		next.ServeHTTP(w, r)
		return
	}
	if !serveNotFound(w, r, next) {
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

// serveNotFound calls next and reports whether it responded with 404. Such a response is not sent.
func serveNotFound(w http.ResponseWriter, r *http.Request, next http.Handler) bool {
	answer := &notFoundInterceptor{ResponseWriter: w, before: w.Header().Clone()}
	next.ServeHTTP(answer, r)
	return answer.missing
}

// notFoundInterceptor suppresses a 404 response, so that a page can be served instead.
type notFoundInterceptor struct {
	http.ResponseWriter
	before         http.Header // headers that were already set
	missing, begun bool
}

// WriteHeader implements http.ResponseWriter. It drops the status 404 and the headers set with it.
func (r *notFoundInterceptor) WriteHeader(status int) {
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

func (r *notFoundInterceptor) Write(b []byte) (int, error) {
	r.begun = true
	if r.missing {
		return len(b), nil
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController flush event streams.
func (r *notFoundInterceptor) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// tree returns the published site, nil before the first build. If the site is missing or has
// expired, tree starts a background build.
func (s *Server) tree() *Tree {
	shown := s.shown.Load()
	if shown.tree == nil || !shown.isValid(s.now()) {
		s.refresh()
	}
	return shown.tree
}

// refresh rebuilds the site in the background unless a background build is already running.
func (s *Server) refresh() {
	if !s.busy.CompareAndSwap(false, true) {
		return
	}
	s.running.Go(func() {
		defer s.busy.Store(false)
		s.building.Lock()
		defer s.building.Unlock()
		if shown := s.shown.Load(); !shown.isValid(s.now()) {
			s.build(shown.catalogue)
		}
	})
}

// build builds the site of a catalogue and publishes both. The caller must hold s.building. If the
// builder panics, the published site is kept, and the build is retried after a minute.
func (s *Server) build(catalogue *campaign.Catalogue) {
	before, now := s.shown.Load(), s.now()
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("could not build the site, keeping the published one", "error", fmt.Sprint(p))
			s.shown.Store(&publication{before.tree, before.catalogue,
				campaign.Problems{{Message: fmt.Sprintf("The site cannot be built: %v", p)}}, now, now.Add(time.Minute)})
		}
	}()
	rejected := campaign.Problems{}
	for {
		made := s.builder.render(catalogue, now, before.tree)
		next := s.replaceFailed(catalogue, before, made.failed)
		if next == catalogue {
			s.publish(&publication{made.tree, catalogue, append(rejected, made.all()...),
				now, s.builder.nextBuild(catalogue, now)}, before)
			return
		}
		for _, slug := range slices.Sorted(maps.Keys(made.failed)) {
			rejected = append(rejected, made.failed[slug]...)
		}
		catalogue = next
	}
}

// replaceFailed returns a catalogue in which each failed campaign is replaced with its published
// version, or removed if it has none. In the first build the published versions are those of Last,
// and a campaign that has not changed since Last is removed. replaceFailed returns the catalogue
// itself if there is nothing to replace.
func (s *Server) replaceFailed(catalogue *campaign.Catalogue, before *publication,
	failed map[string]campaign.Problems) *campaign.Catalogue {
	published, first := before.catalogue, before.tree == nil
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

// publish replaces the published site before with p, and logs the problems that before did not
// have.
func (s *Server) publish(p, before *publication) {
	slices.SortStableFunc(p.problems, func(a, b campaign.Problem) int { return cmp.Compare(a.String(), b.String()) })
	p.problems = slices.Compact(p.problems)
	for _, problem := range p.problems {
		if !slices.Contains(before.problems, problem) {
			s.log.Error("content cannot be rendered, using its last good version or a placeholder",
				"problem", problem.String())
		}
	}
	s.shown.Store(p)
	if before.tree == nil {
		close(s.first)
	}
	if s.Shown != nil {
		s.Shown(p.catalogue)
	}
}

// nextBuild returns the time at which the site must be rebuilt even if the content does not change.
// It is the next date of a campaign, but no later than a day from now or, if Options.Figures is
// set, than freshness.
func (b *Builder) nextBuild(catalogue *campaign.Catalogue, now time.Time) time.Time {
	zone, soonest := b.config.Site.Timezone.Location(), now.Add(day)
	if b.figures != nil {
		soonest = now.Add(freshness)
	}
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
