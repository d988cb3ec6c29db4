package broadcast

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Step sends at most one request, for the next broadcast in turn that has a unit due. It
// returns how long until there may be more to send, and whether any broadcast is still
// sending. It returns only errors of the Coordinator and the Suppressor; errors of the Sender
// are recorded. If another call is running, Step does nothing.
func (s *Service) Step(ctx context.Context) (wait time.Duration, more bool, err error) {
	if !s.mu.TryLock() {
		return 0, false, nil
	}
	defer s.mu.Unlock()
	ids, err := s.queue(ctx)
	if err != nil {
		return 0, false, err
	}
	for _, id := range ids {
		d, err := s.prepareNextUnit(ctx, id)
		if err != nil {
			return 0, true, err
		}
		if d.Unit == nil {
			if d.Wait > 0 && (wait == 0 || d.Wait < wait) {
				wait = d.Wait
			}
			more = more || d.Broadcast.Phase == Sending
			continue
		}
		if wait := s.Pace.Take(); wait > 0 {
			return wait, true, nil
		}
		s.last = id
		return 0, true, s.send(ctx, d)
	}
	return wait, more, nil
}

// queue returns the IDs of the active broadcasts, starting after the one that last sent a request.
func (s *Service) queue(ctx context.Context) ([]string, error) {
	var all []string
	for after := ""; ; {
		page, err := kv.Ask[[]string](ctx, s.Coordinator, object(activeName), listActive{After: after})
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < activePage {
			break
		}
		after = page[len(page)-1]
	}
	at, found := slices.BinarySearch(all, s.last)
	if found {
		at++
	}
	return slices.Concat(all[at:], all[:at]), nil
}

// prepareNextUnit returns the next unit of a broadcast. It stops a broadcast that is too old, and
// removes one that has ended from the list.
func (s *Service) prepareNextUnit(ctx context.Context, id string) (dueUnit, error) {
	d, err := kv.Ask[dueUnit](ctx, s.Coordinator, object(id), nextUnit{})
	if fault.Is(err, fault.NotFound) {
		return dueUnit{}, nil
	}
	if err != nil {
		return d, err
	}
	over := d.Broadcast.Phase == Done || d.Broadcast.Phase == Stopped
	if !over && !s.Now().Before(d.Broadcast.NotAfter) {
		d.Broadcast, err = s.Stop(ctx, id, "too old to be sent")
		d.Unit, d.Wait, over = nil, 0, true
	}
	if err != nil || !over {
		return d, err
	}
	if d.Broadcast.Phase == Stopped {
		left, err := kv.Send[int](ctx, s.Coordinator, object(id), "wind-up:"+s.Nonce(), finishStop{})
		if err != nil || left > 0 {
			return d, err
		}
	}
	_, err = kv.Send[none](ctx, s.Coordinator, object(activeName), "delist:"+s.Nonce(),
		removeActive{id, d.Broadcast.EndedAt})
	return d, err
}

// chunksPerForget is the number of chunks per forget command.
const chunksPerForget = 50

// Forget removes the members' addresses from broadcasts that ended at least 30 days ago, using at
// most the given number of commands. The members' states are kept, with the Suppressor's hash of
// the address. After an error with one broadcast, it continues with the others and returns all
// errors.
func (s *Service) Forget(ctx context.Context, commands int) error {
	ids, err := kv.Ask[[]string](ctx, s.Coordinator, object(activeName), listEnded{s.Now().Add(-addressLife)})
	errs := []error{err}
	for _, id := range ids {
		left, err := s.forgetBroadcast(ctx, id, commands)
		errs = append(errs, err)
		if commands = left; commands <= 0 {
			break
		}
	}
	return errors.Join(errs...)
}

// forgetBroadcast removes the addresses from a broadcast, using at most the given number of
// commands, and returns how many commands are left.
func (s *Service) forgetBroadcast(ctx context.Context, id string, commands int) (int, error) {
	for ; commands > 0; commands-- {
		b, err := kv.Send[Broadcast](ctx, s.Coordinator, object(id), "forget:"+s.Nonce(), forgetAddresses{chunksPerForget})
		if err != nil {
			return commands, err
		}
		if b.Forgotten < b.Chunks {
			continue
		}
		_, err = kv.Send[none](ctx, s.Coordinator, object(activeName), "forgotten:"+s.Nonce(), removeEnded{id, b.EndedAt})
		return commands - 1, err
	}
	return 0, nil
}

// send records an attempt, sends the unit's request and records the result.
func (s *Service) send(ctx context.Context, d dueUnit) error {
	skip, err := s.suppressed(ctx, d)
	if err != nil {
		return err
	}
	by, to, memory := s.Nonce(), object(d.Broadcast.ID), s.keyMemory()
	u, err := kv.Send[unit](ctx, s.Coordinator, to, "attempt:"+by,
		attempt{Name: d.Unit.Name, Number: d.Unit.Attempts + 1, By: by, Skip: skip, Remembers: memory})
	if err != nil || len(u.Items) == 0 {
		return err
	}
	receipts := s.sendUnit(ctx, d, u)
	for _, r := range receipts {
		s.Pace.Adjust(r)
	}
	_, err = kv.Send[none](ctx, s.Coordinator, to, "tell:"+by,
		attemptResult{Name: u.Name, By: by, Chunk: u.Chunk, Items: u.Items, Receipts: receipts, Remembers: memory})
	return err
}

// suppressed returns the reason for each member of a unit, by index in the chunk, whose address is
// suppressed.
func (s *Service) suppressed(ctx context.Context, d dueUnit) (map[int]string, error) {
	if s.Suppressor == nil {
		return nil, nil
	}
	skip := map[int]string{}
	for _, i := range d.Unit.Items {
		why, err := s.Suppressor.Suppressed(ctx, d.Broadcast.mail(d.Unit.Chunk, i, d.Members[i]))
		if err != nil {
			return nil, err
		}
		if why != "" {
			skip[i] = why
		}
	}
	return skip, nil
}

// keyMemory returns how long the provider remembers a key; 0 if it does not.
func (s *Service) keyMemory() time.Duration {
	if r, ok := s.Sender.(notify.Rememberer); ok {
		return r.Remembers()
	}
	return 0
}

// sendUnit sends a unit and returns one receipt per mail, a single one with the outcome Divide if
// the unit must be split, or none if the result is unknown.
func (s *Service) sendUnit(ctx context.Context, d dueUnit, u unit) []notify.Receipt {
	mails := make([]notify.Mail, len(u.Items))
	for at, i := range u.Items {
		mails[at] = d.Broadcast.mail(u.Chunk, i, d.Members[i])
	}
	if len(mails) == 1 && len(u.LeftOut) == 0 {
		r, err := s.Sender.Send(ctx, mails[0])
		if err != nil {
			return nil
		}
		r.Reason = notify.Reason(r.Reason, mails[0].To)
		return []notify.Receipt{r}
	}
	b, ok := s.Sender.(notify.Batcher)
	if !ok || b.MaxBatch() < len(mails) {
		if u.UnknownSince.IsZero() {
			return []notify.Receipt{{Outcome: notify.Divide}}
		}
		return nil
	}
	receipts, err := b.SendBatch(ctx, d.Broadcast.batchKey(u), mails)
	if err != nil || len(receipts) == 0 || receipts[0].Outcome != notify.Divide && len(receipts) != len(mails) {
		return nil
	}
	for i := range min(len(receipts), len(mails)) {
		receipts[i].Reason = notify.Reason(receipts[i].Reason, mails[i].To)
	}
	return receipts
}
