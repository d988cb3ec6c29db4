package health

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// The limits that the checks apply. Free disk space is low if it is below both lowBytes and
// lowPercent of the disk. A certificate expires soon if fewer than soonDays are left.
const (
	lowPercent  = 10
	lowBytes    = 2 << 30
	fullBytes   = 256 << 20
	backupAfter = 48 * time.Hour
	lateAfter   = 90 * time.Minute // the hourly job takes some time
	deadAfter   = 6 * time.Hour
	soonDays    = 14
	mailAfter   = 15 * time.Minute
	aDay        = 24 * time.Hour
)

func (m Deps) checkConfiguration(context.Context) []Finding {
	var all []Finding
	if n := len(m.Faults); n > 0 {
		all = append(all, configFaulty.finding("faults", firstFew(m.Faults, "; ")))
	}
	if n := len(m.Warnings); n > 0 {
		all = append(all, configWarning.finding("warnings", firstFew(m.Warnings, "; ")))
	}
	return orPassed(all, "configuration")
}

// maxListed is how many entries of a list are shown.
const maxListed = 5

// firstFew joins at most maxListed entries of a list. For a longer list, it returns a phrase with
// the number of the remaining entries, otherwise a text.
func firstFew(all []string, between string) any {
	if len(all) <= maxListed {
		return strings.Join(all, between)
	}
	return newPhrase("list.more", "list", strings.Join(all[:maxListed], between), "count", len(all)-maxListed)
}

func (m Deps) checkDatabase(ctx context.Context) []Finding {
	// Writes is checked first: it fails at once, while a read may wait for a lost
	// connection.
	if m.Writes != nil {
		if err := m.Writes(ctx); err != nil {
			return []Finding{databaseUnwritable.finding("reason", m.logReason(err))}
		}
	}
	if err := m.Storage(ctx); err != nil {
		return []Finding{databaseUnavailable.finding("reason", m.logReason(err))}
	}
	if m.Schema == nil {
		return passed("database")
	}
	schema, err := m.Schema(ctx)
	if err != nil {
		return m.checkFailed("schema", err)
	}
	return passedAs("database", "passed.database.schema", "schema", schema)
}

func (m Deps) checkDisk(ctx context.Context) []Finding {
	free, size, err := m.Disk(ctx)
	if err != nil {
		return m.checkFailed("disk", err)
	}
	left, all := formatBytes(free), formatBytes(size)
	switch {
	case free < fullBytes:
		return []Finding{diskFull.finding("free", left, "size", all)}
	case free < lowBytes && free*100 < size*lowPercent:
		return []Finding{diskLow.finding("free", left, "size", all)}
	}
	return passed("disk", "free", left, "size", all)
}

// formatBytes formats a size, rounded down: in megabytes below 10 GB, otherwise in gigabytes.
func formatBytes(n uint64) string {
	if n < 10<<30 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d GB", n>>30)
}

func (m Deps) checkBackup(ctx context.Context) []Finding {
	at, err := m.Backup(ctx)
	switch {
	case err != nil:
		return m.checkFailed("backup", err)
	case at == nil:
		return []Finding{backupUnknown.finding()}
	case m.Now().Sub(*at) > backupAfter:
		return []Finding{backupOld.finding("ago", ago(m.Now().Sub(*at)))}
	}
	return passed("backup", "ago", ago(m.Now().Sub(*at)))
}

func (m Deps) checkCron(ctx context.Context) []Finding {
	at, err := m.Cron(ctx)
	if err != nil {
		return m.checkFailed("cron", err)
	}
	if at == nil {
		return []Finding{cronNever.finding()}
	}
	since := m.Now().Sub(*at)
	switch {
	case since > deadAfter:
		return []Finding{cronDead.finding("time", lasting(since))}
	case since > lateAfter:
		return []Finding{cronLate.finding("time", lasting(since))}
	}
	return passed("cron", "ago", ago(since))
}

func (m Deps) checkContent(ctx context.Context) []Finding {
	n, err := m.Content(ctx)
	switch {
	case err != nil:
		return []Finding{contentBroken.finding("problems", firstFew(strings.Split(err.Error(), "\n"), "; "))}
	case n == 0:
		return []Finding{contentEmpty.finding()}
	}
	return passed("content", "count", n)
}

func (m Deps) checkRepository(ctx context.Context) []Finding {
	refused, err := m.Repository(ctx)
	switch {
	case err != nil:
		return []Finding{repositoryDown.finding("reason", publicMessage(err))}
	case refused != "":
		return []Finding{repositoryRefused.finding("revision", refused)}
	}
	return passed("repository")
}

func (m Deps) checkFilms(ctx context.Context) []Finding {
	if err := m.Films(ctx); err != nil {
		return []Finding{filmsRefused.finding("reason", publicMessage(err))}
	}
	return passed("films")
}

func (m Deps) checkCampaigns(ctx context.Context) []Finding {
	c, err := m.Campaigns(ctx)
	if err != nil {
		return m.checkFailed("campaigns", err)
	}
	var all []Finding
	for _, of := range []struct {
		kind  kind
		slugs []string
	}{
		{breakCritical, c.Critical},
		{breakOpen, c.Breaks},
		{chargeAttention, c.Attention},
		{settlementHeld, c.Held},
		{settlementRefused, c.Refused},
		{termsDiffer, c.Terms},
		{promiseBroken, c.Broken},
		{projectionDrift, c.Drifted},
	} {
		if len(of.slugs) > 0 {
			all = append(all, of.kind.finding("campaigns", firstFew(of.slugs, ", ")).withCampaigns(of.slugs)...)
		}
	}
	return orPassed(all, "campaigns")
}

func (m Deps) checkReports(ctx context.Context) []Finding {
	campaigns, err := m.Readers(ctx)
	switch {
	case err != nil:
		return m.checkFailed("reports", err)
	case len(campaigns) > 0:
		return reportsRefused.finding("campaigns", firstFew(campaigns, ", ")).withCampaigns(campaigns)
	}
	return passed("reports")
}

func (m Deps) checkPeople(ctx context.Context) []Finding {
	n, err := m.SuperAdmins(ctx)
	switch {
	case err != nil:
		return m.checkFailed("people", err)
	case n == 0:
		return []Finding{peopleNone.finding()}
	case n == 1:
		return []Finding{peopleOne.finding()}
	}
	return passed("people", "count", n)
}

func (m Deps) checkCertificate(ctx context.Context, host string) []Finding {
	ends, err := m.Certificate(ctx, host)
	if err != nil {
		if m.Log != nil {
			m.Log.Warn("certificate check failed", "host", host, "error", err.Error())
		}
		return []Finding{certificateUnavailable.finding("host", host)}
	}
	left := ends.Sub(m.Now())
	switch {
	case left <= 0:
		return []Finding{certificateExpired.finding("host", host, "date", ends.UTC().Format(time.DateOnly))}
	case left < soonDays*aDay:
		return []Finding{certificateExpiring.finding("host", host, "count", int(left/aDay))}
	}
	return passed("certificate", "host", host, "count", int(left/aDay))
}
