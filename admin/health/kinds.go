package health

import (
	"fmt"
	"strings"
)

// Kind is a kind of finding. The IDs are never renamed, because monitoring depends on them.
type Kind struct {
	ID       string
	Severity Severity
	Remedy   string
}

// kind is the index of a Kind in the table.
type kind int

const (
	checkIncomplete kind = iota
	configFaulty
	configWarning
	databaseUnavailable
	databaseUnwritable
	databaseMissing
	databaseClosed
	serverUnavailable
	diskLow
	diskFull
	backupUnknown
	backupOld
	processorUnavailable
	processorMode
	processorAccount
	processorUnbound
	clockWrong
	clockDrift
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
	mailProblems
	mailLate
	mailRefused
	mailNoBounceReports
	dnsUnavailable
	spfMissing
	spfDuplicate
	dkimMissing
	dkimUnknown
	dmarcMissing
	dmarcNone
	reportsRefused
	peopleNone
	peopleOne
	certificateUnavailable
	certificateExpired
	certificateExpiring
)

// table is also in docs/operations.md; a test compares the two.
var table = [...]Kind{
	checkIncomplete:        {"check.unseen", Warning, "Run the check again. If it still fails, see the server's log."},
	configFaulty:           {"config.faulty", Critical, "Run pledged check, which lists each fault and how to fix it. Until they are fixed, the server will not start again."},
	configWarning:          {"config.warning", Notice, "Run pledged check, which explains what to do."},
	databaseUnavailable:    {"database.silent", Critical, "Start the database, or fix DATABASE_URL or the disk of DATA_DIR."},
	databaseUnwritable:     {"database.unwritable", Critical, "Free space on the database's disk, or make the disk or the database writable. Until then no pledges are accepted and no charges are made. No restart is needed."},
	databaseMissing:        {"database.missing", Warning, "Check DATA_DIR. If it is correct, the first pledged serve creates the database."},
	databaseClosed:         {"database.closed", Critical, "Fix the reported cause: DATABASE_URL, DATA_DIR, or the version of the program."},
	serverUnavailable:      {"server.silent", Warning, "Use the same version of pledged as the server, or restart the server."},
	diskLow:                {"disk.low", Warning, "Free space on the disk of DATA_DIR, or move DATA_DIR to a larger disk."},
	diskFull:               {"disk.full", Critical, "Free space on the disk of DATA_DIR now. Requests that cannot be written are rejected."},
	backupUnknown:          {"backup.unknown", Notice, "Run pledged backup every day, unless the database is backed up by other means."},
	backupOld:              {"backup.old", Warning, "Run pledged backup, and find out why the last backups were not made."},
	processorUnavailable:   {"processor.silent", Critical, "Check the payment processor's status page, and PSP_SECRET_KEY_LIVE or PSP_SECRET_KEY_TEST."},
	processorMode:          {"processor.mode", Critical, "Set APP_MODE to the database's mode, or give this service a separate database."},
	processorAccount:       {"processor.account", Critical, "Set PSP_SECRET_KEY_LIVE or PSP_SECRET_KEY_TEST to a key of the database's account."},
	processorUnbound:       {"processor.unbound", Notice, "Start the server, which binds the database to the account of its key."},
	clockWrong:             {"clock.wrong", Critical, "Synchronize this machine's clock by NTP. Webhooks are rejected, and from a difference of 15 minutes the server rejects all changes."},
	clockDrift:             {"clock.drifts", Warning, "Synchronize this machine's clock by NTP."},
	clockUnknown:           {"clock.unknown", Critical, "Synchronize this machine's clock by NTP, or wait for the payment processor. The server rejects all changes until one of them confirms that the clock is right."},
	webhookNone:            {"webhook.none", Notice, "If there were checkouts, check the webhook endpoint at the payment processor. It must be WORKER_BASE/webhooks/psp."},
	webhookRefused:         {"webhook.refused", Critical, "Set PSP_WEBHOOK_SECRET_LIVE or PSP_WEBHOOK_SECRET_TEST to the endpoint's signing secret."},
	webhookForged:          {"webhook.forged", Notice, "If the payment processor sent them, look for a second endpoint with a different secret."},
	webhookMode:            {"webhook.mode", Warning, "Remove the endpoint of the other mode at the payment processor."},
	webhookPostponed:       {"webhook.postponed", Warning, "See the server's log for the cause. The payment processor will deliver the webhook again."},
	chargingStopped:        {"charging.stopped", Warning, "Run pledged resume when the reason for the stop is resolved."},
	chargingOff:            {"charging.off", Warning, "Remove SETTLEMENT_ENABLED=false when charges should be made."},
	cronNever:              {"cron.never", Notice, "Start the server or, on Workers, check that the cron triggers exist."},
	cronLate:               {"cron.late", Warning, "Check that a server is running, and look for the hourly job in its log."},
	cronDead:               {"cron.dead", Critical, "Restart the server or, on Workers, check the cron triggers. Until then nothing is settled."},
	contentBroken:          {"content.broken", Critical, "Run pledged check, which lists file, line and field, and fix the problems. Until then the last valid version of each listed file is served; a server with a new data folder omits the file."},
	contentEmpty:           {"content.empty", Notice, "Set CONTENT_DIR to the content repository."},
	repositoryDown:         {"repository.down", Warning, "Check CONTENT_REPOSITORY, CONTENT_BRANCH and CONTENT_TOKEN. The site stays online, but changes cannot be published."},
	repositoryRefused:      {"repository.refused", Warning, "See the server's log for the problems, and fix them in the repository. Until then the previous content is served."},
	filmsRefused:           {"films.refused", Warning, "Check MEDIA_STORE_URL, its region, key and secret, and the bucket's CORS rule for the site."},
	breakCritical:          {"break.critical", Critical, "Run pledged stop, then pledged reconcile for the campaign, and find the cause of the differences."},
	breakOpen:              {"break.open", Warning, "Run pledged reconcile for the campaign, which lists each difference."},
	chargeAttention:        {"charge.attention", Critical, "Run pledged resolve for the campaign. Two operators must confirm the outcome of each charge."},
	settlementHeld:         {"settlement.held", Critical, "Run pledged settle for the campaign, which shows the cause. Fix it, then run pledged settle with --release."},
	settlementRefused:      {"settlement.refused", Critical, "Fix the cause that pledged settle shows for the campaign, then run pledged settle with --release to repeat the charges."},
	termsDiffer:            {"terms.differ", Warning, "Run pledged terms for the campaign. Two operators can allow a pledge to be charged, or pledged cancel ends it."},
	promiseBroken:          {"promise.broken", Critical, "Fix the campaign's file, or run pledged settle with --accept if its supporters agreed."},
	projectionDrift:        {"projection.drift", Notice, "Wait for the hourly job, or run pledged rebuild for the campaign."},
	mailNone:               {"mail.none", Critical, "Set EMAIL_API_KEY, POSTMARK_SERVER_TOKEN, SES_SECRET_ACCESS_KEY or SMTP_URL. Until then no mails are sent and no charges are made."},
	mailStopped:            {"mail.stopped", Warning, "Run pledged mail, which shows the reason, and pledged mail resume when it is resolved."},
	mailProblems:           {"mail.trouble", Warning, "Find out where those addresses came from before you run pledged mail resume to send reminders and news again."},
	mailLate:               {"mail.late", Warning, "See the server's log for why the last attempts failed."},
	mailRefused:            {"mail.refused", Critical, "Fix the cause at the mail provider: the key, the domain of PLEDGES_EMAIL_FROM and UPDATES_EMAIL_FROM, or the plan. Mails wait until then."},
	mailNoBounceReports:    {"mail.deaf", Notice, "Set EMAIL_WEBHOOK_SECRET, POSTMARK_WEBHOOK_LOGIN or SES_TOPIC_ARN, so that no more mails are sent to addresses that bounce."},
	dnsUnavailable:         {"dns.silent", Warning, "Check this machine's DNS resolver, and run the check again."},
	spfMissing:             {"mail.spf", Warning, "Add the SPF record that the mail provider shows for the domain."},
	spfDuplicate:           {"mail.spf.twice", Warning, "Merge the SPF records into one. With two records, SPF fails."},
	dkimMissing:            {"mail.dkim", Warning, "Add the DKIM record that the mail provider shows for the domain."},
	dkimUnknown:            {"mail.dkim.unknown", Notice, "Send a mail to yourself, and look for dkim=pass in its headers."},
	dmarcMissing:           {"mail.dmarc", Warning, "Add a TXT record _dmarc with v=DMARC1; p=none, and use a stricter policy once mails pass."},
	dmarcNone:              {"mail.dmarc.none", Notice, "Change DMARC to p=quarantine or p=reject once the reports show that mails pass."},
	reportsRefused:         {"reports.refused", Warning, "Remove the addresses from runner_report_emails, confirm them under Report readers in the dashboard's settings, or give their users the permissions."},
	peopleNone:             {"people.none", Warning, "Run pledged admin add with an address and a name."},
	peopleOne:              {"people.one", Warning, "Run pledged admin add for a second super admin. Charges that need attention require two people."},
	certificateUnavailable: {"certificate.silent", Warning, "Check that the reverse proxy is running, and that browsers trust its certificate."},
	certificateExpired:     {"certificate.ended", Critical, "Renew the certificate now. Browsers refuse to open the site."},
	certificateExpiring:    {"certificate.soon", Warning, "Renew the certificate, and find out why it was not renewed automatically."},
}

// Kinds returns all kinds of findings, except those of checks that passed.
func Kinds() []Kind { return table[:] }

func (k kind) finding(format string, args ...any) Finding {
	is := table[k]
	return Finding{ID: is.ID, Severity: is.Severity, Found: fmt.Sprintf(format, args...), Remedy: is.Remedy, format: format, args: args}
}

// Findings of a host that could not open the service or had no access to it.

// DatabaseMissing reports that there is no database yet.
func DatabaseMissing(where string) Finding {
	return databaseMissing.finding("There is no database in %s", where)
}

// Closed reports why the service could not be opened.
func Closed(err error) Finding {
	return databaseClosed.finding("The service could not be opened: %s", singleLine(err.Error()))
}

// ServerSilent reports why a running server did not return its own report.
func ServerSilent(err error) Finding {
	return serverUnavailable.finding("A server is running but did not return its own health report: %s", singleLine(err.Error()))
}

// singleLine joins a text into one line.
func singleLine(text string) string { return strings.Join(strings.Fields(text), " ") }
