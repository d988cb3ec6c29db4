package reminder_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// storedRecord is a record without the parts that differ between runs.
type storedRecord struct {
	Key    string
	Fields map[string]any // of a JSON object
	Value  any            // of any other value
	Life   time.Duration  // 0 for no expiry
}

var (
	fingerprint = regexp.MustCompile(`\b[0-9a-f]{32,64}\b`)
	campaigns   = regexp.MustCompile(`:[0-9a-f]{16}$`)
)

// records returns the records under a prefix, with the named fields.
func (w *fixture) records(prefix string, fields ...string) (out []storedRecord) {
	w.t.Helper()
	all := w.db.Snapshot()
	for _, e := range all.Stores[""] {
		if !strings.HasPrefix(e.Key, prefix) {
			continue
		}
		k := storedRecord{Key: campaigns.ReplaceAllString(fingerprint.ReplaceAllString(e.Key, "{address}"), ":{campaigns}")}
		if end, ends := all.Expires[""][e.Key]; ends {
			k.Life = end.Sub(w.now)
		}
		if json.Unmarshal(e.Value, &k.Fields) != nil {
			w.ok(json.Unmarshal(e.Value, &k.Value))
		}
		for name := range k.Fields {
			if !slices.Contains(fields, name) {
				delete(k.Fields, name)
			}
		}
		out = append(out, k)
	}
	return out
}

func (w *fixture) wantRecords(what string, got []storedRecord, want ...storedRecord) {
	w.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// The records of a launch reminder from the sign-up to the mail, with their keys and lifetimes.
//
// Proves KVR-31, KVR-33, KVR-34, KVR-35.
func TestLaunches_Records(t *testing.T) {
	w := newFixture(t)
	w.signUp(ada)
	w.signUp("ben@example.org")
	w.now = launchDay.Add(10 * time.Minute)
	w.ok(w.launches.Queue(t.Context(), 90*time.Minute))
	w.wantRecords("queued", w.records("launch-reminder-dispatch-queue:v1"),
		storedRecord{Key: "launch-reminder-dispatch-queue:v1", Value: []any{"film"}})
	waiting := w.records("launch-reminder:", "email", "preferredLang")
	slices.SortFunc(waiting,
		func(a, b storedRecord) int { return len(a.Fields["email"].(string)) - len(b.Fields["email"].(string)) })
	if len(waiting) != 2 || waiting[0].Key != "launch-reminder:film:{address}" ||
		waiting[0].Fields["email"] != ada || waiting[0].Life <= 0 {
		t.Errorf("waiting: %+v", waiting)
	}
	w.ok(w.launches.Dispatch(t.Context(), 1))
	cursor := w.records("launch-reminder-dispatch:", "cursor")
	if len(cursor) != 1 || cursor[0].Key != "launch-reminder-dispatch:film" ||
		cursor[0].Fields["cursor"] == "" || cursor[0].Fields["cursor"] == nil {
		t.Errorf("during the dispatch: %+v", cursor)
	}
	w.advance(10)
	sent := w.records("launch-reminder-sent:")
	if len(sent) != 2 || sent[0].Key != "launch-reminder-sent:film:{address}" || sent[0].Life <= 0 {
		t.Errorf("sent: %+v", sent)
	}
	w.wantRecords("queued after it", w.records("launch-reminder-dispatch-queue:v1"))
	if mails := w.drain(); len(mails) != 2 {
		t.Errorf("%d mails", len(mails))
	}
}

// The records of an abandoned checkout and of its reminder.
//
// Proves KVR-36, KVR-37, KVR-38, KVR-41, KVR-42, KVR-43.
func TestCarts_Records(t *testing.T) {
	w := open(t)
	w.abandonCheckout(ada, "pw-1", "film")
	const fortnight = 14 * 24 * time.Hour
	w.wantRecords("left", w.records("abandoned-cart:", "orderId", "email", "campaigns"),
		storedRecord{Key: "abandoned-cart:pw-1", Life: fortnight,
			Fields: map[string]any{"orderId": "pw-1", "email": ada, "campaigns": []any{"film"}}})
	w.wantRecords("to resume", w.records("abandoned-cart-resume:", "cart", "campaigns"),
		storedRecord{Key: "abandoned-cart-resume:pw-1", Life: fortnight,
			Fields: map[string]any{"cart": "film__seat*2", "campaigns": []any{"film"}}})
	due := openDay.Add(6 * time.Hour).Format(time.RFC3339)
	w.wantRecords("the queue", w.records("abandoned-cart-queue:v1"),
		storedRecord{Key: "abandoned-cart-queue:v1", Value: due},
		storedRecord{Key: "abandoned-cart-queue:v1:" + due + ":pw-1", Life: fortnight, Fields: map[string]any{}})
	w.wantRecords("the counts", w.records("abandoned-cart-health:v1", "queued"),
		storedRecord{Key: "abandoned-cart-health:v1", Fields: map[string]any{"queued": 1.0}})
	w.advance(361)
	if mails := w.drain(); len(mails) != 1 {
		t.Fatalf("%d mails", len(mails))
	}
	w.wantRecords("after the mail", w.records("abandoned-cart:"))
	w.wantRecords("the queue after the mail", w.records("abandoned-cart-queue:v1:"))
	sent := w.records("abandoned-cart-sent:")
	if len(sent) != 1 || sent[0].Key != "abandoned-cart-sent:{address}:{campaigns}" || sent[0].Life <= 0 {
		t.Errorf("sent: %+v", sent)
	}
	film := sha256.Sum256([]byte("film")) // other supporters and other campaigns have other keys
	want := []string{"abandoned-cart-sent:" + w.carts.Suppressions.Address(ada) + ":" + hex.EncodeToString(film[:8])}
	if diff := cmp.Diff(want, w.keys("abandoned-cart-sent:")); diff != "" {
		t.Errorf("the marker (-want +got):\n%s", diff)
	}
	w.wantRecords("the counts after the mail", w.records("abandoned-cart-health:v1", "queued", "sent"),
		storedRecord{Key: "abandoned-cart-health:v1", Fields: map[string]any{"queued": 1.0, "sent": 1.0}})
	w.now = openDay.Add(fortnight)
	w.wantRecords("a fortnight later", w.records("abandoned-cart-resume:"))
}
