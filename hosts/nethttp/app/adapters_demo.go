//go:build demo

package app

import (
	"context"
	"errors"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/providers"
	"github.com/pledgeworks/pledgeworks/notify"
)

// A program built with -tags demo omits the two largest libraries, Stripe's and PostgreSQL's, which
// take most of the compile time.
var errDemo = errors.New("this program was built with -tags demo, which supports only the simulated processor and SQLite: build it without the tag")

const signatureHeader = ""

func refundAccount(Options) func(context.Context) (psp.Account, error) { return nil }

func openStripe(Options) (psp.Processor, error) { return nil, errDemo }

func paymentPage(config.Config) func(paymentID string) string { return nil }

func openMail(providers.Providers) (notify.Sender, error) { return nil, errDemo }
