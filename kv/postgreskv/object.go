package postgreskv

import (
	"context"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Coordinator implements kv.Coordinator.
type Coordinator struct{ db *DB }

var _ kv.Coordinator = (*Coordinator)(nil)

// Coordinator returns the coordinator over db's objects.
func (db *DB) Coordinator() *Coordinator { return &Coordinator{db} }

// Do implements kv.Coordinator. An unknown class is an Invalid fault.
func (c *Coordinator) Do(ctx context.Context, to kv.Object, cmd kv.Envelope) (kv.Reply, error) {
	if err := to.Check(); err != nil {
		return kv.Reply{}, err
	}
	class := c.db.classes[to.Class]
	if class == nil {
		return kv.Reply{}, fault.New(fault.Invalid, "unknown object class %q", to.Class)
	}
	if err := ctx.Err(); err != nil {
		return kv.Reply{}, fault.Wrap(err, fault.Unavailable, "request canceled")
	}
	if class.IsQuery(cmd.Kind) {
		return c.db.ask(ctx, to, class, cmd)
	}
	var reply kv.Reply
	err := c.db.write(ctx, &job{lockKey: lockKey{object: to}, run: func(s *scope) (err error) {
		reply, err = dispatch(class, s.state, c.db.now(), cmd)
		return err
	}})
	if err != nil {
		return kv.Reply{}, err
	}
	return reply, nil
}
