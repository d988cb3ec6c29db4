package compose

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/settlement/dispute"
)

// answerSoon is how long before the deadline for an answer operators are reminded of a dispute.
const answerSoon = 3 * 24 * time.Hour

// importDisputes imports the processor's disputes, and emails operators about those that await an answer:
// when a dispute is new, and again when the answer is due soon.
func (s *Services) importDisputes(ctx context.Context) error {
	r, err := s.Settlement.ImportDisputes(ctx)
	errs := []error{err}
	if len(r.Awaiting)+len(r.Suspected) == 0 {
		return err
	}
	users, err := s.Access.Users(ctx)
	if err != nil {
		return errors.Join(append(errs, err)...)
	}
	for _, d := range r.Awaiting {
		for _, u := range users {
			if u.HasAccess(d.CampaignSlug) && u.Has(access.Money) {
				errs = append(errs, s.mailDispute(ctx, u, d))
			}
		}
	}
	for _, w := range r.Suspected {
		errs = append(errs, s.mailWarning(ctx, users, w))
	}
	return errors.Join(errs...)
}

// warningLife is how long after an early fraud warning its mail can still be sent.
const warningLife = 7 * 24 * time.Hour

// mailWarning emails an early fraud warning, once, to the users who may see the campaign's money.
func (s *Services) mailWarning(ctx context.Context, users []access.User, w dispute.Warning) error {
	notAfter := w.WarnedAt.Add(warningLife)
	if !s.Now().Before(notAfter) {
		return nil
	}
	c, err := s.Campaigns().Campaign(w.CampaignSlug)
	if err != nil {
		return err
	}
	known, err := s.Disputes.Warning(ctx, w)
	if err != nil {
		return err
	}
	var errs []error
	for _, u := range users {
		if !u.HasAccess(w.CampaignSlug) || !u.Has(access.Money) {
			continue
		}
		m, err := mailtext.FraudWarningMail(mailtext.SignIn{
			Identity: "fraud-warning:" + w.ID + ":" + pledge.EmailHash(u.Email), To: u.Email, Name: u.Name, Lang: u.Lang,
			Link: s.paymentScreen(u, w.CampaignSlug, known.Pledges), NotAfter: notAfter,
		}, c.Title, known.Amount, s.links.Platform)
		if err == nil {
			err = s.Outbox.Queue(ctx, m)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// paymentScreen returns the URL of the dashboard's screen with a payment: of its first pledge, or of the
// campaign for a user who may not see supporters.
func (s *Services) paymentScreen(u access.User, slug string, pledges []string) string {
	dashboard := s.links.Dashboard(u.Lang)
	if len(pledges) == 0 || !u.Has(access.Supporters) {
		return dashboard + "#/campaigns/" + slug
	}
	return dashboard + "#/supporters/" + slug + "/" + url.PathEscape(pledges[0])
}

// mailDispute queues the mail to a user that is due about a dispute. A queued or delivered mail is not queued
// again. After the deadline none is sent.
func (s *Services) mailDispute(ctx context.Context, u access.User, d dispute.Dispute) error {
	by, due := d.AnswerDue()
	left := by.Sub(s.Now())
	if !due || left <= 0 {
		return nil
	}
	c, err := s.Campaigns().Campaign(d.CampaignSlug)
	if err != nil {
		return err
	}
	soon, which := left <= answerSoon, "opened"
	if soon {
		which = "due"
	}
	m, err := mailtext.DisputeMail(mailtext.SignIn{
		Identity: "dispute:" + d.ID + ":" + which + ":" + pledge.EmailHash(u.Email), To: u.Email, Name: u.Name, Lang: u.Lang,
		Link: s.links.Dashboard(u.Lang), NotAfter: by,
	}, mailtext.Dispute{Title: c.Title, Amount: d.Amount, Inquiry: d.Phase() == dispute.Inquiry,
		AnswerBy: by.In(s.Config.Site.Timezone.Location()), Reminder: soon}, s.links.Platform)
	if err != nil {
		return err
	}
	return s.Outbox.Queue(ctx, m)
}
