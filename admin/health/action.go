package health

import (
	"cmp"
	"slices"
)

// ActionKind is a way to resolve a finding in the dashboard.
type ActionKind string

// The kinds of actions.
const (
	NoAction           ActionKind = "none" // only the remedy applies
	AddSuperAdmin      ActionKind = "add_super_admin"
	OpenSettlement     ActionKind = "open_settlement"     // of the campaigns
	OpenReconciliation ActionKind = "open_reconciliation" // of the campaigns
	OpenCampaign       ActionKind = "open_campaign"       // its settings and content
	OpenReportReaders  ActionKind = "open_report_readers"
	ResumeCharging     ActionKind = "resume_charging" // of all campaigns
	CreateCampaign     ActionKind = "create_campaign"
	ConfigureBackup    ActionKind = "configure_backup"
	ConfigureMail      ActionKind = "configure_mail"
)

// ActionKinds returns all kinds of actions.
func ActionKinds() []ActionKind {
	return []ActionKind{NoAction, AddSuperAdmin, OpenSettlement, OpenReconciliation, OpenCampaign,
		OpenReportReaders, ResumeCharging, CreateCampaign, ConfigureBackup, ConfigureMail}
}

// Action links a finding to the page where it can be resolved.
type Action struct {
	Kind      ActionKind `json:"kind"`
	Campaigns []string   `json:"campaigns"` // slugs; empty if the finding is about no campaign
}

var actions = map[kind]ActionKind{
	peopleNone: AddSuperAdmin, peopleOne: AddSuperAdmin,
	chargeAttention: OpenSettlement, settlementHeld: OpenSettlement, settlementRefused: OpenSettlement,
	termsDiffer: OpenSettlement, promiseBroken: OpenSettlement,
	breakCritical: OpenReconciliation, breakOpen: OpenReconciliation,
	projectionDrift: OpenCampaign, reportsRefused: OpenReportReaders, chargingStopped: ResumeCharging,
	contentEmpty:  CreateCampaign,
	backupUnknown: ConfigureBackup, backupOld: ConfigureBackup,
	mailNone: ConfigureMail, mailStopped: ConfigureMail, mailProblems: ConfigureMail, mailLate: ConfigureMail,
	mailRefused: ConfigureMail, mailNoBounceReports: ConfigureMail,
	spfMissing: ConfigureMail, spfDuplicate: ConfigureMail, dkimMissing: ConfigureMail, dkimUnknown: ConfigureMail,
	dmarcMissing: ConfigureMail, dmarcNone: ConfigureMail,
}

func (k kind) action() Action {
	return Action{Kind: cmp.Or(actions[k], NoAction), Campaigns: []string{}}
}

// withCampaigns adds the campaigns to the finding and returns it as a list.
func (f Finding) withCampaigns(slugs []string) []Finding {
	f.Action.Campaigns = slugs
	return []Finding{f}
}

// mostHarmful lists the kinds that affect supporters and money, the worst first. The others follow
// in the order of the checks.
var mostHarmful = []kind{
	chargeAttention, settlementHeld, settlementRefused, breakCritical, promiseBroken, termsDiffer,
	breakOpen, chargingStopped, chargingOff, mailNone, mailRefused, mailStopped,
}

// ByUrgency returns the report with its findings sorted by severity, the worst first, and
// then by their harm to supporters and money.
func (r *Report) ByUrgency() Report {
	harm := map[string]int{}
	for i, k := range mostHarmful {
		harm[table[k].id] = i - len(mostHarmful)
	}
	sorted := *r
	sorted.Findings = slices.Clone(r.Findings)
	slices.SortStableFunc(sorted.Findings, func(a, b Finding) int {
		return cmp.Or(CompareSeverity(b.Severity, a.Severity), cmp.Compare(harm[a.ID], harm[b.ID]))
	})
	return sorted
}
