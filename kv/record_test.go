package kv_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/memkv"
)

// ticket is a record type of an older release.
type ticket struct {
	hidden int    //nolint:unused // unexported fields are not in the record
	Local  int    `json:"-"`
	Seat   string `json:"seat,omitempty"`
	Cents
	Guest  *guest           `json:"guest,omitempty"`
	Paid   []payment        `json:"paid,omitempty"`
	Notes  []guest          `json:"notes,omitempty"`
	Halls  map[string]guest `json:"halls,omitempty"`
	Counts map[string]int   `json:"counts,omitempty"`
	At     *time.Time       `json:"at,omitempty"`
}

type Cents struct {
	Price int `json:"price,omitempty"`
}

type guest struct {
	Name string `json:"name,omitempty"`
}

type payment struct {
	Try int  `json:"try" kv:"id"`
	OK  bool `json:"ok,omitempty"`
}

// attempt is a record that is replaced by a new entity when its number changes.
type attempt struct {
	Version int       `json:"version,omitempty" kv:"version"`
	Number  int       `json:"number" kv:"id"`
	State   string    `json:"state,omitempty"`
	Past    []payment `json:"past,omitempty"`
}

// embeddingRecord is a record without omitempty and with every way to embed a struct.
type embeddingRecord struct {
	Grade
	Cents `json:"cost"`
	*Booking
	Host   guest
	Guest  *guest           `json:"guest"`
	Visits []visit          `json:"visits"`
	Halls  map[string]guest `json:"halls"`
}

type Grade int

type Booking struct {
	Buyer guest `json:"buyer"`
}

// visit has no id tag, so it is compared by all known members.
type visit struct {
	Day    string  `json:"day"`
	Guide  *guest  `json:"guide"`
	Guests []guest `json:"guests"`
}

// written returns the stored record after an older release has read, changed and saved
// it.
func written[T any](t *testing.T, stored string, change func(*T)) string {
	t.Helper()
	ctx, s := context.Background(), memkv.New(memkv.Options{Now: func() time.Time { return now }}).Store("")
	if err := s.Apply(ctx, []kv.Write{kv.Put("k", []byte(stored))}); err != nil {
		t.Fatal(err)
	}
	v, _, err := kv.Read[T](ctx, s, "k")
	if err != nil {
		t.Fatal(err)
	}
	change(&v)
	if err := kv.Save(ctx, s, "k", v); err != nil {
		t.Fatal(err)
	}
	b, err := s.Get(ctx, "k")
	if err != nil || !json.Valid(b) {
		t.Fatalf("%s, %v", b, err)
	}
	return string(b)
}

