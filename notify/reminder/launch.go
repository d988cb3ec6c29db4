package reminder

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/notify/suppression"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
)

// ConsentVersion identifies the consent text on the pages. It is stored as evidence.
const ConsentVersion = "2026-11"

// Launches sends reminders of campaign launches. All fields except Challenge and Unasked are
// required. It is safe for concurrent use.
type Launches struct {
	Store        kv.Store // the primary namespace
	Outbox       *notify.Outbox
	Suppressions *suppression.List
	Unsubscribe  suppression.Links
	Links        mailtext.Links // its Signer signs the confirmation links
	Catalogue    func() *campaign.Catalogue
	Zone         *time.Location // the zone of campaigns' dates
	Now          func() time.Time
	// Challenge verifies a bot check's response. It fails with code Invalid for an invalid
	// response. Without it, there is no bot check.
	Challenge func(ctx context.Context, response string) error
	// Unasked registers addresses without confirmation by their owners (single opt-in).
	Unasked bool
}

// SignUp is a request for a reminder of a campaign's launch.
type SignUp struct {
	CampaignSlug  string `json:"campaignSlug"`
	Email         string `json:"email"`
	Consent       bool   `json:"consent"`
	Challenge     string `json:"challenge,omitempty"` // the bot check's response
	PreferredLang string `json:"preferredLang,omitempty"`
}

// SignedUp is the response to a SignUp. It is the same for every address.
type SignedUp struct {
	OK     bool   `json:"ok"`
	Status string `json:"status"` // "registered"
	// Confirm reports whether the address must be confirmed by email first.
	Confirm bool `json:"confirm"`
}

// Confirmation is the request that confirms an address.
type Confirmation struct {
	Token         string `json:"token"`
	PreferredLang string `json:"preferredLang,omitempty"`
}

// Confirmed is the result of a confirmation.
type Confirmed struct {
	CampaignSlug  string         `json:"campaignSlug"`
	CampaignTitle string         `json:"campaignTitle"`
	State         campaign.State `json:"state"` // the reminder is registered only if upcoming
}

// signUpRecord is the record launch-reminder:{slug}:{address}.
type signUpRecord struct {
	Email          string    `json:"email"`
	Lang           string    `json:"lang"`
	ConsentVersion string    `json:"consentVersion"`
	ConfirmedAt    time.Time `json:"confirmedAt"`
}

// SignUp sends a mail that asks the address's owner to confirm it, or registers the address at once
// if Unasked is set. It sends no mail to an address that is suppressed for all mails or already
// waiting.
//
// It fails with code Invalid and the field's name for bad input, missing consent or a failed
// challenge, with code NotFound for a campaign that is not public, and with code Conflict for one
// that is not upcoming.
func (l *Launches) SignUp(ctx context.Context, r SignUp) (SignedUp, error) {
	answer := SignedUp{OK: true, Status: "registered", Confirm: !l.Unasked}
	email, err := pledge.ParseEmail(r.Email)
	if err != nil {
		return SignedUp{}, err
	}
	if !r.Consent {
		return SignedUp{}, fault.New(fault.Invalid, "Please agree to get this email").In("consent")
	}
	c, err := l.upcomingCampaign(r.CampaignSlug)
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
	return answer, l.sendConfirmation(ctx, c, email, lang)
}

// upcomingCampaign returns a public campaign that has not started yet. It fails with code NotFound
// or Conflict for others.
func (l *Launches) upcomingCampaign(slug string) (*campaign.Campaign, error) {
	c, err := l.publicCampaign(slug)
	if err == nil && c.State(l.Now(), l.Zone) != campaign.Upcoming {
		err = fault.New(fault.Conflict, "The campaign has already started").In("campaignSlug")
	}
	return c, err
}

func (l *Launches) publicCampaign(slug string) (*campaign.Campaign, error) {
	c, err := l.Catalogue().Campaign(slug)
	if err == nil && !c.Public() {
		err = fault.New(fault.NotFound, "Campaign not found").In("campaignSlug")
	}
	return c, err
}

