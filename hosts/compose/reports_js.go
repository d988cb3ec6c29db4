package compose

import (
	"context"

	"github.com/pledgeworks/pledgeworks/notify"
)

// reportToRunners does nothing on Workers, whose size limit leaves no room for reports.
func (s *Services) reportToRunners(context.Context) error { return nil }

func (s *Services) readerChecks() func(context.Context) ([]string, error) { return nil }

func (s *Services) verifier() notify.Verifier { return s.Settlement }
