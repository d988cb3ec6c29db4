package compose

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/richtext"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// resendAfter is how long a message with the same subject counts as the same message. It equals the
// time for which its recipients' addresses are kept.
const resendAfter = 30 * 24 * time.Hour

// checkSubject fails with code Invalid if a subject is empty, too long, or not a single line
// without control characters.
func checkSubject(subject string) error {
	n := excess(subject)
	switch {
	case strings.TrimSpace(subject) == "":
		return fault.New(fault.Invalid, "Write a subject").In("subject")
	case n > 0:
		return fault.New(fault.Invalid, "The subject is too long: shorten it by %d characters", n).In("subject")
	case subject != notify.PlainLine(subject):
		return fault.New(fault.Invalid, "Write the subject in one line, without control characters").In("subject")
	}
	return nil
}

// excess returns how many characters must be removed from the end of a subject so that it has at
// most notify.MaxSubject bytes.
func excess(subject string) (n int) {
	for ; len(subject) > notify.MaxSubject; n++ {
		_, size := utf8.DecodeLastRuneInString(subject)
		subject = subject[:len(subject)-size]
	}
	return n
}

// checkChangeID fails with code Invalid if the request's change ID is malformed, or if it is
// missing although the message is to be sent again.
func checkChangeID(r NewsRequest) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"
	switch {
	case r.Resend && r.ChangeID == "":
		return fault.New(fault.Invalid, "To send a message again, pass a change ID").In("changeId")
	case len(r.ChangeID) > 64 || strings.Trim(r.ChangeID, letters) != "":
		return fault.New(fault.Invalid, "A change ID can have at most 64 letters, digits and hyphens").In("changeId")
	}
	return nil
}

// checkPictures fails with code Invalid if a message shows a picture of the site that does not
// exist.
func (s *Services) checkPictures(ctx context.Context, body string) error {
	if s.Content == nil {
		return nil
	}
	missing, err := s.Content.Missing(ctx, richtext.Images(body))
	if err == nil && len(missing) > 0 {
		err = fault.New(fault.Invalid, "The picture %s does not exist: choose another one or remove it",
			missing[0]).In("body")
	}
	return err
}

// checkSegment returns the segment without duplicates, in order. It fails with code Invalid for
// a value that no pledge can have.
func checkSegment(a broadcast.Segment, c *campaign.Campaign) (broadcast.Segment, error) {
	statuses := []string{string(pledge.Active), string(pledge.PaymentFailed), string(pledge.Charged)}
	for _, part := range []struct {
		name  string
		list  *[]string
		valid func(string) bool
	}{
		{"rewards", &a.Rewards, func(id string) bool { _, ok := c.Tier(id); return ok }},
		{"statuses", &a.Statuses, func(s string) bool { return slices.Contains(statuses, s) }},
		{"countries", &a.Countries, pledge.IsCountry},
		{"languages", &a.Languages, func(l string) bool { return slices.Contains(languages, l) }},
	} {
		for i, value := range *part.list {
			if !part.valid(value) {
				return a, fault.New(fault.Invalid, "%s is not valid here",
					strconv.Quote(value)).In(fmt.Sprintf("audience.%s[%d]", part.name, i))
			}
		}
		list := slices.Clone(*part.list)
		slices.Sort(list)
		*part.list = slices.Compact(list)
	}
	return a, nil
}

// identityOf returns the identity of a message: its kind, campaign, and hashes of its content and
// segment. If Resend is set, it includes the change ID.
func identityOf(k notify.Kind, r NewsRequest, a broadcast.Segment) string {
	id := fmt.Sprintf("%s:%s:%s", k, r.CampaignSlug,
		notify.Hash(strings.Join([]string{r.Subject, r.Body, r.Label, r.URL}, "\x00")))
	if !a.All() {
		text, _ := json.Marshal(a) // encoding lists of strings cannot fail
		id += ":" + notify.Hash(string(text))
	}
	if r.Resend {
		id += ":" + r.ChangeID
	}
	return id
}

