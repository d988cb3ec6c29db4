package memkv

import (
	"context"
	"strings"
	"sync"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Coordinator implements kv.Coordinator over the objects of a DB.
type Coordinator struct{ db *DB }

var _ kv.Coordinator = (*Coordinator)(nil)

// object is the state of one object. Its lock serializes commands.
type object struct {
	mu    sync.Mutex
	state index[[]byte]
}

// Do implements kv.Coordinator. An unknown class is an Invalid fault.
func (c *Coordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if err := ctx.Err(); err != nil {
		return kv.Reply{}, canceledError(err)
	}
	if err := to.Check(); err != nil {
		return kv.Reply{}, err
	}
	class := c.db.classes[to.Class]
	if class == nil {
		return kv.Reply{}, fault.New(fault.Invalid, "unknown object class %q", to.Class)
	}
	op := Op{Kind: OpDo, Object: to, Command: cmd}
	if class.IsQuery(cmd.Kind) {
		op.Kind = OpQuery
	}
	if err := c.db.fail(op); err != nil {
		return kv.Reply{}, err
	}
	reply, err := c.db.object(to, op.Kind == OpDo).run(class, c.db, cmd)
	if err != nil || op.Kind == OpQuery {
		return reply, err
	}
	op.After, op.Reply = true, reply
	if err := c.db.fail(op); err != nil {
		return kv.Reply{}, err
	}
	return reply, nil
}

// object returns the object with a name. If there is none, it returns an empty object, which it
// stores only if keep is set: a query does not create objects.
func (db *DB) object(name kv.Object, keep bool) *object {
	db.mu.Lock()
	defer db.mu.Unlock()
	o := db.objects[name]
	if o != nil {
		return o
	}
	o = &object{}
	if keep {
		db.objects[name] = o
	}
	return o
}

func (o *object) run(class *kv.Class, db *DB, cmd kv.Envelope) (kv.Reply, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return class.Dispatch(tx{&o.state}, db.now(), cmd)
}

func (o *object) entries() []kv.Entry {
	o.mu.Lock()
	defer o.mu.Unlock()
	var all []kv.Entry
	o.state.walk("", func(key string, value []byte) bool {
		all = append(all, entry(key, value))
		return true
	})
	return all
}

// tx writes to an object's state directly. Dispatch writes nothing before its command
// has succeeded, and memory writes don't fail, so there is nothing to roll back.
type tx struct{ state *index[[]byte] }

var _ kv.Viewer = tx{}

func (t tx) Get(key string) ([]byte, error) {
	value, ok := t.state.get(key)
	if !ok {
		return nil, nil
	}
	return clone(value), nil
}

// View implements kv.Viewer. Values are replaced as a whole and never changed.
func (t tx) View(key string) ([]byte, error) {
	value, _ := t.state.get(key)
	return value, nil
}

func (t tx) Put(key string, value []byte) error {
	t.state.put(key, clone(value))
	return nil
}

func (t tx) Delete(key string) error {
	t.state.remove(key)
	return nil
}

func (t tx) List(prefix, after string, limit int) ([]kv.Entry, error) {
	var found []kv.Entry
	t.state.walk(max(prefix, after), func(key string, value []byte) bool {
		if len(found) >= limit || !strings.HasPrefix(key, prefix) {
			return false
		}
		if after == "" || key > after {
			found = append(found, entry(key, value))
		}
		return true
	})
	return found, nil
}
