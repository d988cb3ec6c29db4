package state

import (
	"context"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

const (
	stopKey     = "stop"
	restoredKey = "restored" // → when charging was last stopped for a restore
)

// Stopped describes why charging is stopped in all campaigns.
type Stopped struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason"`
	// Restored reports whether the database was restored from a backup. Changes made after the
	// backup then have to be checked before anything is charged.
	Restored bool `json:"restored,omitempty"`
}

// Err returns the error, with code Conflict and ErrHeld, for callers that must not charge.
func (s *Stopped) Err() error {
	return fault.Wrap(ErrHeld, fault.Conflict,
		"Charging has been stopped since %s: %s. Resume charging when the reason no longer applies",
		s.Since.UTC().Format(time.RFC3339), s.Reason)
}

// Switch stops and resumes all charging: new settlements, running batches, and retries of cards.
// Requests that were already sent are looked up when charging resumes.
type Switch struct{ Coordinator kv.Coordinator }

// Stop stops charging, and returns when and why it was stopped; the first reason is kept. It fails
// with code Invalid for a reason that CheckReason rejects.
func (s Switch) Stop(ctx context.Context, reason string) (Stopped, error) {
	if err := CheckReason(reason); err != nil {
		return Stopped{}, err
	}
	return kv.Send[Stopped](ctx, s.Coordinator, platformObject(), "stop", stop{Reason: reason})
}

// StopForRestore stops charging because the database was restored from a backup.
func (s Switch) StopForRestore(ctx context.Context) error {
	_, err := kv.Send[Stopped](ctx, s.Coordinator, platformObject(), "stop",
		stop{Reason: "the database was restored from a backup", Restored: true})
	return err
}

// CheckReason fails with code Invalid unless a reason has 1 to 500 characters, all of them letters,
// digits, spaces or one of ". , ( ) -".
func CheckReason(reason string) error {
	if !plain.MatchString(reason) || utf8.RuneCountInString(reason) > maxReason {
		return fault.New(fault.Invalid, "Give a reason of at most 500 letters, digits, spaces and . , ( ) -").In("reason")
	}
	return nil
}

const maxReason = 500 // characters

var plain = regexp.MustCompile(`^[\p{L}\p{N} .,()-]+$`)

// Resume resumes charging, and returns the stop that it ended, or nil.
func (s Switch) Resume(ctx context.Context) (*Stopped, error) {
	was, err := s.Stopped(ctx)
	if err != nil || was == nil {
		return nil, err
	}
	_, err = kv.Send[none](ctx, s.Coordinator, platformObject(), "resume", resume{})
	return was, err
}

// Stopped returns the current stop, or nil.
func (s Switch) Stopped(ctx context.Context) (*Stopped, error) {
	return kv.Ask[*Stopped](ctx, s.Coordinator, platformObject(), stopped{})
}

// RestoredAt returns when charging was last stopped for a restore, or the zero time.
func (s Switch) RestoredAt(ctx context.Context) (time.Time, error) {
	return kv.Ask[time.Time](ctx, s.Coordinator, platformObject(), restored{})
}

type stop struct {
	Reason   string `json:"reason"`
	Restored bool   `json:"restored,omitempty"`
}

func (stop) Kind() string { return "stop" }

func runStop(tx kv.Tx, now time.Time, cmd stop) (Stopped, error) {
	s, known, err := kv.Load[Stopped](tx, stopKey)
	if err != nil || known && (s.Restored || !cmd.Restored) {
		return s, err
	}
	if !known {
		s = Stopped{Since: now, Reason: cmd.Reason}
	}
	if s.Restored = cmd.Restored; cmd.Restored {
		if err := kv.PutValue(tx, restoredKey, now); err != nil {
			return s, err
		}
	}
	return s, kv.PutValue(tx, stopKey, s)
}

type resume struct{}

func (resume) Kind() string { return "resume" }

// runResume also wakes every campaign, because a restored database may have work left in idle ones.
func runResume(tx kv.Tx, _ time.Time, _ resume) (none, error) {
	if err := wakeAll(tx); err != nil {
		return none{}, err
	}
	return none{}, tx.Delete(stopKey)
}

type stopped struct{}

func (stopped) Kind() string { return "stopped" }

func runStopped(tx kv.Tx, _ time.Time, _ stopped) (*Stopped, error) {
	s, known, err := kv.Load[Stopped](tx, stopKey)
	if err != nil || !known {
		return nil, err
	}
	return &s, nil
}

type restored struct{}

func (restored) Kind() string { return "restored" }

func runRestored(tx kv.Tx, _ time.Time, _ restored) (time.Time, error) {
	at, _, err := kv.Load[time.Time](tx, restoredKey)
	return at, err
}