// alreadySentError is the error for a message that was already sent.
type alreadySentError struct {
	fault   *fault.Error
	Earlier EarlierNews `json:"earlier"`
}

func (e *alreadySentError) Error() string { return e.fault.Error() }
func (e *alreadySentError) Unwrap() error { return e.fault }
func (e *alreadySentError) Details() any  { return e }

// earlierNews returns the last message to the campaign's supporters that had the same subject and
// was sent less than resendAfter ago, or nil. It ignores the broadcast with the given ID, unless
// the request has another change ID, so that a repeated request does not find itself. It compares
// the maxEarlier newest messages.
func (s *Services) earlierNews(ctx context.Context, r NewsRequest, id string) (*EarlierNews, error) {
	all, err := s.Broadcasts.Sent(ctx, r.CampaignSlug, 0, maxEarlier)
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		same := strings.EqualFold(one.Subject, r.Subject)
		repeated := one.ID == id && (r.ChangeID == "" || one.ChangeID == r.ChangeID)
		if !same || repeated || s.Now().Sub(one.SentAt) >= resendAfter {
			continue
		}
		b, err := s.Broadcasts.Get(ctx, one.ID)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return nil, err
		}
		return &EarlierNews{one.ID, one.Subject, one.SentAt, b.Recipients}, nil
	}
	return nil, nil
}

// maxEarlier is how many of the newest sent messages are compared.
const maxEarlier = 50

func refuseResend(e EarlierNews) error {
	return &alreadySentError{
		fault: fault.New(fault.Conflict, "A message with this subject was already sent to %d supporters, on %s",
			e.Recipients, e.SentAt.Format("January 2, 2006")),
		Earlier: e,
	}
}

// NewsPreview is a message as a supporter gets it.
type NewsPreview struct {
	Subject string `json:"subject"`
	From    string `json:"from"`
	HTML    string `json:"html"`
	Text    string `json:"text"`
}

// PreviewNews renders an operator's message as a supporter with a language gets it. It sends
// nothing.
func (s *Services) PreviewNews(ctx context.Context, r NewsRequest, lang string) (NewsPreview, error) {
	m, err := s.draftNews(ctx, r, lang)
	if err != nil {
		return NewsPreview{}, err
	}
	return NewsPreview{m.Subject, s.Broadcasts.From, m.HTML, m.Text}, nil
}

// draftNews checks and renders a message that is not sent to supporters. Its unsubscribe link leads
// to the unsubscribe page, without a token.
func (s *Services) draftNews(ctx context.Context, r NewsRequest, lang string) (notify.Message, error) {
	c, err := s.Campaigns().Campaign(r.CampaignSlug)
	if err != nil {
		return notify.Message{}, err
	}
	if err := checkSubject(r.Subject); err != nil {
		return notify.Message{}, err
	}
	if err := s.checkPictures(ctx, r.Body); err != nil {
		return notify.Message{}, err
	}
	n := r.news(lang)
	n.Kind, n.Identity, n.To, n.Unsubscribe = notify.Blast, "news-draft:"+c.Slug, placeholderReader,
		string(s.Config.Site.Base)+"/mails/"
	return mailtext.NewsMail(n, c, s.links)
}

// Delivery counts a sent message's recipients by result.
type Delivery struct {
	Sent       int `json:"sent"`      // accepted by the provider, whatever happened later
	Delivered  int `json:"delivered"` // sent, and neither bounced nor marked as spam
	Bounced    int `json:"bounced"`
	Complained int `json:"complained"` // marked as spam
	// Withheld mails were not sent because their addresses are suppressed. Pending mails have not
	// been sent yet.
	Withheld int `json:"withheld"`
	Pending  int `json:"pending"`
}

func deliveryOf(states map[broadcast.State]int) Delivery {
	d := Delivery{
		Delivered: states[broadcast.Accepted], Bounced: states[broadcast.Bounced], Complained: states[broadcast.Complained],
		Withheld: states[broadcast.Suppressed], Pending: states[broadcast.Pending],
	}
	d.Sent = d.Delivered + d.Bounced + d.Complained
	return d
}
