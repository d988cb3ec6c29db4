package app

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/pledgeworks/pledgeworks/hosts/config"
)

// A running server counts the visitors of a campaign's page, and loses none when it stops.
func TestVisits_Count(t *testing.T) {
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: os.DirFS("../../../examples/site"), Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan error, 1)
	go func() { stopped <- a.Run(ctx, l, a.Handler()) }()
	for _, from := range []string{"same-origin", "cross-site", "none"} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet,
			"http://"+l.Addr().String()+"/campaigns/night-ferry/?ref=maya", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Sec-Fetch-Dest", "document")
		r.Header.Set("Sec-Fetch-Site", from)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", from, resp.StatusCode)
		}
	}
	stop()
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	c, err := a.Services.Visits.Of(t.Context(), "night-ferry")
	if err != nil {
		t.Fatal(err)
	}
	if c.Total != 2 || len(c.Referrals) != 1 || c.Referrals[0].Name != "maya" {
		t.Errorf("%+v, want two visits through maya's link", c)
	}
}
