package reminder

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/order"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// Carts sends reminders of unfinished checkouts to supporters who opted in. All fields are
// required. It is safe for concurrent use.
type Carts struct {
	Store        kv.Store // the primary namespace
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Unsubscribe  suppression.Links
	Signer       token.Signer // signs the links that restore a cart
	SiteBase     string       // absolute URL
	Platform     mailtext.Platform
	Catalogue    func() *campaign.Catalogue
	Zone         *time.Location
	Now          func() time.Time
	// Pledged reports whether an address has a pledge to a campaign.
	Pledged func(ctx context.Context, email, slug string) (bool, error)
	// Delay is how long after its start a checkout counts as abandoned.
	Delay time.Duration
}

// DefaultDelay is a Delay that lets supporters finish a checkout later on the same day.
const DefaultDelay = 6 * time.Hour

// cart is the record abandoned-cart:{orderId}.
type cart struct {
	OrderID        string    `json:"orderId"`
	Email          string    `json:"email"`
	Lang           string    `json:"lang"`
	Campaigns      []string  `json:"campaigns"` // sorted slugs
	ConsentVersion string    `json:"consentVersion"`
	At             time.Time `json:"at"` // when the checkout started
}

// Snapshot is the record abandoned-cart-resume:{orderId}. It contains the chosen items, but
// no personal data.
type Snapshot struct {
	Cart      string   `json:"cart"` // as in the links of mails, such as "film__seat*2"; "" if it was too large
	Campaigns []string `json:"campaigns"`
}

// ResumeRequest asks for the content of an abandoned cart.
type ResumeRequest struct {
	Token string `json:"token"`
}

// CartIdentity returns the identity of the reminder for an order's unfinished checkout.
func CartIdentity(orderID string) string { return "abandoned-cart:" + orderID }

// The keys of the records.

func cartKey(orderID string) string   { return "abandoned-cart:" + orderID }
func resumeKey(orderID string) string { return "abandoned-cart-resume:" + orderID }

// cartSentKey is the key of the time when an address was reminded of a cart with these campaigns.
func cartSentKey(address string, slugs []string) string {
	sum := sha256.Sum256([]byte(strings.Join(slugs, ",")))
	return "abandoned-cart-sent:" + address + ":" + hex.EncodeToString(sum[:8])
}

// nextKey is the key of the time at which the next reminder is due. It lets the per-minute run read
// a single record.
const nextKey = "abandoned-cart-queue:v1"

// duePrefix is the prefix of the queue's keys, which sort by time:
// abandoned-cart-queue:v1:{due}:{orderId}.
const duePrefix = nextKey + ":"

const dueLayout = "2006-01-02T15:04:05Z"

func dueKey(due time.Time, orderID string) string {
	return duePrefix + due.UTC().Format(dueLayout) + ":" + orderID
}

func parseDueKey(key string) (due time.Time, orderID string, ok bool) {
	rest := strings.TrimPrefix(key, duePrefix)
	if len(rest) < len(dueLayout)+1 {
		return time.Time{}, "", false
	}
	due, err := time.Parse(dueLayout, rest[:len(dueLayout)])
	return due, rest[len(dueLayout)+1:], err == nil
}

// StartWrites returns the writes that queue a reminder of a checkout that has just started. It
// returns none without the supporter's consent. text is the chosen items in the format of
// Snapshot.Cart.
func (c *Carts) StartWrites(ctx context.Context, m order.Manifest, text string) ([]kv.Write, error) {
	if !m.AbandonedCartConsent {
		return nil, nil
	}
	slugs := slugsOf(m)
	due, until := c.due(m), m.BookedAt.Add(token.CartLife)
	record, err := kv.Record(cartKey(m.OrderID), cart{
		OrderID: m.OrderID, Email: m.Email, Lang: m.PreferredLang, Campaigns: slugs,
		ConsentVersion: ConsentVersion, At: m.BookedAt,
	}, until)
	if err != nil {
		return nil, err
	}
	snapshot, err := kv.Record(resumeKey(m.OrderID), Snapshot{Cart: text, Campaigns: slugs}, until)
	if err != nil {
		return nil, err
	}
	next, there, err := kv.Read[time.Time](ctx, c.Store, nextKey)
	if err != nil {
		return nil, err
	}
	if !there {
		next = due
	}
	marker, err := kv.Record(nextKey, earlier(next, due), time.Time{})
	if err != nil {
		return nil, err
	}
	queued, err := c.countWrite(ctx, Health{Queued: 1})
	return []kv.Write{record, snapshot, kv.PutUntil(dueKey(due, m.OrderID), []byte("{}"), until), marker, queued}, err
}