func TestSave_KeepsUnknownMembers(t *testing.T) {
	nothing := func(*ticket) {}
	for name, c := range map[string]struct {
		stored string
		change func(*ticket)
		want   string
	}{
		"no unknown members": {`{"seat":"A1"}`, func(v *ticket) { v.Seat = "A2" }, `{"seat":"A2"}`},
		"unknown member": {`{"row":{"n":[1,"a\"}b"]},"seat":"A1"}`,
			func(v *ticket) { v.Seat = "A2" }, `{"seat":"A2","row":{"n":[1,"a\"}b"]}}`},
		"only unknown members": {` { "row" : 7 } `, nothing, `{"row":7}`},
		"next to an embedded struct": {`{"price":5,"row":null}`, func(v *ticket) { v.Price = 6 },
			`{"price":6,"row":null}`},
		"named like an embedded or ignored field": {`{"Local":5,"hidden":6}`, nothing, `{"Local":5,"hidden":6}`},
		"known member removed":                    {`{"seat":"A1","row":7}`, func(v *ticket) { v.Seat = "" }, `{"row":7}`},
		"nested, unchanged": {`{"guest":{"age":9,"name":"Ada"},"seat":"A1"}`,
			func(v *ticket) { v.Seat = "A2" }, `{"seat":"A2","guest":{"name":"Ada","age":9}}`},
		"nested, replaced": {`{"guest":{"name":"Ada","age":9}}`,
			func(v *ticket) { v.Guest = &guest{Name: "Eve"} }, `{"guest":{"name":"Eve"}}`},
		"nested, removed": {`{"guest":{"name":"Ada","age":9}}`,
			func(v *ticket) { v.Guest = nil }, `{}`},
		"list element with id": {`{"paid":[{"try":1,"by":"x"},{"by":"y","try":2}]}`,
			func(v *ticket) { v.Paid[0].OK = true }, `{"paid":[{"try":1,"ok":true,"by":"x"},{"try":2,"by":"y"}]}`},
		"list element with id, first one removed": {`{"paid":[{"try":1,"by":"x"},{"try":2,"by":"y"}]}`,
			func(v *ticket) { v.Paid = append(v.Paid[1:], payment{Try: 3}) }, `{"paid":[{"try":2,"by":"y"},{"try":3}]}`},
		"list element without id": {`{"notes":[{"name":"a","n":1},{"name":"a","n":2},{"name":"b","n":3},{"name":"c","n":4}]}`,
			func(v *ticket) { v.Notes[2].Name = "d"; v.Notes[0], v.Notes[3] = v.Notes[3], v.Notes[0] },
			`{"notes":[{"name":"c","n":4},{"name":"a","n":1},{"name":"d"},{"name":"a","n":2}]}`},
		"map value": {`{"halls":{"x":{"name":"X","n":1},"y":{"name":"Y","n":2}}}`,
			func(v *ticket) { delete(v.Halls, "y"); v.Halls["x"] = guest{Name: "Z"} }, `{"halls":{"x":{"name":"Z","n":1}}}`},
		"map of plain values": {`{"counts":{"x":1,"y":2},"n":1}`, func(v *ticket) { delete(v.Counts, "y") },
			`{"counts":{"x":1},"n":1}`},
		"next to null": {`{"guest":null,"paid":null,"halls":null,"n":1}`, nothing, `{"n":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, written(t, c.stored, c.change)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Unknown members are preserved for every form of struct field and for JSON formatted
// by another writer; null and empty values stay as they are.
func TestSave_KeepsUnknownMembersOfEveryFieldForm(t *testing.T) {
	const empty = `"guest":null,"visits":null,"halls":null`
	for name, c := range map[string]struct {
		stored string
		change func(*embeddingRecord)
		want   string
	}{
		"all members known": {`{"Grade":1,"cost":{"price":5},"buyer":{"name":"a"},"Host":{"name":"b"}}`,
			func(v *embeddingRecord) { v.Grade, v.Price, v.Buyer.Name, v.Host.Name = 2, 6, "c", "d" },
			`{"Grade":2,"cost":{"price":6},"buyer":{"name":"c"},"Host":{"name":"d"},` + empty + `}`},
		"unknown members everywhere": {`{"Grade":1,"cost":{"price":5,"n":1},"buyer":{"name":"a","n":2},"Host":{"n":3,"name":"b","m":4}}`,
			func(v *embeddingRecord) { v.Grade = 2 },
			`{"Grade":2,"cost":{"price":5,"n":1},"buyer":{"name":"a","n":2},"Host":{"name":"b","n":3,"m":4},` + empty + `}`},
		"next to empty structs": {`{"Grade":0,"cost":{},"Host":{},` + empty + `,"n":1}`, func(*embeddingRecord) {},
			`{"Grade":0,"cost":{},"Host":{},` + empty + `,"n":1}`},
		"next to empty values": {`{"Grade":0,"cost":{},"Host":{},"guest":{},"visits":[],"halls":{},"n":[]}`,
			func(*embeddingRecord) {},
			`{"Grade":0,"cost":{},"Host":{},"guest":{},"visits":[],"halls":{},"n":[]}`},
		"list with other formatting": {`{"visits":[ { "n" : 1 , "guests" : [ { "m" : 2 , "name" : "a" } , { } ] , "guide" : null , "day" : "mo" } ]}`,
			func(v *embeddingRecord) { v.Visits = append([]visit{{Day: "su"}}, v.Visits...) },
			`{"Grade":0,"cost":{},"Host":{},"guest":null,"visits":[{"day":"su","guide":null,"guests":null},` +
				`{"day":"mo","guide":null,"guests":[{"name":"a","m":2},{}],"n":1}],"halls":null}`},
		"list with null replaced by empty": {`{"visits":[{"day":"mo","guide":null,"guests":null,"n":1},{"day":"tu","guide":null,"guests":null,"n":2},{"day":"we","guide":null,"guests":null,"n":3}]}`,
			func(v *embeddingRecord) { v.Visits[0].Guide, v.Visits[1].Guests = &guest{}, []guest{} },
			`{"Grade":0,"cost":{},"Host":{},"guest":null,"visits":[{"day":"mo","guide":{},"guests":null},` +
				`{"day":"tu","guide":null,"guests":[]},{"day":"we","guide":null,"guests":null,"n":3}],"halls":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, written(t, c.stored, c.change)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// thread is a recursive type.
type thread struct {
	Title   string    `json:"title" kv:"id"`
	Read    bool      `json:"read,omitempty"`
	Answers *[]thread `json:"answers,omitempty"`
}

func TestSave_RecursiveType(t *testing.T) {
	stored := `{"title":"a","answers":[{"title":"b","n":1,"answers":[{"title":"c","n":2}]}]}`
	got := written(t, stored, func(v *thread) { (*(*v.Answers)[0].Answers)[0].Read = true })
	if want := `{"title":"a","answers":[{"title":"b","answers":[{"title":"c","read":true,"n":2}],"n":1}]}`; got != want {
		t.Error(cmp.Diff(want, got))
	}
}

func TestSave_NewIdentityDropsUnknownMembers(t *testing.T) {
	const stored = `{"number":1,"state":"sent","past":[{"try":1,"by":"x"}],"form":"old"}`
	if got := written(t, stored, func(v *attempt) { v.State = "done" }); got != `{"number":1,"state":"done","past":[{"try":1,"by":"x"}],"form":"old"}` {
		t.Error(got)
	}
	if got := written(t, stored,
		func(v *attempt) { v.Number, v.State = 2, "" }); got != `{"number":2,"past":[{"try":1,"by":"x"}]}` {
		t.Error(got)
	}
	if got := written(t, `[{"name":"Ada","age":9},{"name":"Eve"}]`,
		func(v *[]guest) { *v = (*v)[:1] }); got != `[{"name":"Ada","age":9}]` {
		t.Error(got)
	}
}

// Reading or writing a record of a newer major version is refused with an error that
// names it.
//
// Proves VER-03.
func TestDecode_NewerMajorVersionIsRefused(t *testing.T) {
	ctx, s := context.Background(), memkv.New(memkv.Options{Now: func() time.Time { return now }}).Store("")
	for stored, want := range map[string]string{
		`{"seat":7,"recordVersion":2}`: `record "ticket:1" (kv_test.ticket) has version 2, but this program reads up to version 1`,
		`{"recordVersion":"new"}`:      `has version "new", but this program reads up to version 1`,
		`{"recordVersion":1}`:          "",
		`{"version":2}`:                "", // a plain member of this type, not the marker
	} {
		if err := s.Apply(ctx, []kv.Write{kv.Put("ticket:1", []byte(stored))}); err != nil {
			t.Fatal(err)
		}
		_, _, read := kv.Read[*ticket](ctx, s, "ticket:1")
		save := kv.Save(ctx, s, "ticket:1", ticket{Seat: "A1"})
		for what, err := range map[string]error{"read": read, "written": save} {
			if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s, %s: %v, want %q", stored, what, err, want)
			}
		}
		if b, _ := s.Get(ctx, "ticket:1"); want != "" && string(b) != stored {
			t.Errorf("the refused record was changed to %s", b)
		}
	}
	if _, err := kv.Decode[attempt]("a", []byte(`{"version":2,"number":1}`)); err == nil ||
		!strings.Contains(err.Error(), `(kv_test.attempt) has version 2`) {
		t.Errorf("with a tagged version member: %v", err)
	}
}

// Invalid JSON is overwritten completely.
func TestSave_OverwritesInvalidJSON(t *testing.T) {
	ctx, s := context.Background(), memkv.New(memkv.Options{Now: func() time.Time { return now }}).Store("")
	for _, stored := range []string{``, ` `, `{`, `{"`, `{"row`, `{"row":`, `{"row":{"n":1}`, `{"paid":`,
		`{"paid":[,{"n":1}]}`, `[`, `[,{"n":1}]`, `[{"n":1}`, `none`} {
		for want, v := range map[string]any{`{"seat":"A1"}`: ticket{Seat: "A1"}, `[{}]`: []guest{{}}} {
			if err := s.Apply(ctx, []kv.Write{kv.Put("k", []byte(stored))}); err != nil {
				t.Fatal(err)
			}
			if err := kv.Save(ctx, s, "k", v); err != nil {
				t.Errorf("over %s: %v", stored, err)
			}
			if b, err := s.Get(ctx, "k"); string(b) != want || err != nil {
				t.Errorf("over %s: %s, %v, want %s", stored, b, err, want)
			}
		}
	}
}

func FuzzSave_KeepsUnknownMembers(f *testing.F) {
	for _, stored := range []string{`{"seat":"A1","row":[{}]}`, `{"guest":{"name":"\"","a":"\\"},"x":"}"}`,
		`{"paid":[{"try":1,"b":[]}],"":{}}`, `{`, `{"`, `[`, `null`, ` {"notes":[{"name":"a","n":1e9}]}`} {
		f.Add(stored)
	}
	f.Fuzz(func(t *testing.T, stored string) {
		var before map[string]any
		if _, err := kv.Decode[ticket]("k", []byte(stored)); err != nil ||
			json.Unmarshal([]byte(stored), &before) != nil || before == nil {
			return
		}
		var after map[string]any
		if err := json.Unmarshal([]byte(written(t, stored, func(*ticket) {})), &after); err != nil {
			t.Fatal(err)
		}
		for name, v := range before {
			if strings.EqualFold(name, "at") || strings.EqualFold(name, "price") || strings.EqualFold(name, "seat") ||
				strings.EqualFold(name, "guest") ||
				strings.EqualFold(name, "paid") || strings.EqualFold(name, "notes") || strings.EqualFold(name, "halls") ||
				strings.EqualFold(name, "counts") {
				continue
			}
			if diff := cmp.Diff(v, after[name]); diff != "" {
				t.Errorf("%q: %s", name, diff)
			}
		}
	})
}
