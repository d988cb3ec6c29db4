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

// Log is the audit log of one service. All fields are required. It is safe for concurrent
// use by any number of processes.
type Log struct {
	Store       kv.Store // the primary namespace, for copies
	Coordinator kv.Coordinator
	Object      kv.Object // an object of the class that Register prepared
	Rand        io.Reader
	Log         *slog.Logger
}

// The maximum and default numbers of events on a page.
const (
	MaxPage     = 250
	DefaultPage = 100
)

// Do runs an action and records it. It does not run the action if its start cannot be recorded. A
// rejected action has changed nothing and leaves no event; an error with code Internal or
// Unavailable is not a rejection. Do returns the error of run unchanged.
func (l *Log) Do(ctx context.Context, act Act, run func() error) error {
	return l.DoResumable(ctx, act, nil, func(string) error { return run() })
}

// DoResumable is like Do for an action that can be repeated with its request after a crash; see
// Resume. Run receives the action's ID, which is the same on every attempt.
func (l *Log) DoResumable(ctx context.Context, act Act, request json.RawMessage, run func(id string) error) error {
	nonce := make([]byte, 12)
	if _, err := io.ReadFull(l.Rand, nonce); err != nil {
		return fault.Wrap(err, fault.Unavailable, "Could not generate an audit event ID")
	}
	b := begin{ID: hex.EncodeToString(nonce), Act: act.withoutText(), Request: request}
	if _, err := kv.Send[none](ctx, l.Coordinator, l.Object, "audit-begin:"+b.ID, b); err != nil {
		return err
	}
	err := run(b.ID)
	b.Request = nil
	if failed := l.end(context.WithoutCancel(ctx), b, act, err); failed != nil {
		// The action has run. Sweep will record it later, with status Unknown.
		l.Log.WarnContext(ctx, "audit: could not record the event, will be recorded later",
			"action", act.Action, "error", failed.Error())
	}
	return err
}

func (l *Log) end(ctx context.Context, b begin, act Act, failed error) error {
	status, code := Done, fault.CodeOf(failed)
	switch {
	case failed == nil:
		b.Act.Reason, b.Act.Target = truncate(act.Reason), truncate(act.Target)
	case code == fault.Internal || code == fault.Unavailable:
		status = Failed
	default:
		_, err := kv.Send[none](ctx, l.Coordinator, l.Object, "audit-refused:"+b.ID, refused{b.ID})
		return err
	}
	e, err := kv.Send[Event](ctx, l.Coordinator, l.Object, "audit-end:"+b.ID,
		end{begin: b, Status: status, Code: string(code)})
	if err != nil {
		return err
	}
	l.Log.InfoContext(ctx, "audit", "number", e.Number, "action", e.Action, "status", string(e.Status), "hash", e.Hash)
	return l.copy(ctx)
}

// Search returns the events that match a filter, newest first, before a cursor; 0 starts
// with the newest. It writes nothing. The number of events it reads is limited, so a page
// can have fewer events than limit although there is a next page. It fails with code
// Invalid if limit is not from 1 to MaxPage or the cursor is negative.
func (l *Log) Search(ctx context.Context, f Filter, cursor, limit int) (Page, error) {
	if limit < 1 || limit > MaxPage {
		return Page{}, fault.New(fault.Invalid, "The limit must be from 1 to %d events", MaxPage).In("limit")
	}
	if cursor < 0 {
		return Page{}, fault.New(fault.Invalid, "Invalid cursor: use the next value of a page").In("cursor")
	}
	return kv.Ask[Page](ctx, l.Coordinator, l.Object, search{Filter: f, Before: cursor, Limit: limit})
}

// All yields every event that matches a filter, newest first.
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

// Sweep closes actions whose process died, deletes expired events, and writes missing
// copies.
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

// copy writes the missing copies of events to the Store. The copies can be looked up by key; only
// the chain is authoritative.
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
		if _, err := kv.Send[none](ctx, l.Coordinator, l.Object, fmt.Sprintf("audit-copied:%d", after),
			copied{after}); err != nil {
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
			return nil, fault.Wrap(err, fault.Internal, "Could not decode an audit event")
		}
		links = append(links, k)
	}
	return links, nil
}

// Newest returns the number and hash of the newest event, for example "41:9f86d0…", or "" if there
// is none. Store it out of reach of anyone who can write to the database.
func (l *Log) Newest(ctx context.Context) (string, error) {
	s, err := kv.Ask[state](ctx, l.Coordinator, l.Object, readState{})
	if err != nil || s.Number == 0 {
		return "", err
	}
	return fmt.Sprintf("%d:%s", s.Number, s.Hash), nil
}

// Verified is the result of Verify.
type Verified struct {
	Events  int  `json:"events"`
	Head    Head `json:"head"`    // to be stored outside the database
	Dropped Head `json:"dropped"` // the newest event that was deleted after its retention period
	// Broken describes the first error in the chain, "" if there is none.
	Broken string `json:"broken,omitempty"`
}

// Verify checks the whole chain. It finds events that were altered, removed, inserted or reordered.
// Given a Head from an earlier time, it also detects a chain that was replaced or truncated at or
// before that event, unless that event was deleted since. With the zero Head it checks only the
// chain itself.
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
			v.Broken = fmt.Sprintf("the chain ends with event %d, expected %d", at.Number, s.Number)
			return v, nil
		}
		for _, k := range links {
			if v.Broken = k.checkSuccessor(at); v.Broken != "" {
				return v, nil
			}
			at = Head{at.Number + 1, k.Hash}
			v.Events++
			if at.Number == noted.Number {
				seen = at.Hash == noted.Hash
			}
			if at.Number == s.Number {
				break // later events were added during the check
			}
		}
	}
	switch {
	case at.Hash != s.Hash:
		v.Broken = fmt.Sprintf("event %d does not match the chain's recorded head", at.Number)
	case !seen:
		v.Broken = fmt.Sprintf("event %d does not match the given head", noted.Number)
	}
	return v, nil
}

// checkSuccessor returns a description of the error if a link is not the intact successor of a
// position, otherwise "".
func (l link) checkSuccessor(at Head) string {
	e, err := l.event()
	switch {
	case err != nil:
		return fmt.Sprintf("the event after %d cannot be decoded", at.Number)
	case e.Number != at.Number+1:
		return fmt.Sprintf("event %d is missing", at.Number+1)
	case e.Before != at.Hash:
		return fmt.Sprintf("event %d does not follow event %d", e.Number, at.Number)
	case hash(l.Event) != l.Hash:
		return fmt.Sprintf("event %d was altered", e.Number)
	}
	return ""
}
