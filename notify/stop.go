package notify

import (
	"context"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Switch stops and resumes mails: all of them, or one stream. Stopped mails wait in the
// outbox.
type Switch struct {
	Store kv.Store // the primary namespace
	Now   func() time.Time
}

// Stopped describes why mails are not sent.
type Stopped struct {
	Stream Stream    `json:"stream,omitempty"` // "" for all
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
	// Before is set if only mails queued before that time are stopped: after a restore it is
	// unknown which of those were sent since the backup was made.
	Before *time.Time `json:"before,omitempty"`
}

const stopPrefix = "email-stop:v1:"

// StopKey is the key of the record that stops a stream, or all mails for "".
func StopKey(s Stream) string {
	if s == "" {
		return stopPrefix + "all"
	}
	return stopPrefix + string(s)
}

// Stop stops a stream, or all mails for "". If it is already stopped, Stop returns the existing
// record; only a stop after a restore is replaced. It fails with code Invalid for an unknown stream
// or a reason that does not have 1 to 300 bytes.
func (s Switch) Stop(ctx context.Context, stream Stream, reason string) (Stopped, error) {
	return s.stop(ctx, Stopped{Stream: stream, Reason: PlainLine(reason)})
}

// StopForRestore stops all mails queued before now, after the database was restored from a backup.
// It changes nothing if all mails are stopped already.
func (s Switch) StopForRestore(ctx context.Context) error {
	now := s.Now().UTC()
	_, err := s.stop(ctx, Stopped{Reason: "the database was restored from a backup", Before: &now})
	return err
}

func (s Switch) stop(ctx context.Context, why Stopped) (Stopped, error) {
	switch why.Stream {
	case "", Transactional, Reminders, Updates:
	default:
		return Stopped{}, fault.New(fault.Invalid, "Unknown stream %q", why.Stream).In("stream")
	}
	if why.Reason == "" || len(why.Reason) > maxReason {
		return Stopped{}, fault.New(fault.Invalid, "A reason of 1 to %d bytes is required", maxReason).In("reason")
	}
	was, err := s.StopRecord(ctx, why.Stream)
	if err != nil {
		return Stopped{}, err
	}
	if was != nil && was.Before == nil {
		return *was, nil
	}
	why.Since = s.Now().UTC()
	return why, kv.Save(ctx, s.Store, StopKey(why.Stream), why)
}

// Resume removes the stop of a stream, or the stop of all mails for "", and returns it; nil
// if there was none.
func (s Switch) Resume(ctx context.Context, stream Stream) (*Stopped, error) {
	was, err := s.StopRecord(ctx, stream)
	if err != nil || was == nil {
		return nil, err
	}
	return was, s.Store.Apply(ctx, []kv.Write{kv.Delete(StopKey(stream))})
}

// Stopped returns why a stream's mails are not sent; nil if they are.
func (s Switch) Stopped(ctx context.Context, stream Stream) (*Stopped, error) {
	why, err := s.StopRecord(ctx, stream)
	if err != nil || why != nil {
		return why, err
	}
	return s.StopRecord(ctx, "")
}

// StopRecord returns the stop record of one stream, or of all mails for ""; nil if there is none.
func (s Switch) StopRecord(ctx context.Context, stream Stream) (*Stopped, error) {
	why, found, err := kv.Read[Stopped](ctx, s.Store, StopKey(stream))
	if err != nil || !found {
		return nil, err
	}
	return &why, nil
}

// appliesTo reports whether the stop applies to a mail queued at the given time.
func (s *Stopped) appliesTo(queued time.Time) bool {
	return s != nil && (s.Before == nil || queued.Before(*s.Before))
}
