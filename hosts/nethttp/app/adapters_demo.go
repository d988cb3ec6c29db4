//go:build demo

package app

import (
	"errors"
	"time"

	"github.com/pledgeworks/pledgeworks/challenge"
	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/notify"
)

// A program that is built for trying the service leaves out the two largest libraries,
// the processor's and the database's, which take most of the time to compile.
var errDemo = errors.New("this program was built with -tags demo, for the simulated processor and SQLite alone: build it without the tag")

const signatureHeader = ""

func openStripe(Options) (psp.Processor, error) { return nil, errDemo }

func openMail(config.Config, func() time.Time) (notify.Sender, error) { return nil, errDemo }

func openChallenge(config.Config) challenge.Check { return nil }

func openReports(config.Config, func() time.Time) (notify.Listener, error) { return nil, nil }
