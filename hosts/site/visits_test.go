package site_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// Visits counts only browsers that open a campaign's page from outside the site.
func TestVisits(t *testing.T) {
	files := content(t)
	b, err := builder(t, files)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := campaignfile.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	s := site.NewServer(b, catalogue, func() time.Time { return noon }, slog.New(slog.DiscardHandler))
	defer s.Close()
	s.Publish(catalogue)
	type visit struct {
		Slug string
		From pledge.Attribution
	}
	from := pledge.Attribution{Referral: "maya", UTMSource: "news", UTMMedium: "mail",
		UTMCampaign: "launch", UTMContent: "top"}
	const link = "?ref=maya&utm_source=news&utm_medium=mail&utm_campaign=launch&utm_content=top&other=1"
	for _, tc := range []struct {
		name, method, target string
		header               map[string]string
		want                 *visit
	}{
		{"link on another site", "GET", "/campaigns/paper-boat/" + link,
			map[string]string{"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "cross-site"}, &visit{"paper-boat", from}},
		{"link in a mail", "GET", "/es/campaigns/paper-boat/", map[string]string{"Sec-Fetch-Dest": "document",
			"Sec-Fetch-Site": "none"}, &visit{"paper-boat", pledge.Attribution{}}},
		{"link on the same site", "GET", "/campaigns/paper-boat/",
			map[string]string{"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "same-origin"}, nil},
		{"frame on another site", "GET", "/campaigns/paper-boat/",
			map[string]string{"Sec-Fetch-Dest": "iframe", "Sec-Fetch-Site": "cross-site"}, nil},
		{"prefetch", "GET", "/campaigns/paper-boat/", map[string]string{"Sec-Fetch-Dest": "document",
			"Sec-Fetch-Site": "cross-site", "Sec-Purpose": "prefetch;prerender"}, nil},
		{"no Sec-Fetch headers", "GET", "/campaigns/paper-boat/", nil, nil},
		{"HEAD request", "HEAD", "/campaigns/paper-boat/",
			map[string]string{"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}, nil},
		{"home page", "GET", "/", map[string]string{"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}, nil},
		{"unknown campaign", "GET", "/campaigns/nothing/",
			map[string]string{"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}, nil},
		{"unknown prefix", "GET", "/a/b/campaigns/paper-boat/",
			map[string]string{"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}, nil},
		{"missing trailing slash", "GET", "/campaigns/paper-boat",
			map[string]string{"Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got *visit
			h := s.Visits(s.Handler(http.NotFoundHandler()),
				func(slug string, from pledge.Attribution) { got = &visit{slug, from} })
			r := httptest.NewRequest(tc.method, tc.target, nil)
			for name, value := range tc.header {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if tc.want != nil && w.Code != http.StatusOK {
				t.Error("the page was not served")
			}
		})
	}
}
