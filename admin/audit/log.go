package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Log is the chain of one service. All fields are required. It is safe for concurrent use,
// by any number of processes.
type Log struct {
	Store       kv.Store // the primary namespace, for copies
	Coordinator kv.Coordinator
	Object      kv.Object // of a class that has the commands: see Register
	Rand        io.Reader
	Log         *slog.Logger
}

// The most events of a page, and how many it has where nobody says.
const (
	MaxPage     = 250
	DefaultPage = 100
)

// Do notes the act, runs it and records how it ended. Where the act can't be noted, it is
// not begun; one that a rule refused has changed nothing, and leaves no event. The error of
// the act is returned as it is.
func (l *Log) Do(ctx context.Context, act Act, run func() error) error {
	return l.DoResumable(ctx, act, nil, func(string) error { return run() })
}

// DoResumable is Do for an act that may be run again, by its request, until it has ended: run
// is given the act's ID, which is the same each time.
func (l *Log) DoResumable(ctx context.Context, act Act, request json.RawMessage, run func(id string) error) error {
	nonce := make([]byte, 12)
	if _, err := io.ReadFull(l.Rand, nonce); err != nil {
		return fault.Wrap(err, fault.Unavailable, "No randomness for an audit event")
	}
	b := begin{ID: hex.EncodeToString(nonce), Act: act.begun(), Request: request}
	if _, err := kv.Send[none](ctx, l.Coordinator, l.Object, "audit-begin:"+b.ID, b); err != nil {
		return err
	}
	err := run(b.ID)
	b.Request = nil
	if failed := l.end(context.WithoutCancel(ctx), b, act, err); failed != nil {
		// What is done is done: the chain tells later that its end is unknown.
		l.Log.WarnContext(ctx, "audit: an event is recorded later", "action", act.Action, "error", failed.Error())
	}
	return err
}

func (l *Log) end(ctx context.Context, b begin, act Act, failed error) error {
	status, code := Done, fault.CodeOf(failed)
	switch {
	case failed == nil:
		b.Act.Reason, b.Act.Target = cut(act.Reason), cut(act.Target)
	case code == fault.Internal || code == fault.Unavailable:
		status = Failed
	default:
		_, err := kv.Send[none](ctx, l.Coordinator, l.Object, "audit-refused:"+b.ID, refused{b.ID})
		return err
	}
	e, err := kv.Send[Event](ctx, l.Coordinator, l.Object, "audit-end:"+b.ID, end{begin: b, Status: status, Code: string(code)})
	if err != nil {
		return err
	}
	l.Log.InfoContext(ctx, "audit", "number", e.Number, "action", e.Action, "status", string(e.Status), "hash", e.Hash)
	return l.copy(ctx)
}

// Search returns the events that a filter takes, newest first, before a cursor; 0 begins
// with the newest. It writes nothing, and reads so many events at the most that it answers
// soon: a page may be short of its limit and have a next one. It fails with code Invalid for
// a limit that is not from 1 to MaxPage.
func (l *Log) Search(ctx context.Context, f Filter, cursor, limit int) (Page, error) {
	if limit < 1 || limit > MaxPage {
		return Page{}, fault.New(fault.Invalid, "A page has 1 to %d events", MaxPage).In("limit")
	}
	if cursor < 0 {
		return Page{}, fault.New(fault.Invalid, "The cursor is the next of a page").In("cursor")
	}
	return kv.Ask[Page](ctx, l.Coordinator, l.Object, search{Filter: f, Before: cursor, Limit: limit})
}

// All yields every event that a filter takes, newest first, as Search has them.
func (l *Log) All(ctx context.Context, f Filter) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for cursor := 0; ; {
			page, err := l.Search(ctx, f, cursor, MaxPage)
			if err != nil {
				yield(Event{}, err)
				return
			}
			for _, e := range page.Events {
				if !yield(e, nil) {
					return
				}
			}
			if cursor = page.Next; cursor == 0 {
				return
			}
		}
	}
}

// Sweep ends acts whose program died, drops what is too old, and writes copies that are
// missing.
func (l *Log) Sweep(ctx context.Context) error {
	for {
		more, err := kv.Send[bool](ctx, l.Coordinator, l.Object, "audit-trim", trim{})
		if err != nil {
			return err
		}
		if !more {
			return l.copy(ctx)
		}
	}
}

