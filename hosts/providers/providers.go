// Package providers opens the clients of the external services that a configuration selects: mail,
// bot checks, tax rates, carrier rates, the Git host and the media bucket. Hosts differ only in how
// they send requests:
//
//	open := providers.Providers{
//		Config: cfg, Now: now, System: time.Now,
//		Fetch: func(timeout time.Duration, maxBody int64) fetch.Sender {
//			return overhttp.New(nil, timeout).Reading(maxBody)
//		},
//	}
//	sender, err := open.Mail()
//
// Each method returns nil without an error if the configuration does not select a service.
package providers

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/media"
	"github.com/pledgeworks/pledgeworks/admin/media/s3"
	"github.com/pledgeworks/pledgeworks/admin/repository/forge"
	"github.com/pledgeworks/pledgeworks/hosts/challenge"
	"github.com/pledgeworks/pledgeworks/hosts/challenge/turnstile"
	"github.com/pledgeworks/pledgeworks/hosts/config"
	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/postmark"
	"github.com/pledgeworks/pledgeworks/notify/resend"
	"github.com/pledgeworks/pledgeworks/notify/ses"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/shipping/usps"
	"github.com/pledgeworks/pledgeworks/tax"
	"github.com/pledgeworks/pledgeworks/tax/live"
)

// Providers opens clients. All fields but Transport are required.
type Providers struct {
	Config config.Config
	Now    func() time.Time // with the configured offset
	// System returns the time without the offset. It is used for signatures, whose time the bucket
	// compares with its own clock.
	System func() time.Time
	// Fetch returns a sender that waits at most timeout for a response and reads at most maxBody
	// bytes of it.
	Fetch func(timeout time.Duration, maxBody int64) fetch.Sender
	// Transport sends the requests for tax and carrier rates; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

const (
	mailTimeout = 30 * time.Second
	// challengeTimeout is how long a form submission waits for the verification of its bot check.
	challengeTimeout = 10 * time.Second
	// certificateTimeout is the timeout for fetching the SNS certificate. SNS itself waits 15
	// seconds for the response to its webhook.
	certificateTimeout = 10 * time.Second
	gitTimeout         = time.Minute
	// filmTimeout is the timeout of transfers between the service and the bucket.
	filmTimeout = 5 * time.Minute

	maxResponse = 4 << 20 // bytes
	// maxGitResponse is the maximum size of a Git host's response in bytes. It has room for the
	// largest file in base64.
	maxGitResponse = 64 << 20
)

// Mail returns a client for the configured mail provider with an HTTP API. SMTP servers are not
// included, because not every host can open connections to them.
func (p Providers) Mail() (notify.Sender, error) {
	c, sender := p.Config, p.Fetch(mailTimeout, maxResponse)
	switch {
	case c.Secrets.EmailAPIKey.IsSet():
		return resend.New(resend.Options{Key: c.Secrets.EmailAPIKey.Reveal(), Fetch: sender, BaseURL: string(c.Mail.API)})
	case c.Secrets.Postmark.IsSet():
		return postmark.New(postmark.Options{Token: c.Secrets.Postmark.Reveal(), Fetch: sender})
	case c.Secrets.SES.IsSet():
		return ses.New(ses.Options{
			Region: c.Mail.SESRegion, KeyID: c.Mail.SESKeyID, Secret: c.Secrets.SES.Reveal(),
			ConfigurationSet: c.Mail.SESConfigurationSet, Fetch: sender, Now: p.Now,
		})
	}
	return nil, nil
}

// MailReports returns the parser of the mail provider's webhooks, which report bounces and
// complaints. Its error names the invalid setting.
func (p Providers) MailReports() (notify.Listener, error) {
	c := p.Config
	var (
		listener notify.Listener
		err      error
		setting  string
	)
	user, password, isPostmark := strings.Cut(c.Secrets.PostmarkWebhook.Reveal(), ":")
	switch {
	case isPostmark:
		setting = "POSTMARK_WEBHOOK_LOGIN"
		listener, err = postmark.NewListener(user, password, p.Now)
	case c.Mail.SESTopic != "":
		setting = "SES_TOPIC_ARN"
		listener, err = ses.NewListener(c.Mail.SESTopic, p.Fetch(certificateTimeout, maxResponse), p.Now)
	case c.Secrets.EmailWebhook.IsSet():
		setting = "EMAIL_WEBHOOK_SECRET"
		listener, err = resend.NewListener(c.Secrets.EmailWebhook.Reveal(), p.Now)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", setting, err)
	}
	return listener, nil
}

// Challenge returns the function that verifies responses to the configured bot check.
func (p Providers) Challenge() challenge.Check {
	if !p.Config.Challenged() && !p.Config.SignInChallenged() {
		return nil
	}
	return turnstile.Checker{
		Secret: p.Config.Secrets.Challenge.Reveal(), Fetch: p.Fetch(challengeTimeout, maxResponse),
	}.Check
}

// TaxLookup returns the rate service of the configured tax provider. If tables is set, New Mexico's
// rates come only from the built-in table, and TaxLookup returns nil for that provider. Its error
// names the invalid setting.
func (p Providers) TaxLookup(tables bool) (tax.Lookup, error) {
	c := p.Config
	switch c.Tax.Provider {
	case config.TaxNMGRT:
		if tables {
			return nil, nil
		}
		s, err := live.NewEDAC(live.Options{
			Base: cmp.Or(string(c.Tax.NMGRTAPI), live.EDACBase), Transport: p.Transport, Now: p.Now,
		})
		if err != nil {
			return nil, fmt.Errorf("NM_GRT_API_BASE: %w", err)
		}
		return s, nil
	case config.TaxLocal:
		s, err := live.NewZIPTax(live.Options{
			Base: cmp.Or(string(c.Tax.LocalAPI), live.ZIPTaxBase), Key: c.Secrets.LocalTaxAPIKey.Reveal(),
			Transport: p.Transport, Now: p.Now,
		})
		if err != nil {
			return nil, fmt.Errorf("LOCAL_TAX_API_BASE: %w", err)
		}
		return s, nil
	}
	return nil, nil
}

// Carrier returns the client of the configured carrier. Its error names CARRIER_ENABLED.
func (p Providers) Carrier() (shipping.Carrier, error) {
	c := p.Config.Carrier
	if !c.Enabled {
		return nil, nil
	}
	carrier, err := usps.New(usps.Options{
		Base: string(c.API), ClientID: c.ClientID, ClientSecret: p.Config.Secrets.CarrierClient.Reveal(),
		OriginCountry: string(p.Config.Shipping.OriginCountry), OriginZIP: p.Config.Shipping.OriginZIP,
		Commercial: c.PriceType == config.CommercialPrices, Timeout: c.Timeout, QuoteTTL: c.QuoteTTL,
		FailureCooldown: c.FailureCooldown, RateLimitCooldown: c.RateLimitCooldown, Transport: p.Transport, Now: p.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("CARRIER_ENABLED: %w", err)
	}
	return carrier, nil
}

// GitHost returns the content repository at GitHub or Gitea, or nil if the content is elsewhere.
func (p Providers) GitHost() *forge.Repository {
	kind, where := p.Config.Content.Place()
	if kind != config.ContentGitHub && kind != config.ContentGitea {
		return nil
	}
	c := p.Config.Content
	o := forge.Options{
		Fetch: p.Fetch(gitTimeout, maxGitResponse), Name: where, Branch: c.Branch, Folder: c.Folder,
		Token: p.Config.Secrets.Content.Reveal(), Now: p.Now,
	}
	if kind == config.ContentGitHub {
		return forge.GitHub(o)
	}
	name := strings.LastIndexByte(where, '/')
	owner := strings.LastIndexByte(where[:name], '/')
	o.Base, o.Name = where[:owner]+"/api/v1", where[owner+1:]
	return forge.Gitea(o)
}

// Films returns the client of the media bucket. Its error names MEDIA_STORE_URL.
func (p Providers) Films() (*s3.Store, error) {
	c := p.Config
	if c.Media.Bucket == "" {
		return nil, nil
	}
	s, err := s3.New(s3.Options{
		Fetch: p.Fetch(filmTimeout, media.Video.MaxSize()+1), Bucket: c.Media.Bucket, Region: c.Media.Region,
		KeyID: c.Media.KeyID, Secret: c.Secrets.MediaStore.Reveal(), Public: c.Media.Public, Now: p.System,
	})
	if err != nil {
		return nil, fmt.Errorf("MEDIA_STORE_URL: %w", err)
	}
	return s, nil
}
