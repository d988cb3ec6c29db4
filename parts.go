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
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/settlement"
	"github.com/pledgeworks/pledgeworks/settlement/state"
	"github.com/pledgeworks/pledgeworks/shipping"
	"github.com/pledgeworks/pledgeworks/tax"
)

// Parts are the dependencies and settings of Services. Those in the first group are
// required.
type Parts struct {
	Store       kv.Store       // the primary namespace
	Coordinator kv.Coordinator // must run the objects of Classes
	Processor   psp.Processor  // its mode determines whether real money moves
	Sender      notify.Sender
	// From is the sender of mails, such as "Films <pledges@example.org>". It is optional in
	// the processor's test mode and while mails are held.
	From     string
	Tax      tax.Provider
	Shipping shipping.Policy
	// Catalogue returns the current campaigns and add-ons.
	Catalogue func() *campaign.Catalogue
	// Site is the origin of the pages that mails link to, such as "https://example.org".
	Site string
	// Secret signs supporters' links. It must have at least token.MinSecret random bytes
	// and be kept for as long as links are valid.
	Secret []byte
	Now    func() time.Time
	Rand   io.Reader // must be unpredictable, such as crypto/rand.Reader
	Log    *slog.Logger

	// WebhookSecret verifies the processor's webhooks. Without it, webhooks are ignored, and a
	// checkout whose browser was closed is completed when its reservation is due.
	WebhookSecret string
	// PublishableKey is the processor's key for browsers. Without it, checkout uses the
	// processor's hosted page.
	PublishableKey string
	// IntentSecret signs checkout tokens. By default, it is derived from Secret.
	IntentSecret []byte
	// Votes stores supporters' votes. The default is Store.
	Votes kv.Store
	// Zone is the time zone of campaign dates. The default is UTC.
	Zone *time.Location
	// DefaultTip and MaxTip are percentages of a pledge; 0 means no tip.
	DefaultTip, MaxTip int
	Platform           mailtext.Platform // the site's operator, for mail footers
	News               string            // sender of reminders and updates; "" means From
	ReplyTo            string            // reply address of mails; "" means From
	// Grouping selects which pledges of an address are charged together; "" means
	// pledge.ByConfirmation.
	Grouping pledge.Grouping
	// Hold disables charging.
	Hold bool
	// Next, Together, Holder, Leases and the sizes are documented in settlement.Service and
	// reconcile.Service, SegmentSize in projection.Deps.
	Next                                        func(ctx context.Context, slug string) error
	Together                                    func(n int, do func(i int))
	Holder                                      func() state.Holder
	Leases                                      *settlement.Leases
	BatchSize, SweepSize, PageSize, SegmentSize int
}

// Check returns one error that names every missing or invalid part.
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
	need(len(p.IntentSecret) == 0 || len(p.IntentSecret) >= token.MinSecret,
		fmt.Sprintf("an IntentSecret of at least %d bytes, or none,", token.MinSecret))
	need(isOrigin(p.Site), "Site, an origin such as https://example.org,")
	need(p.Grouping == "" || p.Grouping == pledge.ByConfirmation || p.Grouping == pledge.ByEmail,
		"a Grouping that exists, or none,")
	need(p.DefaultTip >= 0 && p.DefaultTip <= p.MaxTip && p.MaxTip <= 100,
		"a DefaultTip from 0 to MaxTip, which is at most 100,")
	return errors.Join(missing...)
}

// isOrigin reports whether s is an origin without a path.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		u.Path == "" && u.RawQuery == "" && u.Fragment == ""
}

// withDefaults sets optional parts to their defaults.
func withDefaults(p Parts) Parts {
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

// mute reports whether real money would move while mails are held.
func (p *Parts) mute() bool { return p.held() && p.Processor.Mode() == psp.Live }

func (p *Parts) held() bool {
	_, held := p.Sender.(notify.Held)
	return held
}
