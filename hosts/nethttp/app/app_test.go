package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
)

var noon = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)

func fixed() time.Time { return noon }

// saveCard creates a customer with a saved card at the processor.
func saveCard(t *testing.T, s *simulator) psp.Session {
	t.Helper()
	p, ctx := s.processor(), t.Context()
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "customer", Email: "a@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	opened, err := p.StartSetup(ctx, psp.NewSetup{Key: "setup", CustomerID: customer, UIMode: psp.Custom,
		ReturnURL: "https://shop.example/", Expires: noon.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Complete(opened.ID, sim.CardOK); err != nil {
		t.Fatal(err)
	}
	done, err := p.Session(ctx, opened.ID)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// The simulated processor's responses are written to disk before they are returned, so that a kill
// loses no charge.
func TestApp_KilledAfterCharge(t *testing.T) {
	dir := t.TempDir()
	s, err := openSimulator(dir, sim.Options{Now: fixed, NoLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	card := saveCard(t, s)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			key := "charge" + string(rune('a'+n))
			out := s.processor().Charge(t.Context(), psp.NewCharge{Key: key, Group: key, Amount: 1000,
				CustomerID: card.CustomerID, PaymentMethodID: card.PaymentMethodID, NotAfter: noon.Add(time.Hour)})
			if out.Status != psp.Succeeded {
				t.Errorf("%s: %+v", key, out)
			}
		})
	}
	all.Wait()

	state, err := os.ReadFile(filepath.Join(dir, simFile)) // as after a kill
	if err != nil {
		t.Fatal(err)
	}
	again := sim.New(sim.Options{Now: fixed})
	if err := again.Restore(state); err != nil {
		t.Fatal(err)
	}
	if got := len(again.Entries()); got != 20 {
		t.Errorf("%d of 20 charges survived", got)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

// A batch writes the books once, after its requests, even if it fails.
func TestApp_BatchPayments(t *testing.T) {
	dir := t.TempDir()
	s, err := openSimulator(dir, sim.Options{Now: fixed, NoLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	a, failed := &App{simulator: s}, errors.New("failed")
	var card psp.Session
	err = a.BatchPayments(func() error {
		card = saveCard(t, s)
		if _, err := os.Stat(filepath.Join(dir, simFile)); err == nil {
			t.Error("the books were written during the batch")
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("batch error = %v", err)
	}
	state, err := os.ReadFile(filepath.Join(dir, simFile))
	if err != nil {
		t.Fatal(err)
	}
	again := sim.New(sim.Options{Now: fixed})
	if err := again.Restore(state); err != nil {
		t.Fatal(err)
	}
	if kept, err := again.Processor().Session(t.Context(), card.ID); err != nil ||
		kept.PaymentMethodID != card.PaymentMethodID {
		t.Errorf("books after the batch = %+v, %v", kept, err)
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
}

func TestReconcile_WithoutBooks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := openSimulator(dir, sim.Options{Now: fixed, NoLimits: true})
	if err != nil {
		t.Fatal(err)
	}
	card := saveCard(t, s)
	if err := os.RemoveAll(dir); err != nil { // simulates a lost disk
		t.Fatal(err)
	}
	out := s.processor().Charge(t.Context(), psp.NewCharge{Key: "c", Group: "c", Amount: 1000,
		CustomerID: card.CustomerID, PaymentMethodID: card.PaymentMethodID, NotAfter: noon.Add(time.Hour)})
	if out.Status != psp.Unknown {
		t.Errorf("charge = %+v", out)
	}
	if _, err := s.processor().CreateCustomer(t.Context(), psp.NewCustomer{Key: "x", Email: "b@example.com"}); err == nil {
		t.Error("a customer was returned without being saved")
	}
	if err := s.processor().UpdateCustomer(t.Context(), card.CustomerID, "u",
		map[string]string{"state": "1"}); err == nil {
		t.Error("an update was confirmed without being saved")
	}
}

func TestOpen_BrokenBooks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, simFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the lock is released
		if _, err := openSimulator(dir, sim.Options{Now: fixed}); err == nil || !strings.Contains(err.Error(), simFile) {
			t.Errorf("opened: %v", err)
		}
	}
}

// Failed attempts are counted by the client address in the trusted header, and do not affect other
// clients.
//
// Proves LIM-02.
func TestClients_TrustedHeader(t *testing.T) {
	a, _ := openOn(t, contentOf(t), map[string]string{"TRUSTED_PROXY_HEADER": "CF-Connecting-IP"})
	for n, guess := range []struct {
		client string
		want   int
	}{
		{"192.0.2.7", 401}, {"192.0.2.7", 401}, {"192.0.2.7", 401}, {"192.0.2.7", 401},
		{"192.0.2.7", 401}, {"192.0.2.7", 429}, {"192.0.2.8", 401},
	} {
		r := httptest.NewRequest("GET", "/admin/cron/status", nil)
		r.Header.Set("X-Admin-Key", "a guess")
		r.Header.Set("CF-Connecting-IP", guess.client)
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, r)
		if w.Code != guess.want {
			t.Errorf("guess %d from %s: status %d, want %d", n+1, guess.client, w.Code, guess.want)
		}
	}
}

func TestMail_Folder(t *testing.T) {
	f := Folder{Dir: filepath.Join(t.TempDir(), "mails"), Now: fixed}
	if mails, err := f.Mails(); err != nil || len(mails) != 0 {
		t.Fatalf("before any mail: %v, %v", mails, err)
	}
	for _, text := range []string{"first", "again"} {
		r, err := f.Send(context.Background(), notify.Mail{Key: "k1", To: "a@example.com", Text: text})
		if err != nil || r.Outcome != notify.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	if _, err := f.Send(context.Background(), notify.Mail{Key: "k2", To: "b@example.com", Text: "other"}); err != nil {
		t.Fatal(err)
	}
	mails, err := f.Mails()
	if err != nil || len(mails) != 2 || mails[0].Text != "first" || !mails[0].SentAt.Equal(noon) {
		t.Errorf("mails = %+v, %v", mails, err)
	}
}

// In live mode, mails stay queued until a provider is configured.
func TestMail_HeldInLiveMode(t *testing.T) {
	a := &App{log: slog.New(slog.DiscardHandler)}
	a.Config.Mode.App = psp.Live
	r, err := a.sender(Options{Config: a.Config, Now: fixed}.providers()).Send(t.Context(), notify.Mail{Key: "k"})
	if err != nil || r.Outcome != notify.RetryLater || r.Reason == "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// In live mode nothing is charged while supporters cannot be notified.
func TestSettlement_NoticeBeforeCharge(t *testing.T) {
	for mode, want := range map[psp.Mode]bool{psp.Live: true, psp.Test: false} {
		cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Mode.App = mode
		a, err := Open(t.Context(),
			Options{Config: cfg, Content: fstest.MapFS{}, Now: fixed, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		if idle, err := a.Services.Settlement.ChargingOff(t.Context()); err != nil || idle != want {
			t.Errorf("%s: idle = %t, %v", mode, idle, err)
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpen_UnknownProcessor(t *testing.T) {
	cfg, err := config.Demo(rand.Reader, nil, map[string]string{"DATA_DIR": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Processor.Provider = "barter"
	_, err = Open(t.Context(),
		Options{Config: cfg, Content: os.DirFS("../../../examples/site"), Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err == nil || !strings.Contains(err.Error(), `unknown payment processor "barter"`) {
		t.Errorf("opened: %v", err)
	}
	cfg.Processor.Provider = config.Sim
	a, err := Open(t.Context(),
		Options{Config: cfg, Content: os.DirFS("../../../examples/site"), Now: fixed, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("the folder is still locked after a failed start: %v", err)
	}
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/_sim/snapshot", nil))
	if w.Code != 404 {
		t.Errorf("snapshot with secrets: status %d", w.Code)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}
