package records

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A release that is about to be made writes its own file, and the ones before stay.
var write = flag.String("write", "", "write what this release leaves to testdata/`release`.jsonl")

// releases are those whose records are kept, the oldest first.
func releases(t *testing.T) []string {
	t.Helper()
	names := must(filepath.Glob("testdata/*.jsonl"))(t)
	for i, name := range names {
		names[i] = strings.TrimSuffix(filepath.Base(name), ".jsonl")
	}
	if len(names) == 0 {
		t.Fatal("there are no records")
	}
	return names
}

// kind is what a record is one of: "order pledge/", "settlement-group:v1:".
func (r row) kind() string {
	if r.Class != "" {
		before, _, found := strings.Cut(r.Key, "/")
		if found && before == "reconcile" {
			after, _, _ := strings.Cut(r.Key[len("reconcile/"):], "/")
			return r.Class + " reconcile/" + after
		}
		if found {
			before += "/"
		}
		return r.Class + " " + before
	}
	family, rest, _ := strings.Cut(r.Key, ":")
	if strings.HasPrefix(rest, "v1") {
		family += ":v1"
	}
	return family
}

// A record of the last release has no member that this one does not write: none was
// renamed, moved or taken away. Their keys have the markers that they had.
//
// Proves VER-03, VER-04.
func TestThisReleaseWritesEveryMember(t *testing.T) {
	s := newStage(t)
	s.begin()
	now := s.image()
	if *write != "" {
		now.write(t, *write)
	}
	writes := members(now)
	for _, release := range releases(t) {
		for kind, had := range members(read(t, release)) {
			for _, path := range slices.Sorted(maps.Keys(had)) {
				if !writes[kind][path] {
					t.Errorf("%s: %s has %s, and this release does not write it", release, kind, path)
				}
			}
		}
	}
}

// members are the paths of all members of each kind of record.
func members(i image) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, r := range i.Rows {
		if all[r.kind()] == nil {
			all[r.kind()] = map[string]bool{"": true}
		}
		var v any
		if json.Unmarshal(r.value(), &v) == nil && !strings.HasPrefix(r.Key, "~") {
			paths(all[r.kind()], "", v)
		}
	}
	return all
}

func paths(into map[string]bool, at string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			into[at+"."+name] = true
			paths(into, at+"."+name, inner)
		}
	case []any:
		for _, inner := range v {
			paths(into, at, inner)
		}
	}
}

// madeAnew are records that are written whole, of what others say: an older server's
// lacks what only the newer one knows, until that writes it again. What begins anew is
// another thing under its key.
var madeAnew = map[string]string{
	"stats": "derived", "tier-inventory": "derived", "add-on-inventory-sold:v1": "derived", "results": "derived",
	"checkout-intent": "derived",
	"vote":            "another vote", "campaign vote/": "another vote",
	"settlement term": "another term", "settlement reconcile/pass": "another pass", "settlement reconcile/last": "another pass",
	"observed:v1":   "a server's own",
	"pending-tiers": "by campaign", "pending-extras": "by campaign",
	"settlement group/": "the next generation", "settlement-group:v1": "derived",
	"settlement-job": "another job", "settlement job": "another job",
}

// addition is what a later release has added to a record.
const addition = `"later":{"release":[7,"\"}"]}`

// What a later release has added to every record is there when this one has gone on with
// them all, whatever it has changed: checkouts that were open are confirmed, pledges are
// changed and charged, votes and cards replaced, mails sent, books reconciled.
//
// Proves VER-04.
func TestTheLastReleasesRecordsGoOn(t *testing.T) {
	for _, release := range releases(t) {
		restored(t, read(t, release)).goOn() // as they are

		i := read(t, release)
		before := map[string]row{}
		for n, r := range i.Rows {
			value := r.value()
			if len(value) < 2 || value[0] != '{' || strings.HasPrefix(r.Key, "~") || madeAnew[r.kind()] == "by campaign" || r.kind() == "order manifest" {
				continue // what is hashed stays as it is
			}
			i.Rows[n].Record = slices.Concat([]byte("{"+addition), []byte(map[bool]string{true: ",", false: ""}[len(value) > 2]), value[1:])
			before[r.name()] = i.Rows[n]
		}
		s := restored(t, i)
		s.goOn()
		kept, changed := map[string]int{}, map[string]int{}
		for _, r := range s.image().Rows {
			was, planted := before[r.name()]
			switch {
			case !planted:
			case bytes.Contains(r.value(), []byte(addition)):
				kept[r.kind()]++
				if !bytes.Equal(r.value(), was.value()) {
					changed[r.kind()]++
				}
			case madeAnew[r.kind()] == "":
				t.Errorf("%s: %s has lost it: %s", release, r.name(), r.value())
			}
		}
		for _, kind := range []string{
			"order order", "order pledge/", "pledge", "campaign account/", "campaign totals", "campaign stock/", "campaign tally/",
			"settlement roll", "settlement reconcile/break", "reconciliation-break:v1", "email-delivery:v1",
		} {
			if changed[kind] == 0 {
				t.Errorf("%s: of %d records %q none was changed", release, kept[kind], kind)
			}
		}
	}
}
