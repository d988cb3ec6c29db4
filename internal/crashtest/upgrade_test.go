package crashtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/internal/seed"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
)

// nextRelease patches this tree to store additional fields: in the manifest of
// every checkout, in pledges, accounts and charges, and in the entries of a
// pledge's history.
var nextRelease = map[string][]string{ // file: old, new, old, new
	"pledge/order/manifest.go": {"	OrderID       string      `json:\"orderId\"`", "	Channel string `json:\"channel\"`\n	OrderID       string      `json:\"orderId\"`"},
	"checkout/draft.go":        {"manifest: order.Manifest{", "manifest: order.Manifest{ Channel: \"site\","},
	"pledge/pledge.go": {
		"	OrderID      string `json:\"orderId\"`", "	OrderID      string `json:\"orderId\"`\n	Channel string `json:\"channel,omitempty\"`",
		"	Reason string `json:\"reason,omitempty\"`\n}\n\n// Promise", "	Reason string `json:\"reason,omitempty\"`\n	By string `json:\"by,omitempty\"`\n}\n\n// Promise",
		"Totals: p.Totals, At: at}", "Totals: p.Totals, At: at, By: \"next\"}",
	},
	"pledge/order/confirm.go": {"p := &pledge.Pledge{", "p := &pledge.Pledge{ Channel: \"site\","},
	"pledge/inventory/account.go": {
		"	Pledge   string        `json:\"pledge\"`", "	Pledge   string        `json:\"pledge\"`\n	Channel string `json:\"channel,omitempty\"`",
		"campaign = Account{Pledge: p.OrderID,", "campaign = Account{Pledge: p.OrderID, Channel: p.Channel,",
	},
	"settlement/state/group.go": {"	CampaignSlug string `json:\"campaignSlug\"`", "	CampaignSlug string `json:\"campaignSlug\"`\n	Channel string `json:\"channel,omitempty\"`"},
	"settlement/payments.go":    {"Version: state.GroupVersion,", "Version: state.GroupVersion, Channel: \"site\","},
}

