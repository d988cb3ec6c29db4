package sqlitekv_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pledgeworks/pledgeworks/internal/seed"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/kv/sqlitekv"
)

// The test binary runs itself as a second process if these are set.
const (
	childPath = "SQLITEKV_TEST_PATH"
	childName = "SQLITEKV_TEST_NAME"
	childAdds = "SQLITEKV_TEST_ADDS" // how many commands; "" runs until killed
)

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		if err := child(path, os.Getenv(childName), os.Getenv(childAdds)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

type bump struct {
	Key string `json:"key"`
}

func (bump) Kind() string { return "bump" }

type total struct{}

func (total) Kind() string { return "total" }

// tally counts commands and records their identities.
func tally() *kv.Class {
	c := kv.NewClass("tally")
	kv.On(c, func(tx kv.Tx, _ time.Time, cmd bump) (int, error) {
		n, _, err := kv.Load[int](tx, "n")
		if err != nil {
			return 0, err
		}
		n++
		if err := kv.PutValue(tx, "n", n); err != nil {
			return 0, err
		}
		return n, kv.PutValue(tx, "by/"+cmd.Key, n)
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, _ total) (int, error) {
		n, _, err := kv.Load[int](tx, "n")
		return n, err
	})
	return c
}

var board = kv.Object{Class: "tally", Name: "board"}

// child writes from four goroutines and prints each acknowledgement.
func child(path, name, adds string) error {
	ctx := context.Background()
	db, err := sqlitekv.Open(ctx, path, sqlitekv.Options{Now: time.Now, Classes: []*kv.Class{tally()}})
	if err != nil {
		return err
	}
	const hands = 4
	limit := 1 << 30
	if adds != "" {
		if _, err := fmt.Sscan(adds, &limit); err != nil {
			return err
		}
	}
	errs := make(chan error, hands)
	var out sync.Mutex
	for h := range hands {
		go func() {
			for i := range limit / hands {
				id := fmt.Sprintf("%s-%d-%d", name, h, i)
				n, err := kv.Send[int](ctx, db.Coordinator(), board, id, bump{id})
				if err == nil {
					err = db.Store("S").Apply(ctx, []kv.Write{kv.Put("1/"+id, []byte(id)), kv.Put("2/"+id, []byte(id))})
				}
				if err != nil {
					errs <- err
					return
				}
				out.Lock()
				fmt.Printf("%s %d\n", id, n)
				out.Unlock()
			}
			errs <- nil
		}()
	}
	for range hands {
		if err := <-errs; err != nil {
			return err
		}
	}
	return db.Close()
}

func startChild(t *testing.T, path, name string, adds int) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childPath+"="+path, childName+"="+name, childAdds+"=")
	if adds > 0 {
		cmd.Env[len(cmd.Env)-1] += fmt.Sprint(adds)
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// acknowledgements reads complete lines; a line cut off by the kill does not count.
func acknowledgements(r *bufio.Reader, most int) map[string]int {
	acks := map[string]int{}
	for len(acks) < most {
		line, err := r.ReadString('\n')
		if err != nil {
			return acks
		}
		var id string
		var n int
		if _, err := fmt.Sscan(line, &id, &n); err == nil {
			acks[id] = n
		}
	}
	return acks
}

func TestApply_AcknowledgedWritesSurviveKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	all := map[string]int{}
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	random := seed.Rand(t)
	for round := range rounds {
		cmd, out := startChild(t, path, fmt.Sprint("r", round), 0)
		r := bufio.NewReader(out)
		acks := acknowledgements(r, 1+random.IntN(200))
		if err := cmd.Process.Kill(); err != nil { // SIGKILL
			t.Fatal(err)
		}
		maps.Copy(acks, acknowledgements(r, 1<<30))
		_ = cmd.Wait()
		if len(acks) == 0 {
			t.Fatal("the child acknowledged nothing")
		}
		maps.Copy(all, acks)
	}
	expectAcknowledged(t, path, all)
}

// expectAcknowledged checks that every acknowledged write exists and that redelivery
// returns its answer.
func expectAcknowledged(t *testing.T, path string, acks map[string]int) {
	t.Helper()
	ctx := context.Background()
	db := open(t, path, time.Now, tally())
	last, err := kv.Ask[int](ctx, db.Coordinator(), board, total{})
	if err != nil || last < len(acks) {
		t.Fatalf("counted %d (%v), %d were acknowledged", last, err, len(acks))
	}
	for id, n := range acks {
		if again, err := kv.Send[int](ctx, db.Coordinator(), board, id, bump{id}); err != nil || again != n {
			t.Fatalf("%s answers %d, %v; it was acknowledged with %d", id, again, err, n)
		}
		for _, half := range []string{"1/", "2/"} {
			if v, err := db.Store("S").Get(ctx, half+id); err != nil || string(v) != id {
				t.Fatalf("%s%s holds %q, %v", half, id, v, err)
			}
		}
	}
	if now, err := kv.Ask[int](ctx, db.Coordinator(), board, total{}); err != nil || now != last {
		t.Errorf("redelivery changed the count from %d to %d (%v)", last, now, err)
	}
	var halves [2]int
	for e, err := range kv.All(ctx, db.Store("S"), "") {
		if err != nil {
			t.Fatal(err)
		}
		halves[e.Key[0]-'1']++
	}
	if halves[0] != halves[1] {
		t.Errorf("batches were split: %d first halves, %d second", halves[0], halves[1])
	}
}

func TestOpen_ConcurrentProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	const adds = 200
	var children []*exec.Cmd
	var outs []io.Reader
	for i := range 3 { // at once, so that they also race to create the file
		cmd, out := startChild(t, path, fmt.Sprint("p", i), adds)
		children, outs = append(children, cmd), append(outs, out)
	}
	all, seen := map[string]int{}, map[int]string{}
	for i, out := range outs {
		for id, n := range acknowledgements(bufio.NewReader(out), 1<<30) {
			if other, taken := seen[n]; taken {
				t.Errorf("%s and %s were both answered %d: commands overlapped", id, other, n)
			}
			all[id], seen[n] = n, id
		}
		if err := children[i].Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
	if len(all) != 3*adds {
		t.Errorf("%d of %d commands were acknowledged", len(all), 3*adds)
	}
	expectAcknowledged(t, path, all)
}

func TestGet_SeesWritesOfOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kv.db")
	db := open(t, path, time.Now, tally())
	ctx := context.Background()
	if _, err := kv.Send[int](ctx, db.Coordinator(), board, "mine", bump{"mine"}); err != nil {
		t.Fatal(err)
	}
	cmd, out := startChild(t, path, "other", 20)
	acks := acknowledgements(bufio.NewReader(out), 1<<30)
	if err := cmd.Wait(); err != nil || len(acks) != 20 {
		t.Fatalf("the other process: %v, %d acknowledgements", err, len(acks))
	}
	if n, err := kv.Ask[int](ctx, db.Coordinator(), board, total{}); err != nil || n != 21 {
		t.Errorf("a query sees %d, %v, want 21", n, err)
	}
	if n, err := kv.Send[int](ctx, db.Coordinator(), board, "more", bump{"more"}); err != nil || n != 22 {
		t.Errorf("the next command answers %d, %v, want 22", n, err)
	}
	var keys []string
	for e, err := range kv.All(ctx, db.Store("S"), "1/other") {
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, e.Key)
	}
	if len(keys) != 20 {
		t.Errorf("the store shows %s", strings.Join(keys, " "))
	}
}
