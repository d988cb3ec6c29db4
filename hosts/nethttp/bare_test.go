package nethttp_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/pledge"
)

// naiveServer is a server for comparison with the same routes, processor, durability and records,
// but each write is a separate transaction. It validates little, computes nothing, and guarantees
// nothing after a crash between two writes.
type naiveServer struct {
	*subject
	processor psp.Processor
	// write runs one transaction; its parameters are ?1, ?2 and so on.
	write func(query string, args ...any) error
}

const plainSchema = `
CREATE TABLE orders (id TEXT PRIMARY KEY, email TEXT, cart TEXT, amount INTEGER, session TEXT, state TEXT);
CREATE TABLE stock (campaign TEXT, tier TEXT, held INTEGER, sold INTEGER, PRIMARY KEY (campaign, tier));
CREATE TABLE stats (campaign TEXT PRIMARY KEY, pledged INTEGER, count INTEGER);
CREATE TABLE emails (email TEXT, pledge TEXT, PRIMARY KEY (email, pledge));
CREATE TABLE campaigns (campaign TEXT, pledge TEXT, PRIMARY KEY (campaign, pledge));
CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT, expires INTEGER);
INSERT INTO stock VALUES ('bench', 'seat', 0, 0), ('bench', 'few', 0, 0);
INSERT INTO stats VALUES ('bench', 0, 0);`

func bare(b *testing.B) *subject {
	return newSubject(b, func(s *subject) http.Handler {
		conn, err := sqlite.OpenConn(filepath.Join(b.TempDir(), "bare.db"), sqlite.OpenReadWrite,
			sqlite.OpenCreate, sqlite.OpenWAL)
		check(b, err)
		b.Cleanup(func() { check(b, conn.Close()) })
		check(b, sqlitex.ExecuteTransient(conn, "PRAGMA synchronous = FULL", nil))
		check(b, sqlitex.ExecuteScript(conn, plainSchema, nil))
		var mu sync.Mutex
		return s.plain(func(query string, args ...any) error {
			mu.Lock()
			defer mu.Unlock()
			return sqlitex.Execute(conn, query, &sqlitex.ExecOptions{Args: args})
		})
	})
}

func (s *subject) plain(write func(query string, args ...any) error) http.Handler {
	p := &naiveServer{subject: s, processor: s.sim.Processor(), write: write}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /checkout-intent/start", p.start)
	mux.HandleFunc("POST /webhooks/psp", p.webhook)
	return mux
}

func (p *naiveServer) all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (p *naiveServer) start(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var cart struct {
		Email string
		Items []struct {
			ID       string
			Quantity int
		}
	}
	if err := json.Unmarshal(body, &cart); err != nil || len(cart.Items) == 0 {
		http.Error(w, "bad cart", http.StatusBadRequest)
		return
	}
	id := rand.Text()
	var customer string
	var session psp.Session
	err = p.all(
		func() error {
			return p.write("INSERT INTO orders VALUES (?1, ?2, ?3, ?4, '', 'open')", id, cart.Email, string(body), 10000)
		},
		func() error {
			return p.write("UPDATE stock SET held = held + 2 WHERE campaign = 'bench' AND tier = 'seat'")
		},
		func() error {
			return p.write("UPDATE stock SET held = held + 1 WHERE campaign = 'bench' AND tier = 'few'")
		},
		func() (err error) {
			customer, err = p.processor.CreateCustomer(r.Context(), psp.NewCustomer{Key: "c" + id, Email: cart.Email})
			return err
		},
		func() (err error) {
			session, err = p.processor.StartSetup(r.Context(), psp.NewSetup{
				Key: "s" + id, CustomerID: customer, UIMode: psp.Custom, ReturnURL: "http://site.example/", Locale: "en",
				Expires: time.Now().Add(time.Hour), Metadata: map[string]string{"orderId": id},
			})
			return err
		},
		func() error { return p.write("UPDATE orders SET session = ?1 WHERE id = ?2", session.ID, id) },
		func() error { return p.put("checkout-intent:"+id, p.manifest()) },
		func() error { return p.put("pending-extras:"+id, string(body)) },
		func() error { return p.put("pending-tiers:"+id, string(body)) },
	)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).
		Encode(map[string]string{"orderId": id, "sessionId": session.ID, "clientSecret": session.ClientSecret})
}

func (p *naiveServer) put(key, value string) error {
	return p.write("INSERT INTO records VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires",
		key, value, time.Now().Add(time.Hour).Unix())
}

func (p *naiveServer) drop(key string) error {
	return p.write("DELETE FROM records WHERE key = ?1", key)
}

// manifest and record return values as long as the service's.
func (p *naiveServer) manifest() string { return strings.Repeat("m", 2000) }

func (p *naiveServer) record(id string, session psp.Session) (string, error) {
	b, err := json.Marshal(pledge.Pledge{OrderID: id, CustomerID: session.CustomerID,
		PaymentMethodID: session.PaymentMethodID})
	return string(b) + strings.Repeat(" ", 1000), err
}

func (p *naiveServer) webhook(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	hint, err := p.processor.Verify(body, r.Header.Get("Psp-Signature"), p.secret, time.Now())
	if err != nil {
		http.Error(w, "signature", http.StatusUnauthorized)
		return
	}
	session, err := p.processor.Session(r.Context(), hint.ObjectID)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	id, now := session.Metadata["orderId"], time.Now().Unix()
	record, err := p.record(id, session)
	if err != nil {
		return
	}
	err = p.all(
		func() error { return p.put("pledge:"+id, record) },
		func() error { return p.write("INSERT INTO emails SELECT email, id FROM orders WHERE id = ?1", id) },
		func() error { return p.write("INSERT INTO campaigns VALUES ('bench', ?1)", id) },
		func() error {
			return p.write("UPDATE stock SET held = held - 2, sold = sold + 2 WHERE campaign = 'bench' AND tier = 'seat'")
		},
		func() error {
			return p.write("UPDATE stock SET held = held - 1, sold = sold + 1 WHERE campaign = 'bench' AND tier = 'few'")
		},
		func() error {
			return p.write("UPDATE stats SET pledged = pledged + 10000, count = count + 1 WHERE campaign = 'bench'")
		},
		func() error { return p.put("tier-inventory:bench", record) },
		func() error { return p.write("UPDATE orders SET state = 'confirmed' WHERE id = ?1", id) },
		func() error { return p.put("email-outbox:v1:"+id, record) },
		func() error { return p.put("email-delivery:v1:"+id, "queued") },
		func() error { return p.drop("pending-extras:" + id) },
		func() error { return p.drop("pending-tiers:" + id) },
		func() error { return p.put("checkout-intent:"+id, p.manifest()) },
		func() error { return p.put(fmt.Sprintf("processor-event:v1:%d:%s", now, hint.EventID), "evidence") },
		func() error { return p.put("psp-event:"+hint.EventID, "processed") },
	)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"received":true}`)
}