// launchNextRelease builds the patched server and returns its launcher.
func launchNextRelease(t *testing.T) launcher {
	t.Helper()
	dir, replace := t.TempDir(), map[string]string{}
	for name, edits := range nextRelease {
		path, err := filepath.Abs(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		edited := string(text)
		for i := 0; i < len(edits); i += 2 {
			if !strings.Contains(edited, edits[i]) {
				t.Fatalf("%s has no %q", name, edits[i])
			}
			edited = strings.Replace(edited, edits[i], edits[i+1], 1)
		}
		replace[path] = filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(replace[path], []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	binary, err := compile(filepath.Join(dir, "pledged"), "-overlay", file)
	if err != nil {
		t.Fatal(err)
	}
	return launchBinary(t, binary)
}

// A release is rolled out and partially rolled back while people create and change pledges on
// both versions. Both versions have the same pledges, regardless of which started or confirmed a
// checkout, and the additional fields survive changes by the older version.
//
// Proves VER-04.
func TestRollingUpgrade(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another program and runs both for a while")
	}
	w := newFixture(t, launchServer(t), map[string]string{"DATABASE_URL": cluster.Database(t)}, 0, 0)
	w.write("film", 10)
	w.write("dream", 900_000)
	first, second, newer := w.fleet.servers[0], w.fleet.servers[1], launchNextRelease(t)
	older := second.launch
	second.launch = newer
	w.fleet.start()
	kept := &kept{}
	w.runCrowd(0, kept, first, second, second)

	// The other server handles all requests meanwhile.
	w.replace(first, newer, func() { w.runCrowd(1, kept, second, second, second) })
	w.replace(second, older, func() { w.runCrowd(2, kept, first, first, first) })
	w.runCrowd(3, kept, first, second, first)

	w.checkPledgesExist()
	w.checkProjections()
	w.shift(40 * 24 * time.Hour)
	w.settle()
	w.checkBooks()
	w.checkReconciliation()
	w.checkConfirmations()
	kept.check(w, backup(t, first.env))
	t.Logf("%d pledges, %d of them confirmed by the next release", len(w.pledges), len(kept.pledges))
}

func (w *fixture) replace(s *server, by launcher, meanwhile func()) {
	if err := s.stop(); err != nil {
		w.Errorf("stopping the server: %v", err)
	}
	meanwhile()
	s.launch = by
	s.start()
}

// kept lists the records that the next release wrote.
type kept struct {
	mu                 sync.Mutex
	manifests, pledges []string
}

// runCrowd lets people start pledges at one of two servers, confirm them at one, and change some
// of them at one. It records in k which records the newer server wrote.
func (w *fixture) runCrowd(round int, k *kept, a, b, newer *server) {
	random := seed.Rand(w)
	pick := func() *server { return []*server{a, b}[random.IntN(2)] }
	var all sync.WaitGroup
	for person := range 2 * workers {
		start, confirm, change := pick(), pick(), pick()
		all.Go(func() {
			email := fmt.Sprintf("p%d-%d@example.org", round, person)
			m := w.buyAt(email, start, confirm)
			if m == nil {
				return
			}
			path, body := "/pledge/modify", map[string]any{"token": w.token(m), "items": []any{map[string]any{"id": "film__seat", "quantity": 4}}}
			switch person % 4 {
			case 0:
				path, m.cancelled = "/pledge/cancel", true
			case 1:
				path = ""
			}
			if path != "" {
				if status, err := change.once("POST", path, nil, body, nil); err != nil {
					w.Errorf("%s of %s: %d, %v", path, email, status, err)
				}
			}
			w.mu.Lock()
			w.pledges = append(w.pledges, m)
			w.mu.Unlock()
			k.mu.Lock()
			defer k.mu.Unlock()
			if start == newer {
				k.manifests = append(k.manifests, m.order)
			}
			if confirm == newer {
				k.pledges = append(k.pledges, m.order)
			}
		})
	}
	all.Wait()
	w.deliverAll()
}

// buyAt pledges to the film, starting at one server and confirming at another.
func (w *fixture) buyAt(email string, start, confirm *server) *placedPledge {
	var started struct{ OrderID, SessionID string }
	cart := map[string]any{"campaignSlug": "film", "email": email, "items": []any{map[string]any{"id": "film__seat"}}}
	if status, err := start.once("POST", "/checkout-intent/start", nil, cart, &started); err != nil {
		w.Errorf("start of %s: %d, %v", email, status, err)
		return nil
	}
	if err := w.sim.Complete(started.SessionID, sim.CardOK); err != nil {
		w.Error(err)
		return nil
	}
	body := map[string]any{"orderId": started.OrderID, "sessionId": started.SessionID}
	if status, err := confirm.once("POST", "/checkout-intent/complete", nil, body, nil); err != nil || status != http.StatusOK {
		w.Errorf("confirming %s: %d, %v", email, status, err)
		return nil
	}
	return &placedPledge{email: email, order: started.OrderID, slug: "film"}
}

// check checks that the records in a backup file still have the fields that the next release
// added.
func (k *kept) check(w *fixture, file string) {
	w.Helper()
	db, err := sqlitekv.Open(w.Context(), file, sqlitekv.Options{Now: time.Now})
	if err != nil {
		w.Fatal(err)
	}
	defer db.Close()
	rows := map[string][]byte{}
	for r, err := range db.Export(w.Context()) {
		if err != nil {
			w.Fatal(err)
		}
		rows[r.Namespace+r.Object.Class+" "+r.Object.Name+" "+r.Key] = r.Value
	}
	type record struct {
		Channel string
		History []struct{ By string }
	}
	has := func(key string, history bool) {
		var r record
		if err := json.Unmarshal(rows[key], &r); err != nil {
			w.Errorf("%s: %v", key, err)
			return
		}
		if r.Channel != "site" || history && (len(r.History) == 0 || r.History[0].By != "next") {
			w.Errorf("%s lost fields that the next release wrote: %s", key, rows[key])
		}
	}
	for _, id := range k.manifests {
		has("order "+id+" manifest", false)
	}
	for _, id := range k.pledges {
		has("order "+id+" pledge/"+id, true)
		has("campaign film account/"+id, false)
		has("pledges  pledge:"+id, true)
	}
}
