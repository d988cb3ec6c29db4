package compose

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/broadcast"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
)

// languages are the languages of broadcasts.
var languages = []string{"en", "es"}

func (s *Services) send(ctx context.Context, k notify.Kind, r NewsRequest) (Broadcasting, error) {
	c, err := s.Campaigns().Campaign(r.CampaignSlug)
	if err != nil {
		return Broadcasting{}, err
	}
	m, err := s.checkNews(ctx, c, k, r)
	if err != nil {
		return Broadcasting{}, err
	}
	earlier, err := s.earlierNews(ctx, r, broadcast.ID(m.Identity))
	if err != nil {
		return Broadcasting{}, err
	}
	if earlier != nil && !r.DryRun && !r.Resend {
		return Broadcasting{}, refuseResend(*earlier)
	}
	result, err := s.broadcast(ctx, m, r.DryRun, r.Hash)
	if err != nil || r.DryRun {
		result.Earlier = earlier
		return result, err
	}
	return result, s.Broadcasts.RecordSent(ctx, m,
		broadcast.Words{Subject: r.Subject, Body: r.Body, Label: r.Label, URL: r.URL}, r.ChangeID)
}

// checkNews checks an operator's message and renders it.
func (s *Services) checkNews(ctx context.Context, c *campaign.Campaign, k notify.Kind,
	r NewsRequest) (broadcast.Message, error) {
	if err := checkSubject(r.Subject); err != nil {
		return broadcast.Message{}, err
	}
	if err := checkChangeID(r); err != nil {
		return broadcast.Message{}, err
	}
	if err := s.checkPictures(ctx, r.Body); err != nil {
		return broadcast.Message{}, err
	}
	segment, err := checkSegment(r.Audience, c)
	if err != nil {
		return broadcast.Message{}, err
	}
	m, err := s.renderNews(c, k, identityOf(k, r, segment), r.news)
	if !segment.All() {
		m.Segment = &segment
	}
	return m, err
}

func (r NewsRequest) news(lang string) mailtext.News {
	return mailtext.News{
		Subject: r.Subject, Label: r.Label, URL: r.URL, Lang: lang,
		Content: []campaign.Block{{Type: campaign.TextBlock, Text: r.Body}},
	}
}

// TestNews emails an operator's message, marked as a test, to the operator only. It is not a
// broadcast and is not recorded. Requests with the same ID send one email.
func (s *Services) TestNews(ctx context.Context, r NewsRequest, to, lang, id string) error {
	m, err := s.draftNews(ctx, r, lang)
	if err != nil {
		return err
	}
	m.Identity, m.To, m.Subject = "news-test:"+r.CampaignSlug+":"+id, to, "[Test] "+m.Subject
	m.Kind, m.Unsubscribe = notify.NewsTest, ""
	return s.Outbox.Queue(ctx, m)
}

// SentNews is a page of the messages sent to a campaign's supporters, newest first.
type SentNews struct {
	Sent []SentMessage `json:"sent"`
	Next int           `json:"next"` // cursor of the next page; 0 on the last
}

// SentMessage is a sent message with the states of its mails.
type SentMessage struct {
	broadcast.Sent
	Phase      broadcast.Phase         `json:"phase"`
	Recipients int                     `json:"recipientCount"`
	States     map[broadcast.State]int `json:"states"`
	Delivery   Delivery                `json:"delivery"`
}

// Sent returns at most limit messages before a cursor, or the newest if the cursor is 0. It is
// read-only.
func (s *Services) Sent(ctx context.Context, slug string, cursor, limit int) (SentNews, error) {
	all, err := s.Broadcasts.Sent(ctx, slug, cursor, limit)
	if err != nil {
		return SentNews{}, err
	}
	out := SentNews{Sent: []SentMessage{}}
	for _, one := range all {
		view, err := s.BroadcastStatus(ctx, one.ID)
		if err != nil {
			return SentNews{}, err
		}
		out.Sent = append(out.Sent, SentMessage{one, view.Phase, view.Recipients, view.States, deliveryOf(view.States)})
	}
	if len(all) > 0 && all[len(all)-1].N > 1 {
		out.Next = all[len(all)-1].N
	}
	return out, nil
}

// SendDiary sends a diary entry to the campaign's supporters, once.
func (s *Services) SendDiary(ctx context.Context, r DiaryRequest) (Broadcasting, error) {
	c, err := s.Campaigns().Campaign(r.CampaignSlug)
	if err != nil {
		return Broadcasting{}, err
	}
	at := slices.IndexFunc(c.Diary, func(e campaign.DiaryEntry) bool { return r.EntryID == "" || e.ID == r.EntryID })
	if at < 0 {
		return Broadcasting{}, fault.New(fault.NotFound, "The campaign's diary has no such entry").In("entryId")
	}
	e := c.Diary[at]
	m, err := s.renderNews(c, notify.DiaryEntry, diaryIdentity(c, e.ID),
		func(lang string) mailtext.News { return mailtext.DiaryNews(e, c, lang) })
	if err != nil {
		return Broadcasting{}, err
	}
	return s.broadcast(ctx, m, r.DryRun, "")
}

