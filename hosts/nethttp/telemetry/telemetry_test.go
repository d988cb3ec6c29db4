//go:build !demo

package telemetry_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/telemetry"
	"github.com/pledgeworks/pledgeworks/notify"
)

const film = `---
title: Film
slug: film
published: true
start_date: 2020-01-01
goal_deadline: 2099-01-01
goal_amount: 1000
tiers:
  - {id: seat, name: Seat, price: 25}
---
`

// watched returns a service with telemetry in an environment.
func watched(t *testing.T, env map[string]string) (*telemetry.Telemetry, *memory.Host, http.Handler) {
	t.Helper()
	host, err := memory.New(memory.Options{Campaigns: fstest.MapFS{"campaigns/film.md": {Data: []byte(film)}}})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range env {
		t.Setenv(k, v)
	}
	tel, err := telemetry.New("v1")
	if err != nil {
		t.Fatal(err)
	}
	host.Services.Evidence.Observe = tel.RecordCall
	tel.Watch(func(ctx context.Context) (compose.Vitals, error) {
		v, err := host.Services.Vitals(ctx)
		v.ContentProblems, v.DiskFree, v.DiskSize = 3, 1<<30, 1<<40
		return v, err
	}, slog.New(slog.DiscardHandler))
	return tel, host, nethttp.Handler(host.API, nethttp.Options{Begin: tel.Begin})
}

func call(h http.Handler, method, path string) int {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w.Code
}

func TestMetrics(t *testing.T) {
	tel, host, h := watched(t, nil)
	call(h, "GET", "/stats/film")
	call(h, "GET", "/nobody/made/this")
	call(h, "BREW", "/stats/film")
	if _, err := host.Services.Settlement.Processor.CreateCustomer(t.Context(),
		psp.NewCustomer{Key: "k", Email: "a@example.org"}); err != nil {
		t.Fatal(err)
	}
	refuseMails(t, host)
	if _, err := host.Services.Settlement.Switch().Stop(t.Context(), "a test"); err != nil {
		t.Fatal(err)
	}
	if err := compose.NoteBackup(t.Context(), host.Services.Stores.Pledges, time.Now()); err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	tel.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{
		`pledgeworks_http_request_duration_seconds_count{method="GET",route="/stats/:slug",status="200"} 1`,
		`pledgeworks_http_request_duration_seconds_count{method="GET",route="none",status="404"} 1`,
		`pledgeworks_http_request_duration_seconds_count{method="other",route="/stats/:slug",status="405"} 1`,
		`pledgeworks_processor_call_duration_seconds_count{operation="customers.create",outcome="done"} 1`,
		`pledgeworks_build_info{version="v1"} 1`,
		`pledgeworks_outbox_waiting 1`,
		`pledgeworks_content_problems 3`,
		`pledgeworks_mail_refused 1`,
		`pledgeworks_charging_stopped 1`,
		`pledgeworks_clock_wrong 0`,
		`pledgeworks_backup_last_timestamp_seconds 1.`,
		`pledgeworks_disk_free_bytes 1.073741824e+09`,
		`pledgeworks_disk_size_bytes 1.099511627776e+12`,
		`pledgeworks_projections_in_sync{campaign="film"} 1`,
		`pledgeworks_reconciliation_breaks_open{campaign="film",severity="critical"} 0`,
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("missing metric %s", want)
		}
	}
	if t.Failed() {
		t.Log(w.Body.String())
	}
	if err := tel.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// refusing is a mail provider that refuses the account.
type refusing struct{}

func (refusing) Send(context.Context, notify.Mail) (notify.Receipt, error) {
	return notify.Receipt{Outcome: notify.RetryLater, Account: true, Reason: "the key is invalid"}, nil
}

func refuseMails(t *testing.T, host *memory.Host) {
	t.Helper()
	outbox := host.Services.Outbox
	outbox.Sender = refusing{}
	err := outbox.Queue(t.Context(), notify.Message{Kind: notify.Confirmation, Identity: "one", To: "ada@example.org",
		Lang: "en", Subject: "Hello", Text: "Hello\n"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := outbox.Drain(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
}