// EndWrites returns the writes that delete the cart of a checkout whose pledges were made. It
// returns none without the supporter's consent.
func (c *Carts) EndWrites(ctx context.Context, m order.Manifest) ([]kv.Write, error) {
	if !m.AbandonedCartConsent {
		return nil, nil
	}
	forget := append(deleteCart(m.OrderID), kv.Delete(dueKey(c.due(m), m.OrderID)))
	_, there, err := kv.Read[cart](ctx, c.Store, cartKey(m.OrderID))
	if err != nil || !there { // already counted
		return forget, err
	}
	completed, err := c.countWrite(ctx, Health{Completed: 1})
	return append(forget, completed), err
}

func deleteCart(orderID string) []kv.Write {
	return []kv.Write{kv.Delete(cartKey(orderID)), kv.Delete(resumeKey(orderID))}
}

// due returns when a reminder of the checkout is due, truncated to seconds like the queue's keys.
func (c *Carts) due(m order.Manifest) time.Time {
	return m.BookedAt.Add(c.Delay).UTC().Truncate(time.Second)
}

func slugsOf(m order.Manifest) []string {
	var slugs []string
	for _, part := range m.Campaigns {
		slugs = append(slugs, part.CampaignSlug)
	}
	return slugs
}

// Resume returns the content of the cart that a mail's token refers to. It changes nothing. It
// fails with code Unauthorized for an invalid token, and with code NotFound if the cart was
// deleted, for example because the pledge was made, or has expired.
func (c *Carts) Resume(ctx context.Context, r ResumeRequest) (Snapshot, error) {
	claims, err := c.Signer.Verify(r.Token, token.Cart, c.Now())
	if err != nil {
		return Snapshot{}, err
	}
	s, there, err := kv.Read[Snapshot](ctx, c.Store, resumeKey(claims.OrderID))
	if err == nil && !there {
		err = fault.New(fault.NotFound, "This cart is no longer available")
	}
	return s, err
}

// Dispatch processes at most limit carts that are due, and queues mails to supporters who have not
// pledged in the meantime. A cart that fails is retried after 15 minutes, and does not delay the
// others. If all is set, Dispatch lists the queue even if nothing is due according to the stored
// time of the next reminder, which may be lost.
func (c *Carts) Dispatch(ctx context.Context, limit int, all bool) error {
	now := c.Now().UTC()
	next, there, err := kv.Read[time.Time](ctx, c.Store, nextKey)
	if err != nil || !all && (!there || now.Before(next)) {
		return err
	}
	page, err := c.Store.List(ctx, kv.Query{Prefix: duePrefix, Limit: limit, KeysOnly: true})
	if err != nil || len(page.Entries) == 0 && !there {
		return err
	}
	var errs []error
	var seen Health
	var writes []kv.Write
	later := now.Add(c.Delay) // new checkouts are not due before then
	for _, e := range page.Entries {
		due, orderID, ok := parseDueKey(e.Key)
		if ok && now.Before(due) {
			later = earlier(later, due)
			break
		}
		w, became, err := c.remind(ctx, orderID)
		if err != nil {
			errs = append(errs, err)
			w, became = []kv.Write{kv.PutUntil(dueKey(now.Add(retryDelay), orderID), []byte("{}"), now.Add(token.CartLife))},
				Health{Failed: 1}
			later = earlier(later, now.Add(retryDelay))
		}
		writes, seen = append(append(writes, w...), kv.Delete(e.Key)), seen.plus(became)
	}
	if page.Next != "" && len(writes) > 0 {
		later = now
	}
	marker, err := kv.Record(nextKey, later, time.Time{})
	if err != nil {
		return err
	}
	writes = append(writes, marker)
	if seen != (Health{}) {
		counted, err := c.countWrite(ctx, seen)
		if err != nil {
			return err
		}
		writes = append(writes, counted)
	}
	return errors.Join(append(errs, c.Store.Apply(ctx, writes))...)
}

