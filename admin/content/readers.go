package content

import (
	"context"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

// reportReaders is the field with the addresses that receive a campaign's reports.
const reportReaders = "runner_report_emails"

// checkReaders returns a problem if a draft adds addresses that may not receive the
// campaign's reports.
func (s *Service) checkReaders(ctx context.Context, c *campaign.Campaign, changes []campaignfile.Difference) error {
	if s.Readers == nil || c == nil || !changesReaders(changes) {
		return nil
	}
	refused, err := s.Readers(ctx, c.Slug, c.ReportEmails)
	if err != nil || len(refused) == 0 {
		return err
	}
	return refusedReaders(c, refused)
}

func changesReaders(changes []campaignfile.Difference) bool {
	for _, c := range changes {
		if c.Path == reportReaders {
			return true
		}
	}
	return false
}

func refusedReaders(c *campaign.Campaign, refused []string) error {
	return campaign.Problems{{
		File: c.File, Line: c.Lines[reportReaders], Field: reportReaders,
		Message: "these addresses do not belong to users who may see the campaign's reports; ask a super admin to confirm them: " +
			strings.Join(refused, ", "),
	}}
}
