package health

import (
	"fmt"
	"strings"
)

// Kind is a finding that there may be. Their IDs are never renamed: monitors know them.
type Kind struct {
	ID       string
	Severity Severity
	Remedy   string
}

// kind is the place of a Kind in the table.
type kind int

const (
	unseen kind = iota
	configFaulty
	configWarning
	databaseSilent
	databaseUnwritable
	databaseMissing
	databaseClosed
	serverSilent
	diskLow
	diskFull
	backupUnknown
	backupOld
	processorSilent
	processorMode
	processorAccount
	processorUnbound
	clockWrong
	clockDrifts
	clockUnknown
	webhookNone
	webhookRefused
	webhookForged
	webhookMode
	webhookPostponed
	chargingStopped
	chargingOff
	cronNever
	cronLate
	cronDead
	contentBroken
	contentEmpty
	repositoryDown
	repositoryRefused
	filmsRefused
	breakCritical
	breakOpen
	chargeAttention
	settlementHeld
	settlementRefused
	termsDiffer
	promiseBroken
	projectionDrift
	mailNone
	mailStopped
	mailTrouble
	mailLate
	mailRefused
	mailDeaf
	dnsSilent
	spfMissing
	spfTwice
	dkimMissing
	dkimUnknown
	dmarcMissing
	dmarcNone
	reportsRefused
	peopleNone
	peopleOne
	certificateSilent
	certificateEnded
	certificateSoon
)