const retryDelay = 15 * time.Minute

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// remind returns the writes for a cart that is due, and the counts to add.
func (c *Carts) remind(ctx context.Context, orderID string) ([]kv.Write, Health, error) {
	record, there, err := kv.Read[cart](ctx, c.Store, cartKey(orderID))
	if err != nil {
		return nil, Health{}, err
	}
	if !there {
		return nil, Health{}, nil
	}
	for _, slug := range record.Campaigns {
		pledged, err := c.Pledged(ctx, record.Email, slug)
		if err != nil {
			return nil, Health{}, err
		}
		if pledged {
			return deleteCart(orderID), Health{Completed: 1}, nil
		}
	}
	open := c.openCampaigns(record.Campaigns)
	if len(open) == 0 {
		return deleteCart(orderID), Health{Skipped: 1}, nil
	}
	address := c.Suppressions.Address(record.Email)
	if _, sent, err := kv.Read[time.Time](ctx, c.Store, cartSentKey(address, record.Campaigns)); err != nil || sent {
		return deleteCart(orderID), Health{AlreadySent: 1}, err
	}
	return c.reminderWrites(ctx, record, open, address)
}

// openCampaigns returns the cart's campaigns that still accept pledges.
func (c *Carts) openCampaigns(slugs []string) []*campaign.Campaign {
	var open []*campaign.Campaign
	for _, slug := range slugs {
		if one, err := c.Catalogue().Campaign(slug); err == nil && one.Accepts(c.Now(), c.Zone) {
			open = append(open, one)
		}
	}
	return open
}

// reminderWrites returns the writes that queue a cart's reminder and delete its address. If the
// address is suppressed, it returns those that delete the cart.
func (c *Carts) reminderWrites(ctx context.Context, record cart, open []*campaign.Campaign,
	address string) ([]kv.Write, Health, error) {
	now := c.Now().UTC()
	m, err := c.message(record, open, now)
	if err != nil {
		return nil, Health{}, err
	}
	why, err := c.Suppressions.Suppressed(ctx,
		notify.Mail{Kind: m.Kind, Stream: m.Kind.Stream(), To: m.To, Campaign: m.Campaign})
	if err != nil {
		return nil, Health{}, err
	}
	if why != "" {
		return deleteCart(record.OrderID), Health{Suppressed: 1}, nil
	}
	writes, err := c.Outbox.Writes(ctx, m)
	if err != nil {
		return nil, Health{}, err
	}
	marker, err := kv.Record(cartSentKey(address, record.Campaigns), now, now.Add(sentLife))
	return append(writes, marker, kv.Delete(cartKey(record.OrderID))), Health{Sent: 1}, err
}

func (c *Carts) message(record cart, open []*campaign.Campaign, now time.Time) (notify.Message, error) {
	ends := record.At.Add(token.CartLife)
	t, err := c.Signer.Sign(token.Claims{Scope: token.Cart, OrderID: record.OrderID, Expires: ends})
	if err != nil {
		return notify.Message{}, err
	}
	about := notify.Message{Kind: notify.AbandonedCart, To: record.Email, Lang: record.Lang}
	if len(open) == 1 {
		about.Campaign = open[0].Slug
	}
	stop, err := c.Unsubscribe.Unsubscribe(about, now)
	if err != nil {
		return notify.Message{}, err
	}
	return mailtext.CartReminderMail(mailtext.Reminder{
		Identity: CartIdentity(record.OrderID), To: record.Email, Lang: record.Lang,
		Unsubscribe: stop, NotAfter: c.notAfter(open, now),
		Link: siteURL(c.SiteBase, record.Lang, "/checkout/#"+url.Values{"resume": {t}}.Encode()),
	}, open, c.Platform)
}

// notAfter returns when a reminder becomes useless: a day from now, or when the last of its
// campaigns ends if that is earlier.
func (c *Carts) notAfter(open []*campaign.Campaign, now time.Time) time.Time {
	var last time.Time
	for _, one := range open {
		if end := one.EndsAt(c.Zone); last.Before(end) {
			last = end
		}
	}
	if day := now.Add(24 * time.Hour); day.Before(last) {
		return day
	}
	return last
}

// PledgedBy returns a function for Carts.Pledged that reads the supporter's pledges. Cancelled
// pledges count too, because the supporter has made a decision.
func PledgedBy(orders order.Client) func(ctx context.Context, email, slug string) (bool, error) {
	return func(ctx context.Context, email, slug string) (bool, error) {
		ids, err := orders.PledgeIDs(ctx, email)
		if err != nil {
			return false, err
		}
		for _, id := range ids {
			p, err := orders.Pledge(ctx, id)
			if fault.Is(err, fault.NotFound) {
				continue // listed, but lost in a restore
			}
			if err != nil || p.CampaignSlug == slug {
				return err == nil, err
			}
		}
		return false, nil
	}
}
