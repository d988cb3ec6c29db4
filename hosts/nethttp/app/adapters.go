//go:build !demo

package app

import (
	"context"
	"fmt"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/providers"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/smtp"
)

// signatureHeader contains the signature of Stripe's webhooks.
const signatureHeader = stripe.SignatureHeader

func openStripe(o Options) (psp.Processor, error) {
	return stripe.New(stripe.Options{
		Key: o.Config.PSPSecretKey().Reveal(), RefundKey: o.Config.PSPRefundKey().Reveal(), Now: o.Now,
		BaseURL: string(o.Config.Processor.API),
	})
}

// refundAccount returns a function that reads the account of the key for refunds. It returns nil if there is none.
func refundAccount(o Options) func(ctx context.Context) (psp.Account, error) {
	key := o.Config.PSPRefundKey()
	if !key.IsSet() || o.Config.Processor.Provider != config.Stripe {
		return nil
	}
	p, err := stripe.New(stripe.Options{Key: key.Reveal(), Now: o.Now, BaseURL: string(o.Config.Processor.API)})
	if err != nil {
		return nil // a configuration error
	}
	return p.Account
}

// paymentPage returns a function that returns a payment's URL in Stripe's dashboard. It returns nil
// if requests go to another server, such as a simulator.
func paymentPage(c config.Config) func(paymentID string) string {
	if c.Processor.API != "" {
		return nil
	}
	return func(paymentID string) string { return stripe.PaymentPage(c.Mode.App, paymentID) }
}

// openMail returns a client for the configured mail provider or mail server. It fails with
// errNoProvider if neither is configured.
func openMail(open providers.Providers) (notify.Sender, error) {
	c := open.Config
	sender, err := open.Mail()
	if sender != nil || err != nil {
		return sender, err
	}
	if !c.Secrets.SMTP.IsSet() {
		return nil, errNoProvider
	}
	o, err := smtp.Parse(c.Secrets.SMTP.Reveal())
	if err != nil {
		return nil, fmt.Errorf("SMTP_URL: %w", err)
	}
	o.Now = open.Now
	if c.Secrets.DKIM.IsSet() {
		if o.DKIM, err = smtp.NewDKIM(c.Mail.DKIMSelector, c.Secrets.DKIM.Reveal()); err != nil {
			return nil, fmt.Errorf("SMTP_DKIM_KEY: %w", err)
		}
	}
	return smtp.New(o)
}
