package health

import (
	"context"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
)

func (m Deps) checkMail(ctx context.Context) []Finding {
	if m.Mail.Held {
		return []Finding{mailNone.finding()}
	}
	all, err := m.stoppedStreams(ctx)
	if err != nil {
		return m.checkFailed("mail", err)
	}
	problem, err := m.Mail.RateProblem(ctx)
	if err != nil {
		return m.checkFailed("mail", err)
	}
	if problem != "" {
		all = append(all, mailProblems.finding("trouble", problem))
	}
	refused, err := m.Mail.Refused(ctx)
	if err != nil {
		return m.checkFailed("mail", err)
	}
	if refused != nil {
		all = append(all, mailRefused.finding("time", refused.At.Format(time.RFC3339), "reason", refused.Reason))
	}
	n, err := m.Mail.Overdue(ctx, m.Now().Add(-mailAfter))
	if err != nil {
		return m.checkFailed("mail", err)
	}
	if n > 0 {
		all = append(all, mailLate.finding("count", n, "minutes", int(mailAfter/time.Minute)))
	}
	if !m.Mail.Reports && !m.Mail.Kept {
		all = append(all, mailNoBounceReports.finding())
	}
	if len(all) == 0 && m.Mail.Kept {
		return passedAs("mail", "passed.mail.kept")
	}
	return orPassed(all, "mail")
}

func (m Deps) stoppedStreams(ctx context.Context) ([]Finding, error) {
	var all []Finding
	for _, s := range []notify.Stream{"", notify.Transactional, notify.Reminders, notify.Updates} {
		why, err := m.Mail.StopRecord(ctx, s)
		if err != nil {
			return nil, err
		}
		if why == nil {
			continue
		}
		since := why.Since.UTC().Format(time.RFC3339)
		if s == "" {
			all = append(all, mailStopped.finding("time", since))
		} else {
			all = append(all, mailStopped.findingAs("found.mail.stopped.stream", "stream", s, "time", since))
		}
	}
	return all, nil
}

// Resolver queries the DNS.
type Resolver interface {
	// LookupTXT returns the TXT records of a name, none if the name or the records do not
	// exist.
	LookupTXT(ctx context.Context, name string) ([]string, error)
}

// Domain is a domain from which mails are sent.
type Domain struct {
	Name string
	// ReturnPaths are the names that can have the SPF record, the one suggested by the
	// provider first. It is empty if bounces go to a domain of the provider.
	ReturnPaths []string
	// Selector is the provider's DKIM selector; "" if it is not known.
	Selector string
}

// checkDomain checks the DNS records with which mailbox providers authenticate mails: SPF (RFC
// 7208), DKIM (RFC 6376) and DMARC (RFC 7489).
func (m Deps) checkDomain(ctx context.Context, d Domain) []Finding {
	var all []Finding
	for _, lookUp := range []func(context.Context, Domain) (*Finding, error){m.checkSPF, m.checkDKIM, m.checkDMARC} {
		f, err := lookUp(ctx, d)
		if err != nil {
			if m.Log != nil {
				m.Log.Warn("DNS lookup failed", "domain", d.Name, "error", err.Error())
			}
			return append(all, dnsUnavailable.finding("domain", d.Name))
		}
		if f != nil {
			all = append(all, *f)
		}
	}
	return orPassed(all, "domain", "domain", d.Name)
}

func (m Deps) checkSPF(ctx context.Context, d Domain) (*Finding, error) {
	if len(d.ReturnPaths) == 0 {
		return nil, nil //nolint:nilnil // the provider has its own record
	}
	for _, name := range d.ReturnPaths {
		texts, err := m.Resolver.LookupTXT(ctx, name)
		if err != nil {
			return nil, err
		}
		n := 0
		for _, t := range texts {
			if version, _, _ := strings.Cut(t, " "); strings.EqualFold(version, "v=spf1") {
				n++
			}
		}
		if n > 1 {
			f := spfDuplicate.finding("name", name, "count", n)
			return &f, nil
		}
		if n == 1 {
			return nil, nil //nolint:nilnil // nothing is wrong
		}
	}
	f := spfMissing.finding("names", strings.Join(d.ReturnPaths, ", or "))
	return &f, nil
}

func (m Deps) checkDKIM(ctx context.Context, d Domain) (*Finding, error) {
	if d.Selector == "" {
		f := dkimUnknown.finding("domain", d.Name)
		return &f, nil
	}
	name := d.Selector + "._domainkey." + d.Name
	texts, err := m.Resolver.LookupTXT(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, t := range texts {
		if tagValue(t, "p") != "" {
			return nil, nil //nolint:nilnil // nothing is wrong
		}
	}
	f := dkimMissing.finding("name", name)
	return &f, nil
}

// checkDMARC checks the policy of the domain or, if it has none, of the nearest parent domain with
// one.
func (m Deps) checkDMARC(ctx context.Context, d Domain) (*Finding, error) {
	for name := d.Name; strings.Contains(name, "."); _, name, _ = strings.Cut(name, ".") {
		texts, err := m.Resolver.LookupTXT(ctx, "_dmarc."+name)
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			if tagValue(t, "v") != "DMARC1" {
				continue
			}
			if !strings.EqualFold(tagValue(t, "p"), "none") {
				return nil, nil //nolint:nilnil // nothing is wrong
			}
			f := dmarcNone.finding("domain", name)
			return &f, nil
		}
	}
	f := dmarcMissing.finding("domain", d.Name)
	return &f, nil
}

// tagValue returns the value of a tag in a record such as "v=DKIM1; k=rsa; p=MIG…".
func tagValue(record, name string) string {
	for part := range strings.SplitSeq(record, ";") {
		if k, v, _ := strings.Cut(part, "="); strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
