package site

import (
	"net/http"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Visits returns a handler that passes all requests to next. For each request that opens a
// campaign's page from outside the site, it first calls visited with the link's tracking
// parameters. Clients without Sec-Fetch headers, such as bots and browsers over plain HTTP, are not
// counted.
func (s *Server) Visits(next http.Handler, visited func(slug string, from pledge.Attribution)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slug := visitedCampaign(r.URL.Path); slug != "" && isArrival(r) && s.hasPage(r.URL.Path) {
			q := r.URL.Query()
			visited(slug, pledge.Attribution{
				Referral: q.Get(marketing.Ref), UTMSource: q.Get(marketing.UTMSource), UTMMedium: q.Get(marketing.UTMMedium),
				UTMCampaign: q.Get(marketing.UTMCampaign), UTMContent: q.Get(marketing.UTMContent),
			})
		}
		next.ServeHTTP(w, r)
	})
}

// visitedCampaign returns the slug in a path such as /es/campaigns/night-ferry/, "" for others.
func visitedCampaign(path string) string {
	before, slug, found := strings.Cut(path, "/campaigns/")
	slug, closed := strings.CutSuffix(slug, "/")
	if !found || !closed || strings.Contains(slug, "/") || strings.Count(before, "/") > 1 {
		return ""
	}
	return slug
}

// isArrival reports whether a browser opens a page from outside this site, other than by
// prefetching it.
func isArrival(r *http.Request) bool {
	h := r.Header
	return r.Method == http.MethodGet && h.Get("Sec-Fetch-Dest") == "document" &&
		h.Get("Sec-Fetch-Site") != "same-origin" && h.Get("Sec-Purpose") == ""
}

// hasPage reports whether the published site has a page at a path. It returns false before the
// first build.
func (s *Server) hasPage(path string) bool {
	tree := s.tree()
	if tree == nil {
		return false
	}
	_, elsewhere, ok := tree.Find(path)
	return ok && elsewhere == ""
}
