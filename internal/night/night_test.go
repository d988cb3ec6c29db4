package night

import (
	"bytes"
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim/simhttp"
	"github.com/pledgeworks/pledgeworks/hosts/compose"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/nethttp/app"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
	"github.com/pledgeworks/pledgeworks/pledge/order"
)

var supporters = flag.Int("supporters", 4000, "how many supporters the large campaign has")

const few = 1000

const film = `---
title: Film
slug: film
published: true
start_date: %s
goal_deadline: %s
goal_amount: 20
---
`

// Settling many takes hardly more memory than settling a few: nothing that a run
// keeps grows with the campaign.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("settles thousands with a real program")
	}
	binary := filepath.Join(t.TempDir(), "pledged")
	if out, err := exec.Command("go", "build", "-o", binary, "../../hosts/nethttp/cmd/pledged").CombinedOutput(); err != nil {
		t.Fatalf("building pledged: %v\n%s", err, out)
	}
	small, large := settle(t, binary, few), settle(t, binary, *supporters)
	if ratio := float64(large) / float64(small); ratio > 1.5 {
		t.Errorf("%d supporters take %d KiB and %d take %d KiB: %.2f times", few, small, *supporters, large, ratio)
	}
	t.Logf("%d supporters: %d MiB at most; %d supporters: %d MiB at most; %.2f times", few, small>>10, *supporters, large>>10,
		float64(large)/float64(small))
}

// settle returns the greatest resident memory of `pledged settle`, in KiB.
func settle(t *testing.T, binary string, n int) int64 {
	t.Helper()
	values, err := config.DemoValues(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := sim.New(sim.Options{Now: time.Now, NoLimits: true, APIKey: values["PSP_SECRET_KEY_TEST"]})
	processor := httptest.NewServer(simhttp.NewHandler(s, simhttp.Options{Vendor: "Stripe"}))
	defer processor.Close()
	content, data := t.TempDir(), t.TempDir()
	day := func(d int) string { return time.Now().AddDate(0, 0, d).Format("2006-01-02") }
	if err := os.MkdirAll(filepath.Join(content, "campaigns"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(content, "campaigns", "film.md"), fmt.Appendf(nil, film, day(-30), day(-2)), 0o644); err != nil {
		t.Fatal(err)
	}
	fill(t, s, filepath.Join(data, app.StoreFile), n)
	for k, v := range map[string]string{
		"PSP_PROVIDER": "stripe", "PSP_API_BASE": processor.URL, "PSP_PUBLISHABLE_KEY": "pk_test_night", "SALES_TAX_RATE": "0",
		"CONTENT_DIR": content, "DATA_DIR": data, "PATH": os.Getenv("PATH"), "LOG_LEVEL": "error",
	} {
		values[k] = v
	}
	cmd := exec.Command(binary, "settle", "film")
	for k, v := range values {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	peak := watch(cmd.Process.Pid, ended)
	err = cmd.Wait()
	close(ended)
	out := text.Bytes()
	if err != nil || !strings.Contains(string(out), fmt.Sprintf("%d supporters", n)) || len(s.Books()) != n {
		t.Fatalf("%d of %d are charged: %v\n%.2000s", len(s.Books()), n, err, out)
	}
	t.Logf("%d supporters are charged in %s", n, time.Since(began).Round(time.Second))
	most := <-peak
	if most == 0 {
		t.Skip("this system does not tell how much memory a program takes")
	}
	return most
}

// watch reads the high-water mark of a program's resident memory, in KiB, until
// it has ended. What the system tells of an ended child counts its parent's memory
// as well.
func watch(pid int, ended <-chan struct{}) <-chan int64 {
	peak := make(chan int64, 1)
	go func() {
		var most int64
		for {
			select {
			case <-ended:
				peak <- most
				return
			case <-time.After(20 * time.Millisecond):
				b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
				if err != nil {
					continue
				}
				for line := range strings.Lines(string(b)) {
					var kib int64
					if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
						most = max(most, kib)
					}
				}
			}
		}
	}()
	return peak
}

// fill makes the pledges of n supporters, as confirmed checkouts leave them.
func fill(t *testing.T, s *sim.Sim, file string, n int) {
	t.Helper()
	ctx := context.Background()
	db, err := sqlitekv.Open(ctx, file, sqlitekv.Options{Now: time.Now, Classes: compose.Classes()})
	if err != nil {
		t.Fatal(err)
	}
	orders, stock := order.Client{Coordinator: db.Coordinator()}, inventory.Client{Coordinator: db.Coordinator()}
	var people sync.WaitGroup
	for worker := range 32 {
		people.Go(func() {
			for i := worker; i < n; i += 32 {
				if err := one(ctx, s, orders, stock, i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	people.Wait()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func one(ctx context.Context, s *sim.Sim, orders order.Client, stock inventory.Client, i int) error {
	p := s.Processor()
	id, email := fmt.Sprintf("pw-%026d", i), fmt.Sprintf("fan%06d@example.org", i)
	customer, err := p.CreateCustomer(ctx, psp.NewCustomer{Key: "customer:" + id, Email: email})
	if err != nil {
		return err
	}
	session, err := p.StartSetup(ctx, psp.NewSetup{Key: "setup:" + id, CustomerID: customer, UIMode: psp.Custom, ReturnURL: "https://example.org/"})
	if err != nil {
		return err
	}
	if err := s.Complete(session.ID, sim.CardOK); err != nil {
		return err
	}
	session, err = p.Session(ctx, session.ID)
	if err != nil {
		return err
	}
	const amount = money.Cents(2500)
	lines := []pledge.Line{{Kind: pledge.CustomLine, Name: "Gift", Quantity: 1, UnitPrice: amount, Amount: amount}}
	totals, err := pledge.Add(lines, 0, 0, 0)
	if err != nil {
		return err
	}
	now := time.Now().AddDate(0, 0, -20)
	o, err := orders.Open(ctx, order.Manifest{OrderID: id, Email: email, Currency: money.USD, Nonce: id, BookedAt: now, Amount: amount,
		Campaigns: []order.Contribution{{PledgeID: id, CampaignSlug: "film", Lines: lines, Totals: totals}}})
	if err != nil {
		return err
	}
	if err := orders.Attach(ctx, id, session.ID); err != nil {
		return err
	}
	card := order.Card{CustomerID: session.CustomerID, PaymentMethodID: session.PaymentMethodID, SetupIntentID: session.SetupIntentID, SavedAt: now}
	if err := orders.Confirm(ctx, id, session.ID, o.Hash, card, false); err != nil {
		return err
	}
	made, err := orders.Pledge(ctx, id)
	if err != nil {
		return err
	}
	account, _ := inventory.AccountsOf(made)
	_, err = stock.Book(ctx, "film", account, "")
	return err
}
