package content_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/admin/repository/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

var ctx = context.Background()

const (
	ferryFile = "campaigns/night-ferry.md"
	ferry     = `---
# A film.
title: Night Ferry
start_date: 2026-11-02   # a Monday
goal_deadline: 2026-12-18
goal_amount: 25000
short_blurb: A film about a boat.
hero_image: /assets/images/campaigns/night-ferry/hero.jpg
hero_image_alt: A boat at night
creator_image: /assets/images/defaults/creator.jpg
tiers:
  - name: Early Bird
    price: 10
  - name: Poster   # signed
    price: 30
    category: digital
---

The film.
`
	other = "---\ntitle: Slow Weather\nstart_date: 2026-11-02\ngoal_deadline: 2026-12-18\ngoal_amount: 900\ncreator_image: /assets/images/defaults/creator.jpg\n---\n"
)

// fixture is a repository with two campaigns and a service for it.
type fixture struct {
	*content.Service
	t       testing.TB
	repo    *memory.Repository
	claims  inventory.Snapshot
	answers map[string]int // by decision
	now     time.Time
	n       int
	promise error
}

func newFixture(t testing.TB) *fixture {
	d := &fixture{t: t, now: time.Date(2026, 10, 1, 12, 0, 0, 0, time.UTC), repo: memory.New(map[string][]byte{
		ferryFile: []byte(ferry), "campaigns/slow-weather.md": []byte(other),
		"site.yml": []byte("platform:\n  name: Stage # ours\n"),
		"assets/images/campaigns/night-ferry/hero.jpg": []byte("hero"),
		"assets/images/campaigns/night-ferry/old.jpg":  []byte("old"),
		"assets/images/defaults/creator.jpg":           []byte("creator"),
	})}
	zone, err := time.LoadLocation("America/Denver")
	if err != nil {
		t.Fatal(err)
	}
	d.Service = &content.Service{
		Repository: d.repo, Catalogue: d.catalogue, Presets: []string{"book"}, Zone: zone,
		Settings: func(src []byte) error {
			if strings.Contains(string(src), "nonsense") {
				return campaign.Problems{{File: "site.yml", Field: "platform.nonsense", Message: "is not a key"}}
			}
			return nil
		},
		Promises:  func(context.Context, *campaign.Catalogue, string) error { return d.promise },
		Claims:    func(context.Context, string) (inventory.Snapshot, error) { return d.claims, nil },
		Answers:   func(context.Context, string) (map[string]int, error) { return d.answers, nil },
		Unsettled: func(context.Context, string) (int, error) { return d.claims.Totals.Pledges(), nil },
		AuditHead: func(context.Context) (string, error) { return "41:9f86", nil },
		Now:       func() time.Time { return d.now },
	}
	return d
}

// setPledged sets the number of pledges, and the claimed units by item.
func (d *fixture) setPledged(pledges int, units map[string]int) {
	d.claims = inventory.Snapshot{Totals: inventory.Totals{Statuses: map[pledge.Status]int{pledge.Active: pledges}},
		Stock: map[string]inventory.Stock{}}
	for item, n := range units {
		d.claims.Stock[item] = inventory.Stock{Committed: n}
	}
}

func (d *fixture) catalogue() *campaign.Catalogue {
	files := fstest.MapFS{}
	all, err := d.repo.Files(ctx, "", "")
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range all {
		files[e.Path] = &fstest.MapFile{Data: d.bytes(e.Path)}
	}
	c, err := campaignfile.Load(files)
	if err != nil {
		d.t.Fatal(err)
	}
	return c
}

func (d *fixture) bytes(path string) []byte {
	f, err := d.repo.File(ctx, "", path)
	if err != nil {
		d.t.Fatal(err)
	}
	return f.Bytes
}

func (d *fixture) has(path string) bool {
	_, err := d.repo.File(ctx, "", path)
	return err == nil
}

func by(name, id string) content.Author {
	return content.Author{Author: repository.Author{Name: name, Email: strings.ToLower(name) + "@example.com"}, ID: id}
}

func edit(path, was, value string) content.Edit {
	return content.Edit{Path: path, Was: json.RawMessage(was), Value: json.RawMessage(value)}
}

func draft(edits ...content.Edit) content.Draft {
	return content.Draft{File: ferryFile, Edits: edits}
}

// mustPublish publishes as Ana.
func (d *fixture) mustPublish(dr content.Draft) content.Published {
	d.t.Helper()
	d.n++
	p, err := d.Publish(ctx, by("Ana", fmt.Sprint("c", d.n)), dr)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func (d *fixture) log() []repository.Commit {
	log, err := d.repo.Log(ctx, "", 1000)
	if err != nil {
		d.t.Fatal(err)
	}
	return log
}

// revision returns the film's revision in the form that pledges store.
func (d *fixture) revision() string {
	c, err := d.catalogue().Campaign("night-ferry")
	if err != nil {
		d.t.Fatal(err)
	}
	return c.Revision
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// isRefused reports whether an error is a conflict that names its fields.
func isRefused(err error) bool {
	var r *content.RefusedError
	return errors.As(err, &r) && len(r.Conflicts) == 1
}

// newest returns the price of a tier in the message of the newest commit about it.
func newest(log []repository.Commit, path string) string {
	tier := strings.TrimSuffix(strings.TrimPrefix(path, "tiers["), "].price")
	for _, c := range log {
		if _, price, ok := strings.Cut(c.Message, "tier "+tier+", price: "); ok {
			_, price, _ = strings.Cut(price, " to $")
			return strings.NewReplacer(",", "", ".00", "").Replace(price)
		}
	}
	return "1"
}
