package pledgeworks

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Parts are what a program hands in. Those of the first group are required.
type Parts struct {
	Store       kv.Store       // the primary namespace
	Coordinator kv.Coordinator // it runs the objects of Classes
	Processor   psp.Processor  // its mode decides whether real money moves
	Sender      notify.Sender
	// From is the sender of mails, such as "Films <pledges@example.org>". In the processor's
	// test mode, and while mails are held, it may be left out.
	From     string
	Tax      tax.Provider
	Shipping shipping.Policy
	// Catalogue returns what is for sale now.
	Catalogue func() *campaign.Catalogue
	// Site is the origin of the pages that mails link to, such as "https://example.org".
	Site string
	// Secret signs supporters' links: at least token.MinSecret random bytes, kept for as
	// long as a link may be followed.
	Secret []byte
	Now    func() time.Time
	Rand   io.Reader // unpredictable, such as crypto/rand.Reader
	Log    *slog.Logger

	// WebhookSecret signs the processor's webhooks. Without it they are refused, and a
	// checkout whose browser is gone is found when its reservation is due.
	WebhookSecret string
	// PublishableKey is the processor's key for browsers; without it checkout uses the
	// processor's own page.
	PublishableKey string
	// IntentSecret signs checkout tokens; without it a key made of Secret does.
	IntentSecret []byte
	// Votes is where supporters' votes are kept; without it, in Store.
	Votes kv.Store
	// Zone is where campaigns start and end; without it, UTC.
	Zone *time.Location
	// DefaultTip and MaxTip are percent of a pledge; 0 asks for no tip and takes none.
	DefaultTip, MaxTip int
	Platform           notify.Platform // whose site it is, for the feet of mails
	News               string          // the sender of reminders and updates; "" is From
	ReplyTo            string          // where answers to mails go; "" is From
	// Grouping says which pledges of an address are charged together; "" is
	// pledge.ByConfirmation.
	Grouping pledge.Grouping
	// Hold switches charging off.
	Hold bool
	// Next, Together, Holder, Leases and the sizes are as in settlement.Service and
	// reconcile.Service; SegmentSize is as in projection.Deps.
	Next                                        func(ctx context.Context, slug string) error
	Together                                    func(n int, do func(i int))
	Holder                                      func() settlement.Holder
	Leases                                      *settlement.Leases
	BatchSize, SweepSize, PageSize, SegmentSize int
}

// Check names everything that is missing or cannot be used, in one error.
func (p *Parts) Check() error {
	var missing []error
	need := func(there bool, name string) {
		if !there {
			missing = append(missing, errors.New("pledgeworks: "+name+" is required"))
		}
	}
	need(p.Store != nil, "Store")
	need(p.Coordinator != nil, "Coordinator")
	need(p.Processor != nil, "Processor")
	need(p.Sender != nil, "Sender")
	need(p.From != "" || p.held() || p.Processor == nil || p.Processor.Mode() == psp.Test, "From, where real money moves,")
	need(p.Tax != nil, "Tax")
	need(p.Shipping != nil, "Shipping")
	need(p.Catalogue != nil, "Catalogue")
	need(p.Now != nil, "Now")
	need(p.Rand != nil, "Rand")
	need(p.Log != nil, "Log")
	need(len(p.Secret) >= token.MinSecret, fmt.Sprintf("Secret, of at least %d bytes,", token.MinSecret))
	need(len(p.IntentSecret) == 0 || len(p.IntentSecret) >= token.MinSecret, fmt.Sprintf("an IntentSecret of at least %d bytes, or none,", token.MinSecret))
	need(isOrigin(p.Site), "Site, an origin such as https://example.org,")
	need(p.Grouping == "" || p.Grouping == pledge.ByConfirmation || p.Grouping == pledge.ByEmail, "a Grouping that exists, or none,")
	need(p.DefaultTip >= 0 && p.DefaultTip <= p.MaxTip && p.MaxTip <= 100, "a DefaultTip from 0 to MaxTip, which is at most 100,")
	return errors.Join(missing...)
}

// isOrigin reports whether mails can link to pages below s.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}

// withDefaults fills in what may be left out.
func (p Parts) withDefaults() Parts {
	if len(p.IntentSecret) == 0 {
		h := hmac.New(sha256.New, p.Secret)
		h.Write([]byte("checkout-intent"))
		p.IntentSecret = h.Sum(nil)
	}
	if p.Votes == nil {
		p.Votes = p.Store
	}
	if p.Zone == nil {
		p.Zone = time.UTC
	}
	if p.Leases == nil {
		p.Leases = &settlement.Leases{}
	}
	return p
}

// mute reports whether real money would move and nobody could be told of it.
func (p *Parts) mute() bool { return p.held() && p.Processor.Mode() == psp.Live }

func (p *Parts) held() bool {
	_, held := p.Sender.(notify.Held)
	return held
}
