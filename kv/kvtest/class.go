package kvtest

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Classes returns the object classes of the suite. Hosts that cannot receive them from
// Harness.Open, because their objects run elsewhere, register them at build time.
func Classes() []*kv.Class { return []*kv.Class{newClass("kvtest"), newClass("kvtest-twin")} }

type (
	// write puts and deletes keys; Then is how the command ends.
	write struct {
		Put    map[string][]byte `json:"put,omitempty"`
		Delete []string          `json:"delete,omitempty"`
		Then   string            `json:"then,omitempty"` // "", "refuse" or "fail"
	}
	// add increments the count and yields between reading and writing.
	add struct {
		N int `json:"n"`
	}
	// take takes one of the remaining units.
	take  struct{}
	stock struct {
		Units int `json:"units"`
	}
	// replace writes and then reads its own writes in the same command.
	replace struct {
		Delete string `json:"delete"`
		Put    string `json:"put"`
		Value  []byte `json:"value"`
	}
	clock struct{}
	get   struct{ Key string }
	list  struct {
		Prefix, After string
		Limit         int
	}
	writingQuery struct{ Key string } // a query that writes
	putKey       struct{ Key string } // a command that writes any key
	answered     struct {
		N int `json:"n"`
	}
	value struct {
		Found bool   `json:"found"`
		Value []byte `json:"value"`
	}
	entries struct {
		Entries []kv.Entry `json:"entries"`
	}
)

func (write) Kind() string        { return "write" }
func (add) Kind() string          { return "add" }
func (take) Kind() string         { return "take" }
func (stock) Kind() string        { return "stock" }
func (replace) Kind() string      { return "replace" }
func (clock) Kind() string        { return "clock" }
func (get) Kind() string          { return "get" }
func (list) Kind() string         { return "list" }
func (writingQuery) Kind() string { return "trespass" }
func (putKey) Kind() string       { return "grab" }

func newClass(name string) *kv.Class {
	c := kv.NewClass(name)
	kv.On(c, doWrite)
	kv.On(c, doAdd)
	kv.On(c, doTake)
	kv.On(c, func(tx kv.Tx, _ time.Time, cmd stock) (answered, error) {
		return answered{cmd.Units}, kv.PutValue(tx, "units", cmd.Units)
	})
	kv.On(c, doReplace)
	kv.On(c, func(_ kv.Tx, now time.Time, _ clock) (time.Time, error) { return now, nil })
	kv.On(c, func(tx kv.Tx, _ time.Time, cmd putKey) (answered, error) {
		return answered{}, tx.Put(cmd.Key, []byte("grabbed"))
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, q get) (value, error) {
		v, err := tx.Get(q.Key)
		return value{Found: v != nil, Value: v}, err
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, q list) (entries, error) {
		all, err := tx.List(q.Prefix, q.After, q.Limit)
		return entries{all}, err
	})
	kv.OnQuery(c, func(tx kv.Tx, _ time.Time, q writingQuery) (answered, error) {
		_ = tx.Put(q.Key, []byte("by a query")) // the handler ignores the error
		return answered{}, nil
	})
	return c
}

func doWrite(tx kv.Tx, _ time.Time, cmd write) (answered, error) {
	for key, v := range cmd.Put {
		if err := tx.Put(key, v); err != nil {
			return answered{}, err
		}
	}
	for _, key := range cmd.Delete {
		if err := tx.Delete(key); err != nil {
			return answered{}, err
		}
	}
	switch cmd.Then {
	case "refuse":
		return answered{}, fault.New(fault.Conflict, "refused on request").In("then")
	case "fail":
		return answered{}, errors.New("failed on request")
	}
	return answered{len(cmd.Put)}, nil
}

func doAdd(tx kv.Tx, _ time.Time, cmd add) (answered, error) {
	n, _, err := kv.Load[int](tx, "count")
	if err != nil {
		return answered{}, err
	}
	runtime.Gosched() // let another command overlap, if it can
	n += cmd.N
	return answered{n}, kv.PutValue(tx, "count", n)
}

func doTake(tx kv.Tx, _ time.Time, _ take) (answered, error) {
	units, _, err := kv.Load[int](tx, "units")
	if err != nil {
		return answered{}, err
	}
	runtime.Gosched()
	if units == 0 {
		refused := fault.New(fault.SoldOut, "sold out")
		refused.Remaining = &units
		return answered{}, refused
	}
	units--
	return answered{units}, kv.PutValue(tx, "units", units)
}

func doReplace(tx kv.Tx, _ time.Time, cmd replace) (entries, error) {
	if err := tx.Delete(cmd.Delete); err != nil {
		return entries{}, err
	}
	if err := tx.Put(cmd.Put, cmd.Value); err != nil {
		return entries{}, err
	}
	back, err := tx.Get(cmd.Put)
	if err != nil {
		return entries{}, err
	}
	if string(back) != string(cmd.Value) {
		return entries{}, fmt.Errorf("read %q after writing %q", back, cmd.Value)
	}
	all, err := tx.List("", "", 100)
	return entries{all}, err
}

var _ kv.Command = write{}
