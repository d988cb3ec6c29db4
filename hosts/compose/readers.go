package compose

import (
	"context"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/admin/access"
	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// reportTopics lists the mailed reports and the permissions needed to see them.
var reportTopics = []struct {
	topic       notify.ReportTopic
	permissions []access.Permission
}{
	{notify.PledgeReport, []access.Permission{access.Supporters, access.Money}},
	{notify.FulfillmentReport, []access.Permission{access.Fulfilment}},
}

// ReportReader is an address for a campaign's reports: it is listed in the campaign's file, or a
// super admin confirmed it.
type ReportReader struct {
	Email string `json:"email"`
	// Listed is set for addresses in runner_report_emails, Excluded for those in
	// runner_report_excluded_emails.
	Listed   bool `json:"listed"`
	Excluded bool `json:"excluded"`
	// Reports lists the reports that the address may get, because it is confirmed or belongs to a
	// user with the permissions.
	Reports     []notify.ReportTopic `json:"reports"`
	ConfirmedBy string               `json:"confirmedBy,omitempty"`
	ConfirmedAt *time.Time           `json:"confirmedAt,omitempty"`
}

// ReportReaders returns the addresses for a campaign's reports: first those of its file in the
// file's order, then the other confirmed ones.
func (s *Services) ReportReaders(ctx context.Context, slug string) ([]ReportReader, error) {
	c, err := s.Campaigns().Campaign(slug)
	if err != nil {
		return nil, err
	}
	r, err := s.readersOf(ctx, slug)
	if err != nil {
		return nil, err
	}
	all := []ReportReader{}
	for _, email := range c.ReportEmails {
		all = append(all, r.reader(email, true, containsEmail(c.ReportExcluded, email)))
	}
	for _, confirmed := range r.confirmed {
		if !containsEmail(c.ReportEmails, confirmed.Email) {
			all = append(all, r.reader(confirmed.Email, false, containsEmail(c.ReportExcluded, confirmed.Email)))
		}
	}
	return all, nil
}

// refusedReaders returns those of the addresses that may not get any of a campaign's reports.
func (s *Services) refusedReaders(ctx context.Context, slug string, emails []string) ([]string, error) {
	if len(emails) == 0 {
		return nil, nil
	}
	r, err := s.readersOf(ctx, slug)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(emails), func(email string) bool { return len(r.reports(email)) > 0 }), nil
}

// readers contains the people who may get a campaign's reports.
type readers struct {
	slug      string
	users     []access.User
	confirmed []access.Reader
}

func (s *Services) readersOf(ctx context.Context, slug string) (readers, error) {
	users, err := s.Access.Users(ctx)
	if err != nil {
		return readers{}, err
	}
	confirmed, err := s.Access.Readers(ctx, slug)
	return readers{slug, users, confirmed}, err
}

func (r readers) reader(email string, isListed, excluded bool) ReportReader {
	out := ReportReader{Email: email, Listed: isListed, Excluded: excluded, Reports: r.reports(email)}
	for _, c := range r.confirmed {
		if sameEmail(c.Email, email) {
			out.ConfirmedBy, out.ConfirmedAt = c.ConfirmedBy, &c.ConfirmedAt
		}
	}
	return out
}

// reports returns the reports that an address may get.
func (r readers) reports(email string) []notify.ReportTopic {
	topics := []notify.ReportTopic{}
	for _, t := range reportTopics {
		if r.mayRead(t.permissions, email) {
			topics = append(topics, t.topic)
		}
	}
	return topics
}

func (r readers) mayRead(permissions []access.Permission, email string) bool {
	if slices.ContainsFunc(r.confirmed, func(c access.Reader) bool { return sameEmail(c.Email, email) }) {
		return true
	}
	return slices.ContainsFunc(r.users, func(u access.User) bool {
		return sameEmail(u.Email, email) && u.HasAccess(r.slug) &&
			!slices.ContainsFunc(permissions, func(p access.Permission) bool { return !u.Has(p) })
	})
}

// sameEmail reports whether two spellings are the same address.
func sameEmail(a, b string) bool {
	if a == b {
		return true
	}
	one, err := pledge.ParseEmail(a)
	if err != nil {
		return false
	}
	other, err := pledge.ParseEmail(b)
	return err == nil && one == other
}

func containsEmail(emails []string, email string) bool {
	return slices.ContainsFunc(emails, func(other string) bool { return sameEmail(other, email) })
}

// verifier returns the check that mails about outcomes and mailed reports must pass before they
// are sent.
func (s *Services) verifier() notify.Verifier { return reportVerifier{s.Settlement, s} }

// reportVerifier verifies reports, and leaves other mails to the embedded Verifier.
type reportVerifier struct {
	notify.Verifier
	services *Services
}

// VerifyClaim discards a report, which may have waited for days, if its reader may no longer see it
// or is no longer in the campaign's file, or if the campaign no longer exists. Other mails are
// verified by the embedded Verifier.
func (v reportVerifier) VerifyClaim(ctx context.Context, k notify.Kind, slug string,
	c notify.Claim) (notify.Verdict, string, error) {
	if k != notify.RunnerReport {
		return v.Verifier.VerifyClaim(ctx, k, slug, c)
	}
	file, err := v.services.Campaigns().Campaign(slug)
	if fault.Is(err, fault.NotFound) {
		return notify.Discard, "the campaign is not known", nil
	}
	if err != nil {
		return "", "", err
	}
	r, err := v.services.readersOf(ctx, slug)
	if err != nil {
		return "", "", err
	}
	if !containsEmail(reportAddresses(file), c.Reader) || !slices.Contains(r.reports(c.Reader), c.Report) {
		return notify.Discard, "its reader may not see the report", nil
	}
	return notify.SendNow, "", nil
}

func (s *Services) readerChecks() func(context.Context) ([]string, error) {
	return s.campaignsWithRefusedReaders
}

// campaignsWithRefusedReaders returns the slugs of campaigns that may still send reports and whose
// file lists addresses that may not get any.
func (s *Services) campaignsWithRefusedReaders(ctx context.Context) ([]string, error) {
	var slugs []string
	for _, c := range s.Campaigns().Campaigns() {
		if !s.maySendReports(c) {
			continue
		}
		refused, err := s.refusedReaders(ctx, c.Slug, reportAddresses(c))
		if err != nil {
			return nil, err
		}
		if len(refused) > 0 {
			slugs = append(slugs, c.Slug)
		}
	}
	return slugs, nil
}

// maySendReports reports whether a campaign may still send reports: reports are enabled, and the
// campaign is public and ended at most reportLate ago, if it has ended.
func (s *Services) maySendReports(c *campaign.Campaign) bool {
	zone := s.Config.Site.Timezone.Location()
	return s.Config.Reports.Enabled && c.Public() &&
		(c.State(s.Now(), zone) != campaign.Ended || s.Now().Sub(c.EndsAt(zone)) <= reportLate)
}

// reportAddresses returns the addresses for a campaign's reports, without the excluded ones.
func reportAddresses(c *campaign.Campaign) []string {
	return slices.DeleteFunc(slices.Clone(c.ReportEmails),
		func(email string) bool { return containsEmail(c.ReportExcluded, email) })
}
