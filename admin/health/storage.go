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
	lateAfter   = 90 * time.Minute // the hourly job itself takes a while
	deadAfter   = 6 * time.Hour
	soonDays    = 14
	mailAfter   = 15 * time.Minute
	aDay        = 24 * time.Hour
)

func (m Means) checkConfiguration(context.Context) []Finding {
	var all []Finding
	if n := len(m.Faults); n > 0 {
		all = append(all, configFaulty.finding("The configuration is invalid: %s", firstFew(m.Faults, "; ")))
	}
	if n := len(m.Warnings); n > 0 {
		all = append(all, configWarning.finding("The configuration has warnings: %s", firstFew(m.Warnings, "; ")))
	}
	return orPassed(all, "configuration", "The configuration is valid")
}

// maxListed is how many entries of a list are shown.
const maxListed = 5

// firstFew joins the first entries of a list and states how many more there are.
func firstFew(all []string, between string) string {
	if len(all) <= maxListed {
		return strings.Join(all, between)
	}
	return strings.Join(all[:maxListed], between) + fmt.Sprintf(" and %d more", len(all)-maxListed)
}

func (m Means) checkDatabase(ctx context.Context) []Finding {
	// Writes is checked first: it fails at once, while a read may wait for a lost
	// connection.
	if m.Writes != nil {
		if err := m.Writes(ctx); err != nil {
			return []Finding{databaseUnwritable.finding("The database cannot be written to: %s", m.logReason(err))}
		}
	}
	if err := m.Storage(ctx); err != nil {
		return []Finding{databaseUnavailable.finding("The database does not respond: %s", m.logReason(err))}
	}
	if m.Schema == nil {
		return passed("database", "The database responds")
	}
	schema, err := m.Schema(ctx)
	if err != nil {
		return m.checkFailed("schema", err)
	}
	return passed("database", "The database responds: %s", schema)
}

func (m Means) checkDisk(ctx context.Context) []Finding {
	free, size, err := m.Disk(ctx)
	if err != nil {
		return m.checkFailed("disk", err)
	}
	left, all := formatBytes(free), formatBytes(size)
	switch {
	case free < fullBytes:
		return []Finding{diskFull.finding("The data disk has %s of %s free", left, all)}
	case free < lowBytes && free*100 < size*lowPercent:
		return []Finding{diskLow.finding("The data disk has %s of %s free", left, all)}
	}
	return passed("disk", "%s of %s free", left, all)
}

// formatBytes formats a size in megabytes or gigabytes, rounded down.
func formatBytes(n uint64) string {
	if n < 10<<30 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d GB", n>>30)
}

func (m Means) checkBackup(ctx context.Context) []Finding {
	at, err := m.Backup(ctx)
	switch {
	case err != nil:
		return m.checkFailed("backup", err)
	case at == nil:
		return []Finding{backupUnknown.finding("No backup made by pledged backup was found")}
	case m.Now().Sub(*at) > backupAfter:
		return []Finding{backupOld.finding("The last pledged backup was made %s", ago(m.Now().Sub(*at)))}
	}
	return passed("backup", "The last backup was made %s", ago(m.Now().Sub(*at)))
}

func (m Means) checkCron(ctx context.Context) []Finding {
	at, err := m.Cron(ctx)
	if err != nil {
		return m.checkFailed("cron", err)
	}
	if at == nil {
		return []Finding{cronNever.finding("The hourly job has never run")}
	}
	since := m.Now().Sub(*at)
	switch {
	case since > deadAfter:
		return []Finding{cronDead.finding("The hourly job last ran %s", ago(since))}
	case since > lateAfter:
		return []Finding{cronLate.finding("The hourly job last ran %s", ago(since))}
	}
	return passed("cron", "The hourly job ran %s", ago(since))
}

