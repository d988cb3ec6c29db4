package health

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	lowPercent  = 10
	lowBytes    = 2 << 30
	fullBytes   = 256 << 20
	backupAfter = 48 * time.Hour
	lateAfter   = 90 * time.Minute // the hour's work itself takes a while
	deadAfter   = 6 * time.Hour
	soonDays    = 14
	mailAfter   = 15 * time.Minute
	aDay        = 24 * time.Hour
)

func (m Means) configuration(context.Context) []Finding {
	var all []Finding
	if n := len(m.Faults); n > 0 {
		all = append(all, configFaulty.found("The configuration is faulty: %s", some(m.Faults, "; ")))
	}
	if n := len(m.Warnings); n > 0 {
		all = append(all, configWarning.found("The configuration has something to say: %s", some(m.Warnings, "; ")))
	}
	return or(all, "configuration", "Nothing is wrong with it")
}

// shown is how many of a list are named.
const shown = 5

// some names the first of a list.
func some(all []string, between string) string {
	if len(all) <= shown {
		return strings.Join(all, between)
	}
	return strings.Join(all[:shown], between) + fmt.Sprintf(" and %d more", len(all)-shown)
}

func (m Means) database(ctx context.Context) []Finding {
	// Writes first: it tries once, while a read may wait for a database that has gone.
	if m.Writes != nil {
		if err := m.Writes(ctx); err != nil {
			return []Finding{databaseUnwritable.found("Nothing can be written: %s", m.reason(err))}
		}
	}
	if err := m.Storage(ctx); err != nil {
		return []Finding{databaseSilent.found("The database does not answer: %s", m.reason(err))}
	}
	if m.Schema == nil {
		return fine("database", "It answers")
	}
	schema, err := m.Schema(ctx)
	if err != nil {
		return m.unseen("schema", err)
	}
	return fine("database", "It answers: %s", schema)
}

func (m Means) disk(ctx context.Context) []Finding {
	free, size, err := m.Disk(ctx)
	if err != nil {
		return m.unseen("disk", err)
	}
	left, all := bytes(free), bytes(size)
	switch {
	case free < fullBytes:
		return []Finding{diskFull.found("The data's disk has %s free of %s", left, all)}
	case free < lowBytes && free*100 < size*lowPercent:
		return []Finding{diskLow.found("The data's disk has %s free of %s", left, all)}
	}
	return fine("disk", "%s free of %s", left, all)
}

// bytes says a size in megabytes or gigabytes, rounded down.
func bytes(n uint64) string {
	if n < 10<<30 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d GB", n>>30)
}

func (m Means) backup(ctx context.Context) []Finding {
	at, err := m.Backup(ctx)
	switch {
	case err != nil:
		return m.unseen("backup", err)
	case at == nil:
		return []Finding{backupUnknown.found("No backup by pledged backup is known")}
	case m.Now().Sub(*at) > backupAfter:
		return []Finding{backupOld.found("The last pledged backup was made %s", past(m.Now().Sub(*at)))}
	}
	return fine("backup", "The last was made %s", past(m.Now().Sub(*at)))
}

func (m Means) cron(ctx context.Context) []Finding {
	at, err := m.Cron(ctx)
	if err != nil {
		return m.unseen("cron", err)
	}
	if at == nil {
		return []Finding{cronNever.found("The hour's work has never run")}
	}
	since := m.Now().Sub(*at)
	switch {
	case since > deadAfter:
		return []Finding{cronDead.found("The hour's work ran last %s", past(since))}
	case since > lateAfter:
		return []Finding{cronLate.found("The hour's work ran last %s", past(since))}
	}
	return fine("cron", "The hour's work ran %s", past(since))
}

func (m Means) content(ctx context.Context) []Finding {
	n, err := m.Content(ctx)
	switch {
	case err != nil:
		return []Finding{contentBroken.found("The content has problems: %s", some(strings.Split(err.Error(), "\n"), "; "))}
	case n == 0:
		return []Finding{contentEmpty.found("There are no campaigns")}
	case n == 1:
		return fine("content", "1 campaign is read")
	}
	return fine("content", "%d campaigns are read", n)
}

func (m Means) repository(ctx context.Context) []Finding {
	refused, err := m.Repository(ctx)
	switch {
	case err != nil:
		return []Finding{repositoryDown.found("The repository of the content can't be worked with: %s", plain(err))}
	case refused != "":
		return []Finding{repositoryRefused.found("Files of its newest revision, %s, have problems and are not copied", refused)}
	}
	return fine("repository", "Its newest revision is served")
}

func (m Means) films(ctx context.Context) []Finding {
	if err := m.Films(ctx); err != nil {
		return []Finding{filmsRefused.found("Films and recordings can't be uploaded: %s", plain(err))}
	}
	return fine("films", "Films and recordings can be sent to their bucket")
}

func (m Means) campaigns(ctx context.Context) []Finding {
	c, err := m.Campaigns(ctx)
	if err != nil {
		return m.unseen("campaigns", err)
	}
	var all []Finding
	for _, of := range []struct {
		kind  kind
		what  string
		slugs []string
	}{
		{breakCritical, "Critical differences from the processor's books are open", c.Critical},
		{breakOpen, "Differences from the processor's books are open", c.Breaks},
		{chargeAttention, "Charges need an operator", c.Attention},
		{settlementHeld, "Charges are held because too many failed or got no answer", c.Held},
		{settlementRefused, "The processor refuses charges as invalid", c.Refused},
		{termsDiffer, "The processor has other terms for pledges, which are not charged", c.Terms},
		{promiseBroken, "The file promises something else than the pledges rely on", c.Broken},
		{projectionDrift, "What is shown is not what is booked", c.Drifted},
	} {
		if len(of.slugs) > 0 {
			all = append(all, of.kind.found("%s: %s", of.what, some(of.slugs, ", ")))
		}
	}
	return or(all, "campaigns", "Nothing is open or stuck")
}

func (m Means) reports(ctx context.Context) []Finding {
	campaigns, err := m.Readers(ctx)
	switch {
	case err != nil:
		return m.unseen("reports", err)
	case len(campaigns) > 0:
		return []Finding{reportsRefused.found("Campaigns' files name addresses that get no reports: %s", some(campaigns, ", "))}
	}
	return fine("reports", "Every address in campaigns' files may get reports")
}

func (m Means) people(ctx context.Context) []Finding {
	n, err := m.SuperAdmins(ctx)
	switch {
	case err != nil:
		return m.unseen("people", err)
	case n == 0:
		return []Finding{peopleNone.found("Nobody may sign in as a super admin")}
	case n == 1:
		return []Finding{peopleOne.found("There is one super admin")}
	}
	return fine("people", "%d super admins may sign in", n)
}

func (m Means) certificate(ctx context.Context, host string) []Finding {
	ends, err := m.Certificate(ctx, host)
	if err != nil {
		if m.Log != nil {
			m.Log.Warn("a certificate can't be looked at", "host", host, "error", err.Error())
		}
		return []Finding{certificateSilent.found("%s shows no certificate that is trusted, or does not answer", host)}
	}
	left := ends.Sub(m.Now())
	switch {
	case left <= 0:
		return []Finding{certificateEnded.found("The certificate of %s has ended, on %s", host, ends.UTC().Format(time.DateOnly))}
	case left < soonDays*aDay:
		return []Finding{certificateSoon.found("The certificate of %s ends in %d days", host, left/aDay)}
	}
	return fine("certificate", "That of %s is good for %d days", host, left/aDay)
}
