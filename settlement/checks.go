package settlement

import (
	"context"
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/settlement/state"
)

// Switch returns the switch that stops and resumes the charging of all campaigns.
func (s *Service) Switch() state.Switch { return state.Switch{Coordinator: s.Coordinator} }

func (s *Service) platform() state.Platform { return state.Platform{Coordinator: s.Coordinator} }

// ChargingOff reports whether charging is stopped, or prevented by the configuration.
func (s *Service) ChargingOff(ctx context.Context) (bool, error) {
	err := s.checkStop(ctx)
	if errors.Is(err, state.ErrHeld) {
		return true, nil
	}
	return false, err
}

// checkStop fails with code Conflict and state.ErrHeld while charging is stopped or switched off,
// or mail cannot be sent.
func (s *Service) checkStop(ctx context.Context) error {
	if err := s.checkSwitchedOn(); err != nil {
		return err
	}
	is, err := s.Switch().Stopped(ctx)
	if err == nil && is != nil {
		err = is.Err()
	}
	return err
}

// checkSwitchedOn fails with code Conflict and state.ErrHeld if the configuration prevents
// charging.
func (s *Service) checkSwitchedOn() error {
	switch {
	case s.Disabled:
		return fault.Wrap(state.ErrHeld, fault.Conflict, "Charging is switched off by the configuration")
	case s.Mute:
		return fault.Wrap(state.ErrHeld, fault.Conflict, "Charging is off because no email provider is configured")
	}
	return nil
}

// ClockError returns how far this server's clock is ahead of the processor's; it is negative if our
// clock is behind. The processor returned its time between two readings of our clock; the larger of
// the two differences counts, because a slow response could hide that our clock is behind.
func ClockError(sent, received, reported time.Time) time.Duration {
	before, after := sent.Sub(reported), received.Sub(reported)
	if before.Abs() > after.Abs() {
		return before
	}
	return after
}

// Bind ties the database to the processor's account on first use, and returns the processor's
// time. It fails with code Conflict if the database belongs to another account or mode (the
// mode is compared without a request), and with Unavailable if the processor does not answer.
func (s *Service) Bind(ctx context.Context) (time.Time, error) {
	bound, err := s.platform().Account(ctx)
	if err != nil {
		return time.Time{}, err
	}
	mode := s.Processor.Mode()
	if bound != nil && !bound.Matches(mode, "") {
		return time.Time{}, bound.Err()
	}
	its, err := s.Processor.Account(ctx)
	if err != nil {
		return time.Time{}, fault.Wrap(err, fault.Unavailable, "The processor returned no account")
	}
	if bound == nil {
		made, err := s.platform().BindAccount(ctx, mode, its.ID)
		if err != nil {
			return time.Time{}, err
		}
		bound = &made
	}
	if !bound.Matches(mode, its.ID) {
		return time.Time{}, bound.Err()
	}
	return its.At, nil
}

// checkProcessor fails with code Conflict if this server's key does not belong to the
// database's account and mode, or if the server's clock is wrong.
func (s *Service) checkProcessor(ctx context.Context) error {
	asked := s.Now()
	at, err := s.Bind(ctx)
	if err != nil {
		return err
	}
	if off := ClockError(asked, s.Now(), at); off.Abs() > state.MaxClockError {
		return fault.Wrap(state.ErrHeld, fault.Conflict,
			"This server's clock is %s off the processor's. Nothing is charged, closed or deleted until it is right",
			off.Round(time.Second))
	}
	return nil
}
