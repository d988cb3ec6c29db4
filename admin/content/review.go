package content

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pledgeworks/pledgeworks/admin/repository"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
)

// Review describes the effect of publishing a draft.
type Review struct {
	// Base is the SHA of the current file.
	Base    string   `json:"base"`
	Changes []Change `json:"changes"`
	Reasons
	// Warnings are hints for the author. They do not prevent publishing.
	Warnings []Problem `json:"warnings,omitempty"`
	// Pledges is the number of the campaign's pledges.
	Pledges int `json:"pledges"`
	// NeedsReason is set if supporters rely on the old value of a change.
	NeedsReason bool `json:"needsReason"`
	Publishable bool `json:"publishable"`
}

// Preview returns the effect of publishing a draft, and writes nothing. Problems and conflicts are
// part of the result, not an error.
func (s *Service) Preview(ctx context.Context, d Draft) (Review, error) {
	m, err := s.merge(ctx, d)
	var r *RefusedError
	if err != nil && !errors.As(err, &r) {
		return Review{}, err
	}
	v := s.review(d.File, m)
	if r != nil {
		v.Reasons = r.Reasons
	}
	return v, nil
}

func (s *Service) review(file string, m merged) Review {
	r := Review{
		Base: m.base, Changes: []Change{}, Warnings: s.problemsIn(file, m.warnings, m.after, m.before),
		Publishable: s.Repository != nil,
		Pledges:     m.claims.Totals.Pledges(),
	}
	if m.after != nil {
		r.Changes = s.describe(file, m.before, m.after, m.changes)
	}
	for i := range r.Changes {
		c := &r.Changes[i]
		c.Affected = s.affectedBy(c.Difference, c.Item, m.claims)
		if c.Affected == nil {
			c.Affected = s.affectedByWithdrawal(c.Difference, m.claims.Totals.Supporters())
		}
		r.NeedsReason = r.NeedsReason || c.Affected != nil
	}
	return r
}

// WithDraft returns the campaign as it would be after publishing a draft. It fails with a
// RefusedError like Publish, and with code Invalid if the file is not a campaign's.
func (s *Service) WithDraft(ctx context.Context, d Draft) (*campaign.Campaign, error) {
	unrendered := *s
	unrendered.Renders = nil // the caller renders it
	m, err := unrendered.merge(ctx, d)
	if err == nil && m.campaign == nil {
		err = fault.New(fault.Invalid, "Only campaign files can be previewed as a page").In("file")
	}
	return m.campaign, err
}

// Published is a published change.
type Published struct {
	// Revision is the commit, or "" if the file already matched the draft.
	Revision string   `json:"revision,omitempty"`
	Base     string   `json:"base"` // the SHA of the file after the change
	Changes  []Change `json:"changes"`
}

// Author is the author of a change and the ID of the request. A request is published once
// per ID.
type Author struct {
	repository.Author
	ID string
}

// The trailers of commits.
const (
	ReasonTrailer = "Reason"     // the reason shown to supporters
	AuditTrailer  = "Audit-Head" // number and hash of the audit log's newest event at the time
)

// maxTries is how many times a change is merged again after concurrent commits. With eight
// concurrent editors, half of the tries fail.
const maxTries = 30

// Publish commits a draft and deletes the uploads that the campaign no longer references. A
// repeated request returns the original result.
//
// It fails with a RefusedError if the draft conflicts with changes by others or the file would not
// be valid, with code Invalid if the required reason is missing, EditingOff without a repository,
// and Busy if concurrent commits prevented it maxTries times.
func (s *Service) Publish(ctx context.Context, by Author, d Draft) (Published, error) {
	if s.Repository == nil {
		return Published{}, Unpublishable()
	}
	for try := 0; ; try++ {
		p, raced, err := s.publish(ctx, by, d)
		var r *RefusedError
		switch {
		case errors.As(err, &r) || err == nil && p.Revision == "":
			return s.findEarlier(ctx, by, d.File, p, err)
		case !raced:
			return p, err
		case try == maxTries:
			return p, fault.Wrap(err, fault.Busy, "Others are publishing at the moment: try again")
		}
	}
}

