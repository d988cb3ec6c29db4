package nethttp_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// A file is streamed, and clients can tell that a file is incomplete.
func TestFiles_Streaming(t *testing.T) {
	var reads, failAt atomic.Int64 // the client repeats a failed GET concurrently
	h, err := memory.New(memory.Options{Campaigns: os.DirFS("../../examples/site"), Fail: func(op memkv.Op) error {
		if !strings.HasPrefix(op.Key, "pledge:") {
			return nil
		}
		if n, last := reads.Add(1), failAt.Load(); last > 0 && n >= last {
			return errors.New("storage unavailable")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	one := 1
	for n := range 5 {
		_, err := h.Pledge(t.Context(), checkout.StartRequest{
			Email: fmt.Sprintf("s%d@example.com", n),
			Cart: checkout.Cart{CampaignSlug: game, Items: []checkout.Item{{ID: game + "__the-game", Quantity: &one}},
				ShippingAddress: &pledge.Address{Name: "Ada", Line1: "1 Shore Road", City: "Taos",
					State: "NM", PostalCode: "87571", Country: "US"}},
		}, "")
		if err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(nethttp.Handler(h.API, nethttp.Options{}))
	defer server.Close()
	get := func(method string) (*http.Response, []byte, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+"/admin/reports/"+game+"/pledges.csv", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+h.Config.Secrets.Admin.Reveal())
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return nil, nil, err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp, b, err
	}
	resp, body, err := get("GET")
	if err != nil || resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		resp.Header.Get("Cache-Control") != "private, no-store" {
		t.Fatalf("%v, %v", resp, err)
	}
	if rows, err := csv.NewReader(strings.NewReader(string(body))).ReadAll(); err != nil || len(rows) != 6 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if resp, body, err := get("HEAD"); err != nil || resp.StatusCode != 200 || len(body) != 0 {
		t.Errorf("HEAD: %v %q %v", resp, body, err)
	}
	reads.Store(0)
	failAt.Store(4)
	if resp, body, err := get("GET"); err == nil && resp.StatusCode == 200 {
		t.Errorf("incomplete file ended without an error: %v %q", resp, body)
	}
}
