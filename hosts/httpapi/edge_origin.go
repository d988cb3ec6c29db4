package httpapi

import (
	"context"
	"net/url"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// checkOrigin rejects requests to SameOrigin routes that do not come from the public site.
func (a *API) checkOrigin(_ context.Context, x *exchange) error {
	if !x.route.SameOrigin {
		return nil
	}
	return a.checkSite(x)
}

// checkSite fails with code Forbidden unless the Origin header, or the Referer if there is no
// Origin, names the public site. A request with neither header is rejected, and so is one whose
// Sec-Fetch-Site is cross-site.
func (a *API) checkSite(x *exchange) error {
	if x.header("Sec-Fetch-Site") == "cross-site" || a.site == "" || sender(x) != a.site {
		return fault.New(fault.Forbidden, "Origin not allowed")
	}
	return nil
}

func sender(x *exchange) string {
	if origin := x.header("Origin"); origin != "" {
		return originOf(origin)
	}
	return originOf(x.header("Referer"))
}

// originOf returns the normalized scheme and host of a web address, or "".
func originOf(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}