// table has what docs/operations.md shows; a test compares the two.
var table = [...]Kind{
	unseen:             {"check.unseen", Warning, "Ask again, and look into the server's log if it stays so."},
	configFaulty:       {"config.faulty", Critical, "Run pledged check, which names every fault with what to do: the next start is refused."},
	configWarning:      {"config.warning", Notice, "Run pledged check, which says what to do about it."},
	databaseSilent:     {"database.silent", Critical, "Start the database, or put DATABASE_URL or the disk of DATA_DIR right."},
	databaseUnwritable: {"database.unwritable", Critical, "Make room on the database's disk, or make the disk or the database writable: nothing is sold or charged until then, and no restart is needed."},
	databaseMissing:    {"database.missing", Warning, "Check DATA_DIR; where it is right, the first pledged serve makes the database."},
	databaseClosed:     {"database.closed", Critical, "Put right what it says: DATABASE_URL, DATA_DIR, or the version of the program."},
	serverSilent:       {"server.silent", Warning, "Run the server's own version of pledged, or restart the server."},
	diskLow:            {"disk.low", Warning, "Make room on the disk of DATA_DIR, or move DATA_DIR to a larger one."},
	diskFull:           {"disk.full", Critical, "Make room on the disk of DATA_DIR now: what can't be written is refused."},
	backupUnknown:      {"backup.unknown", Notice, "Run pledged backup each day, unless the database is backed up by other means."},
	backupOld:          {"backup.old", Warning, "Run pledged backup, and find out why the last ones were not made."},
	processorSilent:    {"processor.silent", Critical, "Look at the processor's status page, and at PSP_SECRET_KEY_LIVE or PSP_SECRET_KEY_TEST."},
	processorMode:      {"processor.mode", Critical, "Set APP_MODE to the database's mode, or give this service a database of its own."},
	processorAccount:   {"processor.account", Critical, "Set PSP_SECRET_KEY_LIVE or PSP_SECRET_KEY_TEST to a key of the database's account."},
	processorUnbound:   {"processor.unbound", Notice, "Start the server: it binds the database to the account of its key."},
	clockWrong:         {"clock.wrong", Critical, "Set this machine's clock by NTP: webhooks are refused, and from 15 minutes on the server changes nothing."},
	clockDrifts:        {"clock.drifts", Warning, "Set this machine's clock by NTP."},
	clockUnknown:       {"clock.unknown", Critical, "Set this machine's clock by NTP, or wait for the processor: the server changes nothing until one of them shows that the clock is right."},
	webhookNone:        {"webhook.none", Notice, "Where there were checkouts, look at the processor's webhook endpoint, which is WORKER_BASE/webhooks/psp."},
	webhookRefused:     {"webhook.refused", Critical, "Set PSP_WEBHOOK_SECRET_LIVE or PSP_WEBHOOK_SECRET_TEST to the endpoint's signing secret."},
	webhookForged:      {"webhook.forged", Notice, "Where they are the processor's own, look for a second endpoint with another secret."},
	webhookMode:        {"webhook.mode", Warning, "Remove the endpoint of the other mode at the processor."},
	webhookPostponed:   {"webhook.postponed", Warning, "Look into the server's log: the processor delivers it again."},
	chargingStopped:    {"charging.stopped", Warning, "Run pledged resume when what stopped it is settled."},
	chargingOff:        {"charging.off", Warning, "Remove SETTLEMENT_ENABLED=false when charges are to be made."},
	cronNever:          {"cron.never", Notice, "Start the server, or on Workers look whether the cron triggers are there."},
	cronLate:           {"cron.late", Warning, "Look whether a server runs, and for the cron in its log."},
	cronDead:           {"cron.dead", Critical, "Restart the server, or on Workers look at the cron triggers: nothing is settled meanwhile."},
	contentBroken:      {"content.broken", Critical, "Run pledged check, which names file, line and field, and fix what it lists. Until then each listed file is served in its last good version, and left out by a server with a new data folder."},
	contentEmpty:       {"content.empty", Notice, "Set CONTENT_DIR to the content repository."},
	repositoryDown:     {"repository.down", Warning, "Look at CONTENT_REPOSITORY, CONTENT_BRANCH and CONTENT_TOKEN: the site is served on, and nobody can change it."},
	repositoryRefused:  {"repository.refused", Warning, "Look into the server's log, which names what is wrong, and put it right in the repository: what was served before stays."},
	filmsRefused:       {"films.refused", Warning, "Look at MEDIA_STORE_URL, its region, key and secret, and at the bucket's CORS rule for the site."},
	breakCritical:      {"break.critical", Critical, "Run pledged stop, then pledged reconcile for the campaign, and find out why."},
	breakOpen:          {"break.open", Warning, "Run pledged reconcile for the campaign, which lists each break."},
	chargeAttention:    {"charge.attention", Critical, "Run pledged resolve for the campaign: two operators say what became of each charge."},
	settlementHeld:     {"settlement.held", Critical, "Run pledged settle for the campaign, which states the cause. Fix it, then run pledged settle with --release."},
	settlementRefused:  {"settlement.refused", Critical, "Fix the cause that the held settlement states, then run pledged settle with --release for the campaign: the charges are repeated."},
	termsDiffer:        {"terms.differ", Warning, "Run pledged terms for the campaign: two operators let a pledge be charged, or pledged cancel ends it."},
	promiseBroken:      {"promise.broken", Critical, "Put the campaign's file right, or run pledged settle with --accept when its supporters agreed."},
	projectionDrift:    {"projection.drift", Notice, "Wait for the hour's work, or run pledged rebuild for the campaign."},
	mailNone:           {"mail.none", Critical, "Set EMAIL_API_KEY, POSTMARK_SERVER_TOKEN, SES_SECRET_ACCESS_KEY or SMTP_URL: nobody is told anything, and nobody is charged."},
	mailStopped:        {"mail.stopped", Warning, "Run pledged mail, which says why, and pledged mail resume when that is settled."},
	mailTrouble:        {"mail.trouble", Warning, "Find out where those addresses came from before pledged mail resume lets reminders and news go."},
	mailLate:           {"mail.late", Warning, "Look into the server's log: it says why the last attempts failed."},
	mailRefused:        {"mail.refused", Critical, "Put it right at the mail provider: the key, the domain of PLEDGES_EMAIL_FROM and UPDATES_EMAIL_FROM, or the plan. Mails wait for it."},
	mailDeaf:           {"mail.deaf", Notice, "Set EMAIL_WEBHOOK_SECRET, POSTMARK_WEBHOOK_LOGIN or SES_TOPIC_ARN, so that addresses which bounce get no more mails."},
	dnsSilent:          {"dns.silent", Warning, "Look at this machine's resolver, and ask again."},
	spfMissing:         {"mail.spf", Warning, "Add the SPF record that the mail provider shows for the domain."},
	spfTwice:           {"mail.spf.twice", Warning, "Join the SPF records into one: with two of them SPF fails."},
	dkimMissing:        {"mail.dkim", Warning, "Add the DKIM record that the mail provider shows for the domain."},
	dkimUnknown:        {"mail.dkim.unknown", Notice, "Send yourself a mail, and look for dkim=pass in its headers."},
	dmarcMissing:       {"mail.dmarc", Warning, "Add a TXT record _dmarc with v=DMARC1; p=none first, and a stricter one when mails pass."},
	dmarcNone:          {"mail.dmarc.none", Notice, "Change DMARC to p=quarantine or p=reject when the reports show that mails pass."},
	reportsRefused:     {"reports.refused", Warning, "Remove the addresses from runner_report_emails, confirm them under Report readers in the dashboard's settings, or give their users the permissions."},
	peopleNone:         {"people.none", Warning, "Run pledged admin add with an address and a name."},
	peopleOne:          {"people.one", Warning, "Run pledged admin add for a second super admin: charges that need attention take two people."},
	certificateSilent:  {"certificate.silent", Warning, "Look whether the proxy in front runs, and whether its certificate is one that browsers trust."},
	certificateEnded:   {"certificate.ended", Critical, "Renew the certificate now: no browser opens the site."},
	certificateSoon:    {"certificate.soon", Warning, "Renew the certificate, and find out why it did not renew itself."},
}

// Kinds are all findings but those of what is fine.
func Kinds() []Kind { return table[:] }

func (k kind) found(format string, args ...any) Finding {
	is := table[k]
	return Finding{ID: is.ID, Severity: is.Severity, Found: fmt.Sprintf(format, args...), Remedy: is.Remedy, format: format, args: args}
}

// The findings of a host that could not put the service together, or was not let in.

// DatabaseMissing says that there is no database yet.
func DatabaseMissing(where string) Finding {
	return databaseMissing.found("There is no database in %s", where)
}

// Closed says why the service could not be put together.
func Closed(err error) Finding {
	return databaseClosed.found("The service can't be opened: %s", line(err.Error()))
}

// ServerSilent says why the server that runs did not look itself.
func ServerSilent(err error) Finding {
	return serverSilent.found("A server runs and did not look itself: %s", line(err.Error()))
}

// line is a text in one line.
func line(text string) string { return strings.Join(strings.Fields(text), " ") }
