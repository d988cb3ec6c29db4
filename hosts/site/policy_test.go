package site_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/hosts/site"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// stripeGuide contains the hosts that Stripe's security guide lists by directive for Stripe.js
// (with Elements, 3-D Secure and Link) and for Checkout:
// https://docs.stripe.com/security/guide#content-security-policy. The list was compiled on
// 2026-11-26 from public projects that quote the guide. Compare it with the guide when Stripe.js is
// updated.
var stripeGuide = map[string][]string{
	"script-src": {"https://js.stripe.com", "https://*.js.stripe.com", "https://checkout.stripe.com"},
	"frame-src": {"https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com",
		"https://checkout.stripe.com", "https://link.com", "https://*.link.com"},
	"connect-src": {"https://api.stripe.com", "https://checkout.stripe.com", "https://link.com", "https://*.link.com"},
	"img-src":     {"https://*.stripe.com", "https://*.link.com"},
}

// unusedStripeHost is a host that the guide lists for the Address Element, which no page uses.
const unusedStripeHost = "maps.googleapis.com"

func TestPolicy_StripeGuide(t *testing.T) {
	server := serve(t)
	for _, page := range []string{"/checkout/", "/es/checkout/", "/manage/", "/es/manage/", "/manage/updated/"} {
		policy := policyOf(t, server.URL+page)
		for directive, hosts := range stripeGuide {
			for _, host := range hosts {
				if !allows(policy[directive], host) {
					t.Errorf("%s: %s lacks %s: %s", page, directive, host, policy[directive])
				}
			}
		}
		ownHosts := map[string][]string{"script-src": {"'self'"}, "frame-src": nil,
			"connect-src": {"'self'", "https://api.harbor.example"}}
		for directive, own := range ownHosts {
			want, got := slices.Sorted(slices.Values(append(own, stripeGuide[directive]...))),
				slices.Sorted(slices.Values(policy[directive]))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: hosts of %s differ from the guide (-want +got)\n%s", page, directive, diff)
			}
		}
		if slices.ContainsFunc(slices.Concat(slices.Collect(maps.Values(policy))...),
			func(s string) bool { return strings.Contains(s, unusedStripeHost) }) {
			t.Errorf("%s allows %s: %v", page, unusedStripeHost, policy)
		}
	}
}

func TestPolicy_StripeOnlyWhereCardsAreEntered(t *testing.T) {
	server := serve(t)
	for _, page := range []string{"/", "/es/", "/campaigns/paper-boat/", "/embed/paper-boat/", "/pledge-success/",
		"/admin/", "/links/", "/mails/", "/reminder/", "/about/", "/terms/"} {
		for directive, sources := range policyOf(t, server.URL+page) {
			for _, source := range sources {
				if strings.Contains(source, "stripe.com") || strings.Contains(source, "link.com") {
					t.Errorf("%s: %s allows %s", page, directive, source)
				}
			}
		}
	}
}

// serve starts an HTTP server with the site.
func serve(t *testing.T) *httptest.Server {
	t.Helper()
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
	t.Cleanup(s.Close)
	s.Publish(catalogue)
	server := httptest.NewServer(s.Handler(http.NotFoundHandler()))
	t.Cleanup(server.Close)
	return server
}

// policyOf returns a page's content security policy by directive.
func policyOf(t *testing.T, url string) map[string][]string {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d", url, res.StatusCode)
	}
	policy := map[string][]string{}
	for directive := range strings.SplitSeq(res.Header.Get("Content-Security-Policy"), ";") {
		fields := strings.Fields(directive)
		policy[fields[0]] = fields[1:]
	}
	return policy
}

// allows reports whether a directive lists the host, or all https hosts.
func allows(sources []string, host string) bool {
	return slices.Contains(sources, host) || slices.Contains(sources, "https:")
}
