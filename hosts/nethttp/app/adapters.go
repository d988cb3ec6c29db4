//go:build !demo

package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/checkout/psp/stripe"
	"github.com/pledgeworks/pledgeworks/hosts/challenge"
	"github.com/pledgeworks/pledgeworks/hosts/challenge/turnstile"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/fetch/overhttp"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/postmark"
	"github.com/pledgeworks/pledgeworks/notify/resend"
	"github.com/pledgeworks/pledgeworks/notify/ses"
	"github.com/pledgeworks/pledgeworks/notify/smtp"
)

// signatureHeader contains the signature of Stripe's webhooks.
const signatureHeader = stripe.SignatureHeader

func openStripe(o Options) (psp.Processor, error) {
	return stripe.New(stripe.Options{Key: o.Config.PSPSecretKey().Reveal(), Now: o.Now, BaseURL: string(o.Config.Processor.API)})
}

// paymentPage returns a function that returns a payment's URL in Stripe's dashboard. It returns nil
// if requests go to another server, such as a simulator.
func paymentPage(c config.Config) func(paymentID string) string {
	if c.Processor.API != "" {
		return nil
	}
	return func(paymentID string) string { return stripe.PaymentPage(c.Mode.App, paymentID) }
}

// mailTimeout is the timeout of requests to mail providers.
const mailTimeout = 30 * time.Second

// openMail returns a client for the configured mail provider. It fails with errNoProvider if none
// is configured.
func openMail(c config.Config, now func() time.Time) (notify.Sender, error) {
	switch {
	case c.Secrets.EmailAPIKey.IsSet():
		return resend.New(resend.Options{Key: c.Secrets.EmailAPIKey.Reveal(), Fetch: overhttp.New(nil, mailTimeout), BaseURL: string(c.Mail.API)})
	case c.Secrets.Postmark.IsSet():
		return postmark.New(postmark.Options{Token: c.Secrets.Postmark.Reveal(), Fetch: overhttp.New(nil, mailTimeout)})
	case c.Secrets.SES.IsSet():
		return ses.New(ses.Options{
			Region: c.Mail.SESRegion, KeyID: c.Mail.SESKeyID, Secret: c.Secrets.SES.Reveal(), ConfigurationSet: c.Mail.SESConfigurationSet,
			Fetch: overhttp.New(nil, mailTimeout), Now: now,
		})
	case c.Secrets.SMTP.IsSet():
		o, err := smtp.Parse(c.Secrets.SMTP.Reveal())
		if err != nil {
			return nil, fmt.Errorf("SMTP_URL: %w", err)
		}
		o.Now = now
		if c.Secrets.DKIM.IsSet() {
			if o.DKIM, err = smtp.NewDKIM(c.Mail.DKIMSelector, c.Secrets.DKIM.Reveal()); err != nil {
				return nil, fmt.Errorf("SMTP_DKIM_KEY: %w", err)
			}
		}
		return smtp.New(o)
	}
	return nil, errNoProvider
}

// openChallenge returns a function that verifies challenges, or nil if reminders require none.
func openChallenge(c config.Config) challenge.Check {
	if !c.Challenged() {
		return nil
	}
	return turnstile.Checker{Secret: c.Secrets.Challenge.Reveal(), Fetch: overhttp.New(nil, challengeTimeout)}.Check
}

// challengeTimeout is how long a form submission waits for the verification of its challenge.
const challengeTimeout = 10 * time.Second

// certificateTimeout is the timeout for fetching the SNS certificate. SNS itself waits 15 seconds
// for the response to its webhook.
const certificateTimeout = 10 * time.Second

// openReports returns the parser of the mail provider's webhooks, or nil if webhooks are not
// configured.
func openReports(c config.Config, now func() time.Time) (notify.Listener, error) {
	if user, password, ok := strings.Cut(c.Secrets.PostmarkWebhook.Reveal(), ":"); ok {
		l, err := postmark.NewListener(user, password, now)
		if err != nil {
			return nil, fmt.Errorf("POSTMARK_WEBHOOK_LOGIN: %w", err)
		}
		return l, nil
	}
	if c.Mail.SESTopic != "" {
		l, err := ses.NewListener(c.Mail.SESTopic, overhttp.New(nil, certificateTimeout), now)
		if err != nil {
			return nil, fmt.Errorf("SES_TOPIC_ARN: %w", err)
		}
		return l, nil
	}
	if !c.Secrets.EmailWebhook.IsSet() {
		return nil, nil
	}
	l, err := resend.NewListener(c.Secrets.EmailWebhook.Reveal(), now)
	if err != nil {
		return nil, fmt.Errorf("EMAIL_WEBHOOK_SECRET: %w", err)
	}
	return l, nil
}
