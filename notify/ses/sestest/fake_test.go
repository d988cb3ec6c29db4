package sestest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
	"github.com/pledgeworks/pledgeworks/notify/ses"
	"github.com/pledgeworks/pledgeworks/notify/ses/sestest"
)

var at = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

func now() time.Time { return at }

// changed is a transport that modifies requests after they were signed.
type changed func(*http.Request)

func (c changed) RoundTrip(r *http.Request) (*http.Response, error) {
	c(r)
	return http.DefaultTransport.RoundTrip(r)
}

// Only requests signed with the access key are processed.
func TestServer_Signatures(t *testing.T) {
	peer := &sestest.Server{Now: now}
	server := httptest.NewServer(peer)
	t.Cleanup(server.Close)
	good := ses.Options{Region: sestest.Region, KeyID: sestest.KeyID, Secret: sestest.Secret,
		Now: now, BaseURL: server.URL}
	nothing := changed(func(*http.Request) {})
	header := func(name, value string) changed { return func(r *http.Request) { r.Header.Set(name, value) } }
	for name, tt := range map[string]struct {
		change func(*ses.Options)
		by     changed
		kind   string // expected error type; "" if the mail is accepted
	}{
		"valid":          {by: nothing},
		"another secret": {change: func(o *ses.Options) { o.Secret += "x" }, by: nothing, kind: "SignatureDoesNotMatch"},
		"another key":    {change: func(o *ses.Options) { o.KeyID += "x" }, by: nothing, kind: "UnrecognizedClientException"},
		"another region": {change: func(o *ses.Options) { o.Region = "eu-west-2" }, by: nothing,
			kind: "SignatureDoesNotMatch"},
		"wrong clock": {change: func(o *ses.Options) { o.Now = func() time.Time { return at.Add(6 * time.Minute) } },
			by: nothing, kind: "InvalidSignatureException"},
		"another type":  {by: header("Content-Type", "text/plain"), kind: "SignatureDoesNotMatch"},
		"another query": {by: func(r *http.Request) { r.URL.RawQuery = "a=b" }, kind: "SignatureDoesNotMatch"},
		"no signature":  {by: header("Authorization", ""), kind: "MissingAuthenticationTokenException"},
	} {
		o := good
		if tt.change != nil {
			tt.change(&o)
		}
		o.Fetch = overhttp.New(tt.by, time.Minute)
		s, err := ses.New(o)
		if err != nil {
			t.Fatal(err)
		}
		before := len(peer.Accepted())
		r, err := s.Send(t.Context(), notifytest.MailTo("ana"))
		if err != nil || !strings.Contains(r.Reason, tt.kind) || (r.ProviderID != "") != (tt.kind == "") ||
			len(peer.Accepted())-before != map[bool]int{true: 1}[tt.kind == ""] {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}
