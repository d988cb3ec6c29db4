package reminder

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// ConsentVersion names the words that people agree to on the pages: what a record proves.
const ConsentVersion = "2026-11"

// Launches reminds people of campaigns that begin. All fields but Challenge and Unasked
// are required. It is safe for concurrent use.
type Launches struct {
	Store        kv.Store // the primary namespace
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Unsubscribe  suppression.Links
	Links        notify.Links // its Signer signs the links that confirm
	Catalogue    func() *campaign.Catalogue
	Zone         *time.Location // in which campaigns begin
	Now          func() time.Time
	// Challenge checks that somebody is no robot, by what their page was given. It fails
	// with code Invalid for what shows nothing of the kind. It may be nil.
	Challenge func(ctx context.Context, response string) error
	// Unasked takes addresses at their word, without a mail that asks their owners.
	Unasked bool
}

// SignUp asks for a reminder of a campaign's launch.
type SignUp struct {
	CampaignSlug  string `json:"campaignSlug"`
	Email         string `json:"email"`
	Consent       bool   `json:"consent"`
	Challenge     string `json:"challenge,omitempty"` // what the challenge gave the page
	PreferredLang string `json:"preferredLang,omitempty"`
}

// SignedUp is the answer, the same for every address.
type SignedUp struct {
	OK     bool   `json:"ok"`
	Status string `json:"status"` // "registered"
	// Confirm says that the address' owner is asked before anything else is sent to it.
	Confirm bool `json:"confirm"`
}

// Confirmation is a page's answer to the mail that asks.
type Confirmation struct {
	Token         string `json:"token"`
	PreferredLang string `json:"preferredLang,omitempty"`
}

// Confirmed says what becomes of the reminder.
type Confirmed struct {
	CampaignSlug  string         `json:"campaignSlug"`
	CampaignTitle string         `json:"campaignTitle"`
	State         campaign.State `json:"state"` // a reminder comes while it is upcoming
}

// waiting is the record launch-reminder:{slug}:{address}.
type waiting struct {
	Email          string    `json:"email"`
	Lang           string    `json:"lang"`
	ConsentVersion string    `json:"consentVersion"`
	ConfirmedAt    time.Time `json:"confirmedAt"`
}

// SignUp registers an address, once it has confirmed that it wants to be. It fails with
// code Invalid and the field for bad input, a missing consent or a failed challenge,
// NotFound for a campaign that is not public, and Conflict for one that is not upcoming.
func (l *Launches) SignUp(ctx context.Context, r SignUp) (SignedUp, error) {
	answer := SignedUp{OK: true, Status: "registered", Confirm: !l.Unasked}
	email, err := pledge.ParseEmail(r.Email)
	if err != nil {
		return SignedUp{}, err
	}
	if !r.Consent {
		return SignedUp{}, fault.New(fault.Invalid, "Please agree to get this email").In("consent")
	}
	c, err := l.upcoming(r.CampaignSlug)
	if err != nil {
		return SignedUp{}, err
	}
	if l.Challenge != nil {
		if err := l.Challenge(ctx, r.Challenge); err != nil {
			return SignedUp{}, err
		}
	}
	lang := pledge.Language(r.PreferredLang)
	if l.Unasked {
		return answer, l.register(ctx, c, email, lang)
	}
	return answer, l.ask(ctx, c, email, lang)
}

func (l *Launches) upcoming(slug string) (*campaign.Campaign, error) {
	c, err := l.public(slug)
	if err == nil && c.State(l.Now(), l.Zone) != campaign.Upcoming {
		err = fault.New(fault.Conflict, "The campaign has begun already").In("campaignSlug")
	}
	return c, err
}

func (l *Launches) public(slug string) (*campaign.Campaign, error) {
	c, err := l.Catalogue().Campaign(slug)
	if err == nil && !c.Public() {
		err = fault.New(fault.NotFound, "Campaign not found").In("campaignSlug")
	}
	return c, err
}