// DiaryMails contains a campaign's diary entries with the emails about them.
type DiaryMails struct {
	Entries []DiaryMail `json:"entries"`
}

// DiaryMail is a diary entry. Phase is "" if it was not emailed.
type DiaryMail struct {
	EntryID    string          `json:"entryId"`
	Title      string          `json:"title"`
	Date       string          `json:"date"` // day, such as 2026-11-03
	Phase      broadcast.Phase `json:"phase,omitempty"`
	Recipients int             `json:"recipientCount"`
}

// DiaryMails returns the entries in the diary's order. It reads one record per entry.
func (s *Services) DiaryMails(ctx context.Context, slug string) (DiaryMails, error) {
	c, err := s.Campaigns().Campaign(slug)
	if err != nil {
		return DiaryMails{}, err
	}
	out := DiaryMails{Entries: []DiaryMail{}}
	for _, e := range c.Diary {
		b, err := s.Broadcasts.Get(ctx, broadcast.ID(diaryIdentity(c, e.ID)))
		if err != nil && !fault.Is(err, fault.NotFound) {
			return DiaryMails{}, err
		}
		mail := DiaryMail{EntryID: e.ID, Title: e.Title, Date: fmt.Sprintf("%.10s", e.Date)}
		if err == nil && b.Phase != broadcast.Drafting {
			mail.Phase, mail.Recipients = b.Phase, b.Recipients
		}
		out.Entries = append(out.Entries, mail)
	}
	return out, nil
}

func diaryIdentity(c *campaign.Campaign, entry string) string { return "diary:" + c.Slug + ":" + entry }

// SendMilestone notifies a campaign's supporters of the highest milestone that it has reached,
// unless that milestone or a higher one was sent before. Skipped milestones are not sent, and
// concurrent calls do not send a milestone twice.
func (s *Services) SendMilestone(ctx context.Context, slug string) (Broadcasting, error) {
	c, err := s.Campaigns().Campaign(slug)
	if err != nil {
		return Broadcasting{}, err
	}
	zone := s.Config.Site.Timezone.Location()
	if c.State(s.Now(), zone) == campaign.Upcoming {
		return Broadcasting{}, nil
	}
	snap, err := inventory.Client{Coordinator: s.Coordinator}.Snapshot(ctx, slug)
	if err != nil {
		return Broadcasting{}, err
	}
	for _, t := range slices.Backward(mailtext.ThresholdsOf(c)) {
		identity := "milestone:" + slug + ":" + t.Name
		b, err := s.Broadcasts.Get(ctx, broadcast.ID(identity))
		if err == nil && b.Phase != broadcast.Drafting {
			return Broadcasting{}, nil
		}
		if err != nil && !fault.Is(err, fault.NotFound) {
			return Broadcasting{}, err
		}
		if !t.Reached(c, snap.Totals.Counted) {
			continue
		}
		m, err := s.renderNews(c, notify.Milestone, identity, func(lang string) mailtext.News {
			return mailtext.MilestoneNews(t, c, snap.Totals.Counted, lang, zone)
		})
		if err != nil {
			return Broadcasting{}, err
		}
		result, err := s.broadcast(ctx, m, false, "")
		result.Milestone = t.Name
		return result, err
	}
	return Broadcasting{}, nil
}

// broadcast launches a message, or returns the existing broadcast if it was launched before. A dry
// run only returns the number of recipients and the hash. broadcast fails with code Conflict if
// hash is not empty and differs from the hash of the message and its audience.
func (s *Services) broadcast(ctx context.Context, m broadcast.Message, dry bool, hash string) (Broadcasting, error) {
	if b, err := s.Broadcasts.Get(ctx, broadcast.ID(m.Identity)); !dry && err == nil && b.Phase != broadcast.Drafting {
		view := viewOf(b) // its audience no longer changes
		return Broadcasting{RecipientCount: b.Recipients, Hash: hash, Broadcast: &view}, nil
	}
	p, err := s.Broadcasts.Preview(ctx, m)
	if err != nil {
		return Broadcasting{}, err
	}
	result := Broadcasting{DryRun: dry, RecipientCount: p.Recipients, Hash: p.Hash}
	if hash != "" && hash != p.Hash {
		return Broadcasting{}, fault.New(fault.Conflict,
			"The message or its audience has changed since the dry run").In("hash")
	}
	if dry {
		return result, nil
	}
	b, err := s.Broadcasts.Launch(ctx, m, hash)
	if err != nil {
		return Broadcasting{}, err
	}
	view := viewOf(b)
	result.Broadcast, result.RecipientCount = &view, b.Recipients
	return result, nil
}

