package marketing_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/admin/marketing"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// fixture manages referrals in memory, with a fake clock.
type fixture struct {
	*marketing.Referrals
	t   *testing.T
	db  *memkv.DB
	now time.Time
	cut func(memkv.Op) error
}

func newFixture(t *testing.T) *fixture {
	d := &fixture{t: t, now: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	class := kv.NewClass("referrals")
	marketing.Register(class)
	d.db = memkv.New(memkv.Options{Now: func() time.Time { return d.now }, Classes: []*kv.Class{class},
		Fail: func(op memkv.Op) error {
			if d.cut == nil {
				return nil
			}
			return d.cut(op)
		}})
	d.Referrals = &marketing.Referrals{Store: d.db.Store(""), Coordinator: d.db.Coordinator(),
		Class: "referrals", SiteBase: "https://example.org", Rand: rand.Reader}
	return d
}

func (d *fixture) save(slug string, r marketing.Referral) marketing.Referral {
	d.t.Helper()
	saved, err := d.Save(d.t.Context(), slug, r)
	if err != nil {
		d.t.Fatal(err)
	}
	return saved
}

func (d *fixture) list(slug string) []marketing.Referral {
	d.t.Helper()
	all, err := d.List(d.t.Context(), slug)
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// copied returns the Store's copy.
func (d *fixture) copied(slug string) (all []marketing.Referral) {
	d.t.Helper()
	all, _, err := kv.Read[[]marketing.Referral](d.t.Context(), d.db.Store(""), "admin-marketing-referrals:"+slug)
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

func wantFault(t *testing.T, err error, code fault.Code, field string) {
	t.Helper()
	if f := fault.Of(err); f == nil || f.Code != code || f.Field != field {
		t.Errorf("%v, want %s in %q", err, code, field)
	}
}

// Proves MKT-05, KVR-25.
func TestSave(t *testing.T) {
	d := newFixture(t)
	ada := d.save("film", marketing.Referral{Code: "ada-l", Name: " Ada Lovelace ", UTMSource: "news",
		UTMMedium: "mail", UTMCampaign: "launch", UTMContent: "top"})
	const link = "/campaigns/film/?ref=ada-l&utm_campaign=launch&utm_content=top&utm_medium=mail&utm_source=news"
	want := marketing.Referral{
		Code: "ada-l", Name: "Ada Lovelace", UTMSource: "news", UTMMedium: "mail", UTMCampaign: "launch", UTMContent: "top",
		Links:    marketing.Links{English: "https://example.org" + link, Spanish: "https://example.org/es" + link},
		QR:       "https://example.org" + link,
		Revision: 1, CreatedAt: d.now, UpdatedAt: d.now,
	}
	if diff := cmp.Diff(want, ada); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	began := d.now
	d.now = d.now.Add(time.Hour)
	d.save("film", marketing.Referral{Code: "Zoe", Name: "Zoe"})
	ada.Name, ada.UTMSource = "Ada", ""
	ada = d.save("film", ada)
	if ada.Revision != 2 || !ada.CreatedAt.Equal(began) || !ada.UpdatedAt.Equal(d.now) ||
		strings.Contains(ada.Links.English, "source") {
		t.Errorf("%+v", ada)
	}
	all := d.list("film")
	if len(all) != 2 || all[1] != ada && all[0] != ada || len(d.list("game")) != 0 {
		t.Errorf("%+v", all)
	}
	if diff := cmp.Diff(all, d.copied("film")); diff != "" {
		t.Errorf("the copy: %s", diff)
	}
	if err := d.Remove(t.Context(), "film", "Zoe", 1); err != nil {
		t.Fatal(err)
	}
	if all := d.list("film"); len(all) != 1 || len(d.copied("film")) != 1 {
		t.Errorf("%+v", all)
	}
}

// One of two concurrent editors gets a conflict, and the other's change is saved completely.
func TestSave_ConcurrentEdits(t *testing.T) {
	d := newFixture(t)
	r := d.save("film", marketing.Referral{Code: "ada", Name: "Ada"})
	mine, theirs := r, r
	mine.Name, theirs.Name = "Mine", "Theirs"
	d.save("film", mine)
	_, err := d.Save(t.Context(), "film", theirs)
	wantFault(t, err, fault.Conflict, "revision")
	wantFault(t, d.Remove(t.Context(), "film", "ada", 1), fault.Conflict, "revision")
	_, err = d.Save(t.Context(), "film", marketing.Referral{Code: "ada", Name: "Another"})
	wantFault(t, err, fault.Conflict, "code")
	_, err = d.Save(t.Context(), "film", marketing.Referral{Code: "zoe", Name: "Zoe", Revision: 1})
	wantFault(t, err, fault.NotFound, "code")
	wantFault(t, d.Remove(t.Context(), "film", "zoe", 1), fault.NotFound, "code")
	if all := d.list("film"); len(all) != 1 || all[0].Name != "Mine" {
		t.Errorf("%+v", all)
	}
}

func TestSave_Rejects(t *testing.T) {
	d := newFixture(t)
	for field, r := range map[string]marketing.Referral{
		"name":        {Code: "ada", Name: "\n"},
		"code":        {Code: "a/b", Name: "Ada"},
		"utmSource":   {Code: "ada", Name: "Ada", UTMSource: "<b>"},
		"utmMedium":   {Code: "ada", Name: "Ada", UTMMedium: "ä"},
		"utmCampaign": {Code: "ada", Name: "Ada", UTMCampaign: " x"},
		"utmContent":  {Code: "ada", Name: "Ada", UTMContent: strings.Repeat("x", 65)},
	} {
		_, err := d.Save(t.Context(), "film", r)
		wantFault(t, err, fault.Invalid, field)
	}
	for _, name := range []string{"<script>", "a\u202eb", "a\x00b", strings.Repeat("x", 101), "\xff"} {
		_, err := d.Save(t.Context(), "film", marketing.Referral{Code: "ada", Name: name})
		wantFault(t, err, fault.Invalid, "name")
	}
	_, err := d.Save(t.Context(), "film", marketing.Referral{Name: "Ada"})
	wantFault(t, err, fault.Invalid, "code")
	if b, _ := json.Marshal(d.db.Snapshot().Stores); strings.Contains(string(b), "admin-marketing") {
		t.Errorf("a rejected referral was written: %s", b)
	}
	for n := range 200 {
		d.save("film", marketing.Referral{Code: fmt.Sprint(n), Name: "Ada"})
	}
	_, err = d.Save(t.Context(), "film", marketing.Referral{Code: "more", Name: "Ada"})
	wantFault(t, err, fault.Conflict, "")
	if _, err := d.Save(t.Context(), "film", marketing.Referral{Code: "7", Name: "Ben", Revision: 1}); err != nil {
		t.Errorf("could not change a referral at the limit: %v", err)
	}
}

// A copy that is stale after a crash is repaired by the next change.
func TestSave_RepairsCopy(t *testing.T) {
	d := newFixture(t)
	died := errors.New("simulated crash")
	d.cut = func(op memkv.Op) error {
		if op.Kind == memkv.OpPut && !op.After {
			return died
		}
		return nil
	}
	if _, err := d.Save(context.Background(), "film",
		marketing.Referral{Code: "ada", Name: "Ada"}); !errors.Is(err, died) {
		t.Fatal(err)
	}
	d.cut = nil
	if len(d.list("film")) != 1 || len(d.copied("film")) != 0 {
		t.Fatal("the crash left no stale copy")
	}
	d.save("film", marketing.Referral{Code: "ben", Name: "Ben"})
	if len(d.copied("film")) != 2 {
		t.Errorf("%+v", d.copied("film"))
	}
}