// findEarlier returns the original result if the request was already published, and otherwise the
// given result and refusal. The edits of a repeated request conflict with its own commit or change
// nothing.
func (s *Service) findEarlier(ctx context.Context, by Author, file string, otherwise Published,
	refusal error) (Published, error) {
	log, err := s.Repository.Log(ctx, file, maxBlame)
	if err != nil {
		return otherwise, cmp.Or(refusal, err)
	}
	for _, c := range log {
		if c.Trailer(repository.IDTrailer) != by.ID {
			continue
		}
		before, err := s.documentAt(ctx, c.Parent, file)
		if err != nil {
			return otherwise, err
		}
		after, err := s.documentAt(ctx, c.Revision, file)
		if err != nil {
			return otherwise, err
		}
		now, err := s.read(ctx, file)
		changes, _ := s.readableChanges(file, s.describe(file, before, after, before.Compare(after)))
		return Published{c.Revision, now.SHA, changes}, err
	}
	return otherwise, refusal
}

// publish merges a draft and commits it. Raced reports that another commit was made in between.
func (s *Service) publish(ctx context.Context, by Author, d Draft) (p Published, raced bool, err error) {
	m, err := s.merge(ctx, d)
	if err != nil {
		return Published{}, false, err
	}
	r := s.review(d.File, m)
	reason := strings.Join(strings.Fields(d.Reason), " ")
	if r.NeedsReason && reason == "" {
		return Published{}, false, fault.New(fault.Invalid,
			"Give a reason: it is shown to supporters who pledged before this change").In("reason")
	}
	after := m.after.Bytes()
	if len(r.Changes) == 0 && bytes.Equal(m.before.Bytes(), after) {
		return Published{Base: r.Base, Changes: r.Changes}, false, nil
	}
	removals, err := s.removalWrites(ctx, m)
	if err != nil {
		return Published{}, false, err
	}
	c := repository.Change{
		ID: by.ID, Author: by.Author, Message: commitMessage(d.File, r.Changes),
		Writes: slices.Concat([]repository.Write{{Path: d.File, Was: m.base, Bytes: after}},
			m.referencedRestores(d.restores), removals),
	}
	if reason != "" {
		c.Trailers = append(c.Trailers, repository.Trailer{Key: ReasonTrailer, Value: reason})
	}
	made, err := s.commit(ctx, c)
	if err != nil {
		return Published{}, fault.Is(err, fault.Conflict), err
	}
	return Published{made.Revision, repository.SHA(after), r.Changes}, false, nil
}

// commit commits a change with the head of the audit log as a trailer.
func (s *Service) commit(ctx context.Context, c repository.Change) (repository.Commit, error) {
	c.At = s.Now()
	if s.AuditHead != nil {
		head, err := s.AuditHead(ctx)
		if err != nil {
			return repository.Commit{}, err
		}
		if head != "" {
			c.Trailers = append(c.Trailers, repository.Trailer{Key: AuditTrailer, Value: head})
		}
	}
	return s.Repository.Commit(ctx, c)
}

// commitMessage returns a commit message: one line, followed by a list of the changes unless there
// is only one and it fits in the line.
func commitMessage(file string, changes []Change) string {
	if len(changes) == 1 {
		if line := fileName(file) + ": " + changes[0].Words; len(line) <= 72 {
			return line
		}
	}
	lines := make([]string, 0, len(changes))
	for _, c := range changes {
		lines = append(lines, "- "+c.Words)
	}
	return shorten(fileName(file)) + ": change " + pluralize(len(changes), "field", "fields") +
		"\n\n" + strings.Join(lines, "\n")
}

func fileName(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(file, campaign.Folder+"/"), ".md")
}