// sendConfirmation queues the confirmation mail, at most once a day (UTC), unless the address is
// already waiting or is suppressed for all mails.
func (l *Launches) sendConfirmation(ctx context.Context, c *campaign.Campaign, email, lang string) error {
	refused, err := l.Suppressions.Reasons(ctx, suppression.Scope{}, email)
	if err != nil || len(refused) > 0 {
		return err
	}
	if waits, err := l.Waiting(ctx, c.Slug, email); err != nil || waits {
		return err
	}
	now := l.Now()
	t, err := l.Links.Signer.Sign(token.Claims{Scope: token.Reminder, Email: email,
		CampaignSlug: c.Slug, Expires: now.Add(token.ReminderLife)})
	if err != nil {
		return err
	}
	r := l.reminder(email, lang, "/reminder/#"+url.Values{"t": {t}}.Encode())
	r.Identity = strings.Join([]string{"launch-confirmation", c.Slug, pledge.EmailHash(email),
		now.UTC().Format("20060102")}, ":")
	r.NotAfter = now.Add(token.ReminderLife)
	if r.Unsubscribe, err = l.unsubscribeURL(c, email, lang); err != nil {
		return err
	}
	m, err := mailtext.LaunchConfirmationMail(r, c, l.Links.Platform)
	if err != nil {
		return err
	}
	return l.Outbox.Queue(ctx, m)
}

// Confirm registers the address that the token was mailed to, and undoes an earlier unsubscribe
// from this reminder. If the campaign is no longer upcoming, it does neither. It can be repeated.
// It fails with code Unauthorized for an invalid token, and with code NotFound if the campaign is
// no longer public.
func (l *Launches) Confirm(ctx context.Context, r Confirmation) (Confirmed, error) {
	claims, err := l.Links.Signer.Verify(r.Token, token.Reminder, l.Now())
	if err != nil {
		return Confirmed{}, err
	}
	c, err := l.publicCampaign(claims.CampaignSlug)
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

// register stores a waiting address, and an empty dispatch for its campaign unless one is pending.
func (l *Launches) register(ctx context.Context, c *campaign.Campaign, email, lang string) error {
	now := l.Now().UTC()
	record, err := kv.Record(waitingKey(c.Slug, l.Suppressions.Address(email)),
		signUpRecord{Email: email, Lang: lang, ConsentVersion: ConsentVersion, ConfirmedAt: now}, l.expiry(c, now))
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

// expiry returns when the record of a waiting address expires.
func (l *Launches) expiry(c *campaign.Campaign, now time.Time) time.Time {
	if c.Start.IsZero() {
		return now.Add(undatedLife)
	}
	return c.StartsAt(l.Zone).Add(Stale)
}

// unsubscribeURL returns the unsubscribe URL of a reminder.
func (l *Launches) unsubscribeURL(c *campaign.Campaign, email, lang string) (string, error) {
	return l.Unsubscribe.Unsubscribe(notify.Message{Kind: notify.LaunchReminder, To: email, Campaign: c.Slug, Lang: lang},
		l.Now())
}

// reminder returns a Reminder whose link leads to a path of the site in the reader's language.
func (l *Launches) reminder(email, lang, path string) mailtext.Reminder {
	return mailtext.Reminder{To: email, Lang: lang, Link: siteURL(l.Links.SiteBase, lang, path)}
}

// siteURL returns the URL of a path of the site in a language.
func siteURL(base, lang, path string) string {
	prefix := ""
	if lang != "" && lang != "en" {
		prefix = "/" + lang
	}
	return strings.TrimRight(base, "/") + prefix + path
}

// Count returns how many addresses wait for a campaign's launch, at most kv.MaxPage. It lists
// keys and reads no record.
func (l *Launches) Count(ctx context.Context, slug string) (int, error) {
	page, err := l.Store.List(ctx, kv.Query{Prefix: waitingPrefix(slug), Limit: kv.MaxPage, KeysOnly: true})
	return len(page.Entries), err
}

// Waiting reports whether an address is waiting for a campaign's launch.
func (l *Launches) Waiting(ctx context.Context, slug, email string) (bool, error) {
	for _, address := range l.Suppressions.Addresses(email) {
		if _, there, err := kv.Read[signUpRecord](ctx, l.Store, waitingKey(slug, address)); err != nil || there {
			return there, err
		}
	}
	return false, nil
}