// placeholderReader and placeholderLink stand for the recipient and the unsubscribe link while a
// message is rendered once for all recipients.
const (
	placeholderReader = "reader@example.org"
	placeholderLink   = "https://unsubscribe.invalid/"
)

// renderNews renders a message in every language.
func (s *Services) renderNews(c *campaign.Campaign, k notify.Kind, identity string,
	in func(lang string) mailtext.News) (broadcast.Message, error) {
	m := broadcast.Message{Kind: k, Identity: identity, Campaign: c.Slug, Lang: languages[0],
		Letters: map[string]broadcast.Letter{}}
	for _, lang := range languages {
		n := in(lang)
		n.Kind, n.Identity, n.Lang, n.To, n.Unsubscribe = k, identity, lang, placeholderReader, placeholderLink
		mail, err := mailtext.NewsMail(n, c, s.links)
		if err != nil {
			return m, err
		}
		m.Letters[lang] = broadcast.Letter{
			Subject: mail.Subject,
			Text:    strings.ReplaceAll(mail.Text, placeholderLink, broadcast.UnsubscribeLink),
			HTML:    strings.ReplaceAll(mail.HTML, placeholderLink, broadcast.UnsubscribeLink),
		}
	}
	return m, nil
}

// audience implements broadcast.Audience with the pledge index.
type audience struct{ *Services }

// Supporters implements broadcast.Audience. It yields the supporters with a pledge that is neither
// cancelled nor dropped.
func (a audience) Supporters(ctx context.Context, slug string) iter.Seq2[broadcast.Supporter, error] {
	return func(yield func(broadcast.Supporter, error) bool) {
		for p, err := range a.Projector.Indexed(ctx, slug) {
			if err == nil && (p.Status == pledge.Cancelled || p.Dropped()) {
				continue
			}
			var one broadcast.Supporter
			if err == nil {
				one = supporterOf(p)
			}
			if !yield(one, err) || err != nil {
				return
			}
		}
	}
}

func supporterOf(p *pledge.Pledge) broadcast.Supporter {
	one := broadcast.Supporter{Email: p.Email, Lang: pledge.Language(p.PreferredLang), Status: string(p.Status)}
	if p.ShippingAddress != nil {
		one.Country = p.ShippingAddress.Country
	}
	for _, l := range p.Lines {
		if l.Kind == pledge.TierLine {
			one.Rewards = append(one.Rewards, l.ID)
		}
	}
	return one
}

// audience returns the recipients of broadcasts.
func (s *Services) audience() broadcast.Audience { return audience{s} }

// BroadcastStatus returns a broadcast with its recipients counted by state. It fails with code
// NotFound if there is none with this ID.
func (s *Services) BroadcastStatus(ctx context.Context, id string) (BroadcastView, error) {
	b, err := s.Broadcasts.Get(ctx, id)
	if err != nil {
		return BroadcastView{}, err
	}
	view := viewOf(b)
	view.States = map[broadcast.State]int{}
	for m, err := range s.Broadcasts.Members(ctx, id) {
		if err != nil {
			return BroadcastView{}, err
		}
		view.States[m.State]++
	}
	return view, nil
}

// TurnBroadcast pauses, resumes or stops a broadcast. It fails with code Conflict if the broadcast
// has ended, and with code Invalid for other phases.
func (s *Services) TurnBroadcast(ctx context.Context, r TurnRequest) (BroadcastView, error) {
	var b broadcast.Broadcast
	var err error
	switch r.To {
	case broadcast.Paused:
		b, err = s.Broadcasts.Pause(ctx, r.ID, r.Reason)
	case broadcast.Sending:
		b, err = s.Broadcasts.Resume(ctx, r.ID)
	case broadcast.Stopped:
		b, err = s.Broadcasts.Stop(ctx, r.ID, r.Reason)
	default:
		err = fault.New(fault.Invalid, "The phase must be paused, sending or stopped").In("to")
	}
	return viewOf(b), err
}

// stepNews sends the next request of a broadcast.
func (s *Services) stepNews(ctx context.Context) (wait time.Duration, more bool, err error) {
	return s.Broadcasts.Step(ctx)
}

// forgetNews deletes the addresses from broadcasts that ended long ago.
func (s *Services) forgetNews(ctx context.Context) error {
	return s.Broadcasts.Forget(ctx, minuteLimit)
}

func viewOf(b broadcast.Broadcast) BroadcastView {
	return BroadcastView{
		ID: b.ID, Kind: b.Message.Kind, CampaignSlug: b.Message.Campaign, Subject: b.Message.Letters[b.Message.Lang].Subject,
		Phase: b.Phase, Reason: b.Reason, Recipients: b.Recipients, LaunchedAt: b.LaunchedAt,
	}
}