func (m Means) checkContent(ctx context.Context) []Finding {
	n, err := m.Content(ctx)
	switch {
	case err != nil:
		return []Finding{contentBroken.finding("The content has problems: %s", firstFew(strings.Split(err.Error(), "\n"), "; "))}
	case n == 0:
		return []Finding{contentEmpty.finding("There are no campaigns")}
	case n == 1:
		return passed("content", "1 campaign was loaded")
	}
	return passed("content", "%d campaigns were loaded", n)
}

func (m Means) checkRepository(ctx context.Context) []Finding {
	refused, err := m.Repository(ctx)
	switch {
	case err != nil:
		return []Finding{repositoryDown.finding("The content repository is not accessible: %s", publicMessage(err))}
	case refused != "":
		return []Finding{repositoryRefused.finding("Files in the content repository's newest revision, %s, have problems and were not copied", refused)}
	}
	return passed("repository", "The content repository's newest revision is served")
}

func (m Means) checkFilms(ctx context.Context) []Finding {
	if err := m.Films(ctx); err != nil {
		return []Finding{filmsRefused.finding("Videos and recordings cannot be uploaded: %s", publicMessage(err))}
	}
	return passed("films", "Videos and recordings can be uploaded")
}

func (m Means) checkCampaigns(ctx context.Context) []Finding {
	c, err := m.Campaigns(ctx)
	if err != nil {
		return m.checkFailed("campaigns", err)
	}
	var all []Finding
	for _, of := range []struct {
		kind  kind
		what  string
		slugs []string
	}{
		{breakCritical, "There are unresolved critical differences from the payment processor's records", c.Critical},
		{breakOpen, "There are unresolved differences from the payment processor's records", c.Breaks},
		{chargeAttention, "Charges need an operator's decision", c.Attention},
		{settlementHeld, "Charges are on hold because too many failed or got no response", c.Held},
		{settlementRefused, "Charges are on hold because the payment processor rejects them as invalid", c.Refused},
		{termsDiffer, "Pledges are not charged because the payment processor has different terms for them", c.Terms},
		{promiseBroken, "The campaign's file contradicts what its pledges rely on", c.Broken},
		{projectionDrift, "The displayed data differs from the recorded pledges", c.Drifted},
	} {
		if len(of.slugs) > 0 {
			all = append(all, of.kind.finding("%s: %s", of.what, firstFew(of.slugs, ", ")))
		}
	}
	return orPassed(all, "campaigns", "No campaign needs attention")
}

func (m Means) checkReports(ctx context.Context) []Finding {
	campaigns, err := m.Readers(ctx)
	switch {
	case err != nil:
		return m.checkFailed("reports", err)
	case len(campaigns) > 0:
		return []Finding{reportsRefused.finding("Campaigns list addresses that may not receive reports: %s", firstFew(campaigns, ", "))}
	}
	return passed("reports", "All report addresses of the campaigns may receive reports")
}

func (m Means) checkPeople(ctx context.Context) []Finding {
	n, err := m.SuperAdmins(ctx)
	switch {
	case err != nil:
		return m.checkFailed("people", err)
	case n == 0:
		return []Finding{peopleNone.finding("There is no super admin")}
	case n == 1:
		return []Finding{peopleOne.finding("There is only one super admin")}
	}
	return passed("people", "There are %d super admins", n)
}

func (m Means) checkCertificate(ctx context.Context, host string) []Finding {
	ends, err := m.Certificate(ctx, host)
	if err != nil {
		if m.Log != nil {
			m.Log.Warn("certificate check failed", "host", host, "error", err.Error())
		}
		return []Finding{certificateUnavailable.finding("%s does not respond, or has no trusted certificate", host)}
	}
	left := ends.Sub(m.Now())
	switch {
	case left <= 0:
		return []Finding{certificateExpired.finding("The certificate of %s expired on %s", host, ends.UTC().Format(time.DateOnly))}
	case left < soonDays*aDay:
		return []Finding{certificateExpiring.finding("The certificate of %s expires in %d days", host, left/aDay)}
	}
	return passed("certificate", "The certificate of %s is valid for %d more days", host, left/aDay)
}
