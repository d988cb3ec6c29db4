package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Switch stops mails and lets them go again: all of them, or one stream. What is stopped
// waits in the outbox.
type Switch struct {
	Store kv.Store // the primary namespace
	Now   func() time.Time
}

// Stopped says why mails do not leave.
type Stopped struct {
	Stream Stream    `json:"stream,omitempty"` // "" for all
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
	// Before is set where only mails wait that were queued before it: after a restore
	// nobody knows which of those have been sent since the backup was made.
	Before *time.Time `json:"before,omitempty"`
}

const stopPrefix = "email-stop:v1:"

// StopKey holds why a stream, or with "" every mail, does not leave.
func StopKey(s Stream) string {
	if s == "" {
		return stopPrefix + "all"
	}
	return stopPrefix + string(s)
}

// Stop stops a stream, or with "" every mail. A stop that stands keeps its reason. It
// fails with code Invalid without a reason, or for what is no stream.
func (s Switch) Stop(ctx context.Context, stream Stream, reason string) (Stopped, error) {
	return s.stop(ctx, Stopped{Stream: stream, Reason: plain(reason)})
}

// Restored stops the mails that were queued before now.
func (s Switch) Restored(ctx context.Context) error {
	now := s.Now().UTC()
	_, err := s.stop(ctx, Stopped{Reason: "the database was restored from a backup", Before: &now})
	return err
}

func (s Switch) stop(ctx context.Context, why Stopped) (Stopped, error) {
	switch why.Stream {
	case "", Transactional, Reminders, Updates:
	default:
		return Stopped{}, fault.New(fault.Invalid, "There is no stream %q", why.Stream).In("stream")
	}
	if why.Reason == "" || len(why.Reason) > maxReason {
		return Stopped{}, fault.New(fault.Invalid, "Say why, in at most %d bytes", maxReason).In("reason")
	}
	was, err := s.Standing(ctx, why.Stream)
	if err != nil {
		return Stopped{}, err
	}
	if was != nil && was.Before == nil {
		return *was, nil
	}
	why.Since = s.Now().UTC()
	return why, kv.Save(ctx, s.Store, StopKey(why.Stream), why)
}

// Resume lets a stream go again, or with "" what stopped every mail, and returns why it was
// stopped; nil where it was not.
func (s Switch) Resume(ctx context.Context, stream Stream) (*Stopped, error) {
	was, err := s.Standing(ctx, stream)
	if err != nil || was == nil {
		return nil, err
	}
	return was, s.Store.Apply(ctx, []kv.Write{kv.Delete(StopKey(stream))})
}

// Stopped returns why mails of a stream do not leave; nil where they do.
func (s Switch) Stopped(ctx context.Context, stream Stream) (*Stopped, error) {
	why, err := s.Standing(ctx, stream)
	if err != nil || why != nil {
		return why, err
	}
	return s.Standing(ctx, "")
}

// Standing returns what stops a stream itself, or with "" all mails; nil where nothing does.
func (s Switch) Standing(ctx context.Context, stream Stream) (*Stopped, error) {
	why, stands, err := kv.Read[Stopped](ctx, s.Store, StopKey(stream))
	if err != nil || !stands {
		return nil, err
	}
	return &why, nil
}

// holds reports whether the stop is about a mail that was queued at a time.
func (s *Stopped) holds(queued time.Time) bool {
	return s != nil && (s.Before == nil || queued.Before(*s.Before))
}
