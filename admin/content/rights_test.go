package content_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pledgeworks/pledgeworks/admin/content"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// rights allow a caller to read and write the fields with the given prefixes.
type rights struct{ read, write []string }

func (r rights) Read(_, path string) error  { return allowed(r.read, path) }
func (r rights) Write(_, path string) error { return allowed(r.write, path) }

func allowed(all []string, path string) error {
	if slices.ContainsFunc(all, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
		return nil
	}
	return fault.New(fault.Forbidden, "No").In(path)
}

func TestAs_Drafts(t *testing.T) {
	d := newFixture(t)
	may := d.As(rights{read: []string{"title", "goal"}, write: []string{"title", "short_blurb"}})
	before := string(d.bytes(ferryFile))
	for path, value := range map[string]string{
		"goal_amount": "7", "short_blurb": `"New"`, "tiers[poster].price": "5", "body": `"New"`,
	} {
		for name, err := range map[string]error{
			"publish": second(may.Publish(ctx, by("Ana", "x"),
				draft(edit("title", `"Night Ferry"`, `"Day"`), edit(path, "null", value)))),
			"preview": second(may.Preview(ctx, draft(edit(path, "null", value)))),
			"draw":    second(may.WithDraft(ctx, draft(edit(path, "null", value)))),
		} {
			if !fault.Is(err, fault.Forbidden) || fault.Of(err).Field != path {
				t.Errorf("%s of %s: %v", name, path, err)
			}
		}
	}
	if _, err := may.Preview(ctx, draft(edit(strings.Repeat("a", 400), "null", "1"))); !fault.Is(err, fault.Invalid) ||
		len(err.Error()) > 200 {
		t.Errorf("invalid path: %v", err)
	}
	if now := string(d.bytes(ferryFile)); now != before {
		t.Errorf("a rejected draft was written: %s", now)
	}
	if _, err := may.Publish(ctx, by("Ana", "y"), draft(edit("title", `"Night Ferry"`, `"Day"`))); err != nil {
		t.Error(err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestAs_Open(t *testing.T) {
	d := newFixture(t)
	o, err := d.As(rights{read: []string{"title", "tiers", "platform.name", "pricing"}}).Open(ctx, ferryFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(o.Fields)
	if want := `{"title":"Night Ferry","tiers":[{"name":"Early Bird","price":10},{"name":"Poster","price":30,"category":"digital"}]}`; err != nil ||
		string(got) != want {
		t.Errorf("the fields are %s, %v, want %s", got, err, want)
	}
	d.mustPublish(content.Draft{File: content.SettingsFile, Edits: []content.Edit{
		edit("platform.site_url", "null", `"https://a.example"`), edit("tax.collect", "null", `"CA"`),
		edit("pricing.sales_tax_rate", "null", "0.1"),
	}})
	o, err = d.As(rights{read: []string{"platform.name", "pricing"}}).Open(ctx, content.SettingsFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err = json.Marshal(o.Fields)
	if want := `{"platform":{"name":"Stage"},"pricing":{"sales_tax_rate":0.1}}`; err != nil || string(got) != want {
		t.Errorf("the settings are %s, %v, want %s", got, err, want)
	}
}

// The history contains no values of hidden fields, neither in changes nor in messages.
func TestAs_History(t *testing.T) {
	d := newFixture(t)
	if _, err := d.Publish(ctx, by("Ana", "a"), draft(edit("creator_name", "null", `"Secret Studio"`))); err != nil {
		t.Fatal(err)
	}
	both := draft(edit("creator_name", `"Secret Studio"`, `"Hidden Studio"`),
		edit("title", `"Night Ferry"`, `"Day Ferry"`))
	if _, err := d.Publish(ctx, by("Ana", "b"), both); err != nil {
		t.Fatal(err)
	}
	all, err := d.History(ctx, ferryFile, 2)
	if err != nil || !strings.Contains(all[0].Message, "Hidden Studio") || len(all[0].Changes) != 3 {
		t.Fatalf("the whole history is %+v, %v", all, err)
	}
	some, err := d.As(rights{read: []string{"title"}}).History(ctx, ferryFile, 2)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(some)
	if err != nil || strings.Contains(string(text), "Studio") ||
		len(some[0].Changes) != 1 || !strings.Contains(some[0].Message, "Day Ferry") ||
		some[1].Message != "night-ferry: change fields that you do not have access to" {
		t.Errorf("the history is %s, %v", text, err)
	}
}
