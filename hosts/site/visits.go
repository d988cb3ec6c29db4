package site

import (
	"net/http"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// Visits passes requests on, and tells visited of each that opens a campaign's page from
// elsewhere, with what its link carries. Programs that are no browsers say nothing of where
// they come from, nor do browsers over plain HTTP: they are not counted.
func (s *Server) Visits(next http.Handler, visited func(slug string, from pledge.Attribution)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slug := visitedCampaign(r.URL.Path); slug != "" && arrives(r) && s.shows(r.URL.Path) {
			q := r.URL.Query()
			visited(slug, pledge.Attribution{
				Referral: q.Get(marketing.Ref), UTMSource: q.Get(marketing.UTMSource), UTMMedium: q.Get(marketing.UTMMedium),
				UTMCampaign: q.Get(marketing.UTMCampaign), UTMContent: q.Get(marketing.UTMContent),
			})
		}
		next.ServeHTTP(w, r)
	})
}

// visitedCampaign is the slug of a path such as /es/campaigns/night-ferry/, "" for others.
func visitedCampaign(path string) string {
	before, slug, found := strings.Cut(path, "/campaigns/")
	slug, closed := strings.CutSuffix(slug, "/")
	if !found || !closed || strings.Contains(slug, "/") || strings.Count(before, "/") > 1 {
		return ""
	}
	return slug
}

// arrives reports whether a browser opens a page that no page of this site led to. A page
// that is fetched ahead, which nobody may look at, is not opened.
func arrives(r *http.Request) bool {
	h := r.Header
	return r.Method == http.MethodGet && h.Get("Sec-Fetch-Dest") == "document" && h.Get("Sec-Fetch-Site") != "same-origin" && h.Get("Sec-Purpose") == ""
}

// shows reports whether the site has a page at a path. It has none before it is made.
func (s *Server) shows(path string) bool {
	tree := s.tree()
	if tree == nil {
		return false
	}
	_, elsewhere, ok := tree.Find(path)
	return ok && elsewhere == ""
}