// ask mails the question whether the address wants a reminder, once a day, and not to one
// that waits already or takes no mails.
func (l *Launches) ask(ctx context.Context, c *campaign.Campaign, email, lang string) error {
	refused, err := l.Suppressions.Reasons(ctx, suppression.Scope{}, email)
	if err != nil || len(refused) > 0 {
		return err
	}
	if waits, err := l.Waiting(ctx, c.Slug, email); err != nil || waits {
		return err
	}
	now := l.Now()
	t, err := l.Links.Signer.Sign(token.Claims{Scope: token.Reminder, Email: email, CampaignSlug: c.Slug, Expires: now.Add(token.ReminderLife)})
	if err != nil {
		return err
	}
	r := l.reminder(c, email, lang, "/reminder/#"+url.Values{"t": {t}}.Encode())
	r.Identity = strings.Join([]string{"launch-confirmation", c.Slug, pledge.EmailHash(email), now.UTC().Format("20060102")}, ":")
	r.NotAfter = now.Add(token.ReminderLife)
	if r.Unsubscribe, err = l.stop(c, email, lang); err != nil {
		return err
	}
	m, err := notify.LaunchConfirmationOf(r, c, l.Links.Platform)
	if err != nil {
		return err
	}
	return l.Outbox.Queue(ctx, m)
}

// Confirm registers the address that the token of the mail was sent to, and takes back that
// it has unsubscribed from this reminder. It may be repeated. It fails with code
// Unauthorized for no such token, and NotFound where the campaign is gone.
func (l *Launches) Confirm(ctx context.Context, r Confirmation) (Confirmed, error) {
	claims, err := l.Links.Signer.Verify(r.Token, token.Reminder, l.Now())
	if err != nil {
		return Confirmed{}, err
	}
	c, err := l.public(claims.CampaignSlug)
	if err != nil {
		return Confirmed{}, err
	}
	out := Confirmed{CampaignSlug: c.Slug, CampaignTitle: c.Title, State: c.State(l.Now(), l.Zone)}
	if out.State != campaign.Upcoming {
		return out, nil
	}
	scope := suppression.Scope{Topic: suppression.Launch, Campaign: c.Slug}
	if err := l.Suppressions.Clear(ctx, scope, claims.Email, suppression.Asked); err != nil {
		return Confirmed{}, err
	}
	return out, l.register(ctx, c, claims.Email, pledge.Language(r.PreferredLang))
}

// register notes that an address waits, and that there is somebody to be told.
func (l *Launches) register(ctx context.Context, c *campaign.Campaign, email, lang string) error {
	now := l.Now().UTC()
	record, err := kv.Record(waitingKey(c.Slug, l.Suppressions.Address(email)), waiting{Email: email, Lang: lang, ConsentVersion: ConsentVersion, ConfirmedAt: now}, l.end(c, now))
	if err != nil {
		return err
	}
	writes := []kv.Write{record}
	d, there, err := kv.Read[dispatch](ctx, l.Store, dispatchKey(c.Slug))
	if err != nil {
		return err
	}
	if !there || d.DoneAt != nil {
		begun, err := kv.Record(dispatchKey(c.Slug), dispatch{}, time.Time{})
		if err != nil {
			return err
		}
		writes = append(writes, begun)
	}
	return l.Store.Apply(ctx, writes)
}

// end is when an address is forgotten that was never written to.
func (l *Launches) end(c *campaign.Campaign, now time.Time) time.Time {
	if c.Start.IsZero() {
		return now.Add(undated)
	}
	return c.StartsAt(l.Zone).Add(Stale)
}

// stop is the address by which a reader unsubscribes from the reminder.
func (l *Launches) stop(c *campaign.Campaign, email, lang string) (string, error) {
	return l.Unsubscribe.Unsubscribe(notify.Message{Kind: notify.LaunchReminder, To: email, Campaign: c.Slug, Lang: lang}, l.Now())
}

// reminder is a mail that leads to a path of the site, in its reader's language.
func (l *Launches) reminder(c *campaign.Campaign, email, lang, path string) notify.Reminder {
	return notify.Reminder{To: email, Lang: lang, Link: page(l.Links.SiteBase, lang, path)}
}

// page is an address of the site.
func page(base, lang, path string) string {
	prefix := ""
	if lang != "" && lang != "en" {
		prefix = "/" + lang
	}
	return strings.TrimRight(base, "/") + prefix + path
}

// Waiting reports whether an address waits for a campaign to begin.
func (l *Launches) Waiting(ctx context.Context, slug, email string) (bool, error) {
	for _, address := range l.Suppressions.Addresses(email) {
		if _, there, err := kv.Read[waiting](ctx, l.Store, waitingKey(slug, address)); err != nil || there {
			return there, err
		}
	}
	return false, nil
}
