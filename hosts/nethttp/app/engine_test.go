package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/internal/cluster"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }

// A backup moves the data from one engine to the other and back unchanged, except that charging is
// stopped.
func TestBackup_BetweenEngines(t *testing.T) {
	file := EngineOptions{DataDir: t.TempDir(), Now: fixed, Log: slog.New(slog.DiscardHandler)}
	shared, other := file, file
	shared.DatabaseURL, other.DataDir = cluster.Database(t), filepath.Join(t.TempDir(), "new")
	fillEngine(t, file)

	steps := []struct {
		from, to EngineOptions
	}{{file, shared}, {shared, other}}
	var copies []string
	for _, s := range steps {
		copies = append(copies, backUp(t, s.from))
		if err := Restore(t.Context(), s.to, copies[len(copies)-1]); err != nil {
			t.Fatal(err)
		}
		if err := Restore(t.Context(), s.to, copies[0]); !fault.Is(err, fault.Conflict) {
			t.Errorf("a database in use was overwritten: %v", err)
		}
	}
	copies = append(copies, backUp(t, other))
	want := rows(t, copies[0])
	if len(want) < 6 {
		t.Fatalf("only %d rows", len(want))
	}
	for _, c := range copies[1:] {
		got := rows(t, c)
		before := len(got)
		got = slices.DeleteFunc(got, func(r kv.Row) bool {
			return r.Object.Name == "*platform" && r.Key == "restored" ||
				(r.Object.Name == "*platform" || r.Key == "email-stop:v1:all") && strings.Contains(string(r.Value), "restored")
		})
		if before != len(got)+3 {
			t.Fatalf("%d records about stopped charging and mails", before-len(got))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-first +later)\n%s", d)
		}
	}
	if err := Restore(t.Context(), other, filepath.Join(t.TempDir(), "missing.db")); err == nil {
		t.Error("restored from a nonexistent backup")
	}
}

func fillEngine(t *testing.T, o EngineOptions) {
	t.Helper()
	e, err := OpenEngine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	writes := []kv.Write{
		kv.Put("b", []byte{0, 1, 255}), kv.Put("empty", []byte{}), kv.Put("ü", []byte("ü")),
		kv.PutUntil("soon", []byte("x"), noon.Add(time.Hour+time.Nanosecond)),
	}
	if err := e.store("pledges").Apply(t.Context(), writes); err != nil {
		t.Fatal(err)
	}
	if err := e.store("votes").Apply(t.Context(), writes[:1]); err != nil {
		t.Fatal(err)
	}
	cmd := kv.Envelope{ID: "one", Kind: "roll-beat", Body: []byte(`{"place":"p","life":"l","number":1}`)}
	if _, err := e.coordinator.Do(t.Context(), kv.Object{Class: "settlement", Name: "*roll"}, cmd); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
}

func backUp(t *testing.T, o EngineOptions) string {
	t.Helper()
	e, err := OpenEngine(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	dest := filepath.Join(t.TempDir(), "copy.db")
	if err := e.Backup(t.Context(), dest); err != nil {
		t.Fatal(err)
	}
	if err := e.Backup(t.Context(), dest); !fault.Is(err, fault.Conflict) {
		t.Errorf("a backup was overwritten: %v", err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return dest
}

func rows(t *testing.T, file string) []kv.Row {
	t.Helper()
	db, err := sqlitekv.Open(t.Context(), file, sqlitekv.Options{Now: fixed})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var all []kv.Row
	for r, err := range db.Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	for _, err := range db.Export(t.Context()) { // an export that is not read to its end leaves nothing open
		if err != nil {
			t.Fatal(err)
		}
		break
	}
	return all
}