// copy brings the Store's copies up to date. A copy is for whoever looks for records by
// their keys; the chain is what counts.
func (l *Log) copy(ctx context.Context) error {
	s, err := kv.Ask[state](ctx, l.Coordinator, l.Object, readState{})
	if err != nil {
		return err
	}
	for after := max(s.Copied, s.Dropped.Number); after < s.Number; {
		links, err := l.links(ctx, after)
		if err != nil || len(links) == 0 {
			return err
		}
		var writes []kv.Write
		for _, k := range links {
			e, err := k.event()
			if err != nil {
				return err
			}
			w, err := kv.Record(e.Key(), e, e.At.Add(Life))
			if err != nil {
				return err
			}
			writes, after = append(writes, w), e.Number
		}
		if err := l.Store.Apply(ctx, writes); err != nil {
			return err
		}
		if _, err := kv.Send[none](ctx, l.Coordinator, l.Object, fmt.Sprintf("audit-copied:%d", after), copied{after}); err != nil {
			return err
		}
	}
	return nil
}

func (l *Log) links(ctx context.Context, after int) ([]link, error) {
	raw, err := kv.Ask[[]json.RawMessage](ctx, l.Coordinator, l.Object, readLinks{after})
	if err != nil {
		return nil, err
	}
	links := make([]link, 0, len(raw))
	for _, b := range raw {
		var k link
		if err := json.Unmarshal(b, &k); err != nil {
			return nil, fault.Wrap(err, fault.Internal, "An audit event can't be read")
		}
		links = append(links, k)
	}
	return links, nil
}

// Newest is the number and hash of the newest event, such as "41:9f86d0…", and "" before the
// first: what is kept where the database's writers can't reach it.
func (l *Log) Newest(ctx context.Context) (string, error) {
	s, err := kv.Ask[state](ctx, l.Coordinator, l.Object, readState{})
	if err != nil || s.Number == 0 {
		return "", err
	}
	return fmt.Sprintf("%d:%s", s.Number, s.Hash), nil
}

// Verified is what a walk over the whole chain has found.
type Verified struct {
	Events  int  `json:"events"`
	Head    Head `json:"head"`    // note it where the database's writers can't reach it
	Dropped Head `json:"dropped"` // the newest event that was kept for its time, and is gone
	// Broken says what is wrong, at the first place; "" where nothing is.
	Broken string `json:"broken,omitempty"`
}

// Verify walks the whole chain. It finds events that were altered, removed, inserted or
// put in another order. With a head that was noted earlier it also finds a chain that was
// written anew, or cut off, at or before it; the zero Head holds it against nothing.
func (l *Log) Verify(ctx context.Context, noted Head) (Verified, error) {
	s, err := kv.Ask[state](ctx, l.Coordinator, l.Object, readState{})
	if err != nil {
		return Verified{}, err
	}
	v := Verified{Head: s.Head, Dropped: s.Dropped}
	at := s.Dropped
	seen := noted.Number == 0 || noted.Number < at.Number || noted == at
	for at.Number < s.Number {
		links, err := l.links(ctx, at.Number)
		if err != nil {
			return v, err
		}
		if len(links) == 0 {
			v.Broken = fmt.Sprintf("the chain ends with event %d, and had %d", at.Number, s.Number)
			return v, nil
		}
		for _, k := range links {
			if v.Broken = k.follows(at); v.Broken != "" {
				return v, nil
			}
			at = Head{at.Number + 1, k.Hash}
			v.Events++
			if at.Number == noted.Number {
				seen = at.Hash == noted.Hash
			}
			if at.Number == s.Number {
				break // what came since is for the next time
			}
		}
	}
	switch {
	case at.Hash != s.Hash:
		v.Broken = fmt.Sprintf("event %d is not the one that the chain ended with", at.Number)
	case !seen:
		v.Broken = fmt.Sprintf("event %d is not the one that was noted", noted.Number)
	}
	return v, nil
}

// follows says why a link is not the one after a place, "" where it is.
func (l link) follows(at Head) string {
	e, err := l.event()
	switch {
	case err != nil:
		return fmt.Sprintf("the event after %d can't be read", at.Number)
	case e.Number != at.Number+1:
		return fmt.Sprintf("event %d is missing", at.Number+1)
	case e.Before != at.Hash:
		return fmt.Sprintf("event %d doesn't follow event %d", e.Number, at.Number)
	case hashOf(l.Event) != l.Hash:
		return fmt.Sprintf("event %d was altered", e.Number)
	}
	return ""
}
