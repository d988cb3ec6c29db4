package health

import (
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/locale"
)

// kind is a kind of finding: its index in the table.
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
	refundKeyAccount
	refundKeyUnavailable
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
	repositoryNone
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

// table is also in docs/operations.md, and a test compares the two. IDs must not be renamed,
// because monitoring depends on them.
var table = [...]struct {
	id       string
	severity Severity
}{
	checkIncomplete:        {"check.unseen", Warning},
	configFaulty:           {"config.faulty", Critical},
	configWarning:          {"config.warning", Notice},
	databaseUnavailable:    {"database.silent", Critical},
	databaseUnwritable:     {"database.unwritable", Critical},
	databaseMissing:        {"database.missing", Warning},
	databaseClosed:         {"database.closed", Critical},
	serverUnavailable:      {"server.silent", Warning},
	diskLow:                {"disk.low", Warning},
	diskFull:               {"disk.full", Critical},
	backupUnknown:          {"backup.unknown", Notice},
	backupOld:              {"backup.old", Warning},
	processorUnavailable:   {"processor.silent", Critical},
	processorMode:          {"processor.mode", Critical},
	processorAccount:       {"processor.account", Critical},
	processorUnbound:       {"processor.unbound", Notice},
	refundKeyAccount:       {"refundkey.account", Critical},
	refundKeyUnavailable:   {"refundkey.silent", Warning},
	clockWrong:             {"clock.wrong", Critical},
	clockDrift:             {"clock.drifts", Warning},
	clockUnknown:           {"clock.unknown", Critical},
	webhookNone:            {"webhook.none", Notice},
	webhookRefused:         {"webhook.refused", Critical},
	webhookForged:          {"webhook.forged", Notice},
	webhookMode:            {"webhook.mode", Warning},
	webhookPostponed:       {"webhook.postponed", Warning},
	chargingStopped:        {"charging.stopped", Warning},
	chargingOff:            {"charging.off", Warning},
	cronNever:              {"cron.never", Notice},
	cronLate:               {"cron.late", Warning},
	cronDead:               {"cron.dead", Critical},
	contentBroken:          {"content.broken", Critical},
	contentEmpty:           {"content.empty", Notice},
	repositoryDown:         {"repository.down", Warning},
	repositoryRefused:      {"repository.refused", Warning},
	repositoryNone:         {"repository.none", Notice},
	filmsRefused:           {"films.refused", Warning},
	breakCritical:          {"break.critical", Critical},
	breakOpen:              {"break.open", Warning},
	chargeAttention:        {"charge.attention", Critical},
	settlementHeld:         {"settlement.held", Critical},
	settlementRefused:      {"settlement.refused", Critical},
	termsDiffer:            {"terms.differ", Warning},
	promiseBroken:          {"promise.broken", Critical},
	projectionDrift:        {"projection.drift", Notice},
	mailNone:               {"mail.none", Critical},
	mailStopped:            {"mail.stopped", Warning},
	mailProblems:           {"mail.trouble", Warning},
	mailLate:               {"mail.late", Warning},
	mailRefused:            {"mail.refused", Critical},
	mailNoBounceReports:    {"mail.deaf", Notice},
	dnsUnavailable:         {"dns.silent", Warning},
	spfMissing:             {"mail.spf", Warning},
	spfDuplicate:           {"mail.spf.twice", Warning},
	dkimMissing:            {"mail.dkim", Warning},
	dkimUnknown:            {"mail.dkim.unknown", Notice},
	dmarcMissing:           {"mail.dmarc", Warning},
	dmarcNone:              {"mail.dmarc.none", Notice},
	reportsRefused:         {"reports.refused", Warning},
	peopleNone:             {"people.none", Warning},
	peopleOne:              {"people.one", Warning},
	certificateUnavailable: {"certificate.silent", Warning},
	certificateExpired:     {"certificate.ended", Critical},
	certificateExpiring:    {"certificate.soon", Warning},
}

// finding returns a finding. Its message is found.ID, with the values in pairs of name and
// value.
func (k kind) finding(pairs ...any) Finding {
	return k.findingAs("found."+table[k].id, pairs...)
}

// findingAs is like finding, with message id instead of found.ID.
func (k kind) findingAs(id string, pairs ...any) Finding {
	is, found, english := table[k], newPhrase(id, pairs...), locales[locale.Origin]
	return Finding{ID: is.id, Severity: is.severity, Found: found.in(english),
		Remedy: remedy(is.id, english), Action: k.action(), found: found}
}

// Findings of a host that could not open the service or had no access to it.

// DatabaseMissing returns the finding that a folder contains no database yet.
func DatabaseMissing(where string) Finding {
	return databaseMissing.finding("folder", where)
}

// Closed returns the finding that the service could not be opened, with the reason.
func Closed(err error) Finding {
	return databaseClosed.finding("reason", singleLine(err.Error()))
}

// ServerSilent returns the finding that a running server did not return its own report, with the
// reason.
func ServerSilent(err error) Finding {
	return serverUnavailable.finding("reason", singleLine(err.Error()))
}

// singleLine joins a text into one line.
func singleLine(text string) string { return strings.Join(strings.Fields(text), " ") }
