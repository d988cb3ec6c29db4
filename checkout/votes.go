package checkout

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/fault"
	"github.com/pledgeworks/pledgeworks/pledge/token"
	"github.com/pledgeworks/pledgeworks/pledge/vote"
)

// MaxDecisions is the maximum number of decisions in one request.
const MaxDecisions = 20

// devToken followed by a campaign slug authenticates a test voter in test mode.
const devToken = "dev-token-"

const devEmail = "dev@test.com"

// voter is the holder of a voting token: a manage token or, in test mode, a dev-token.
type voter struct {
	slug, email string
	pledge      *pledge.Pledge // nil for the test voter
}

func (s *Service) authenticateVoter(ctx context.Context, tok string) (voter, error) {
	if slug, ok := strings.CutPrefix(tok, devToken); ok {
		if _, err := campaign.ParseSlug(slug); err != nil || !s.Settings.TestMode {
			return voter{}, badToken()
		}
		return voter{slug: slug, email: devEmail}, nil
	}
	if _, err := s.Links.Signer.Verify(tok, token.Manage, s.Now()); fault.Is(err, fault.Unauthorized) && tok != "" {
		return voter{}, badToken()
	}
	p, err := s.pledgeForToken(ctx, tok, "")
	if err != nil {
		return voter{}, err
	}
	return voter{p.CampaignSlug, p.Email, p}, nil
}

func badToken() error { return fault.New(fault.Unauthorized, "Invalid token").In("token") }

// checkEligible returns an error if the voter's pledge is cancelled or the decision's eligibility
// rule excludes it.
func (v voter) checkEligible(d campaign.Decision) error {
	if v.pledge == nil {
		return nil
	}
	if v.pledge.Status == pledge.Cancelled {
		return fault.New(fault.Forbidden, "A cancelled pledge cannot vote")
	}
	if d.Eligible == campaign.Charged && !v.pledge.Charged {
		return fault.New(fault.Forbidden, "Only supporters whose pledge was charged can vote on this decision")
	}
	return nil
}

func checkDecisionID(id string) error {
	if _, err := campaign.ParseSlug(id); err != nil {
		return fault.New(fault.Invalid, "Invalid decision ID format").In("decisionId")
	}
	return nil
}

func checkOption(option string) error {
	n := utf8.RuneCountInString(option)
	if n == 0 || n > campaign.MaxOption || !utf8.ValidString(option) ||
		strings.IndexFunc(option, unicode.IsControl) >= 0 {
		return fault.New(fault.Invalid, "Invalid vote option format").In("option")
	}
	return nil
}

// decision returns a decision of a public campaign.
func (s *Service) decision(slug, id string) (campaign.Decision, error) {
	c, err := s.Catalogue().Campaign(slug)
	if err != nil || !c.Public() {
		return campaign.Decision{}, fault.New(fault.NotFound, "Campaign not found")
	}
	d, ok := c.Decision(id)
	if !ok {
		return campaign.Decision{}, fault.New(fault.NotFound, "Decision not found").In("decisionId")
	}
	return d, nil
}

// CastVote records the vote of the token's supporter, replacing an earlier one.
// It fails with code Invalid for a malformed ID or an option that the decision
// does not have, NotFound for an unknown decision, Conflict for a closed one, and
// Forbidden for a supporter who is not eligible.
func (s *Service) CastVote(ctx context.Context, r VoteRequest) (Voted, error) {
	if err := checkDecisionID(r.DecisionID); err != nil {
		return Voted{}, err
	}
	if err := checkOption(r.Option); err != nil {
		return Voted{}, err
	}
	v, err := s.authenticateVoter(ctx, r.Token)
	if err != nil {
		return Voted{}, err
	}
	if err := s.checkVote(v, r); err != nil {
		return Voted{}, err
	}
	nonce, err := s.nonce()
	if err != nil {
		return Voted{}, err
	}
	st, err := s.Votes.Cast(ctx, v.slug, v.email, r.DecisionID, r.Option, nonce)
	if err != nil {
		return Voted{}, err
	}
	if err := s.recordVote(ctx, v, r); err != nil {
		return Voted{}, err
	}
	return Voted{Success: true, DecisionID: r.DecisionID, Choice: st.Choice, Results: results(st.Tally),
		Total: st.Tally.Total}, nil
}

func (s *Service) checkVote(v voter, r VoteRequest) error {
	d, err := s.decision(v.slug, r.DecisionID)
	if err != nil {
		return err
	}
	if d.Status(s.Now(), s.Settings.Zone) == campaign.Closed {
		return fault.New(fault.Conflict, "The decision is closed").In("decisionId")
	}
	if err := v.checkEligible(d); err != nil {
		return err
	}
	if !d.Allows(r.Option) {
		return fault.New(fault.Invalid, "The decision has no such option").In("option")
	}
	return nil
}

// recordVote writes the projections of a vote. The campaign's vote object is authoritative.
func (s *Service) recordVote(ctx context.Context, v voter, r VoteRequest) error {
	record := vote.Vote{Decision: r.DecisionID, Option: r.Option, At: s.Now().UTC()}
	if err := kv.Save(ctx, s.Projector.Votes, vote.Key(v.slug, r.DecisionID, v.email), record); err != nil {
		return err
	}
	return s.Projector.WriteResults(ctx, v.slug, r.DecisionID)
}

// Standings returns decisions of the token's campaign, or all of them if decisions is empty. It
// fails with code Invalid for more than MaxDecisions or a malformed ID, and NotFound for an unknown
// decision.
func (s *Service) Standings(ctx context.Context, tok string, decisions []string) (Standings, error) {
	if len(decisions) > MaxDecisions {
		return Standings{}, fault.New(fault.Invalid, "At most %d decisions can be requested",
			MaxDecisions).In("decisions")
	}
	for _, id := range decisions {
		if err := checkDecisionID(id); err != nil {
			return Standings{}, err
		}
	}
	v, err := s.authenticateVoter(ctx, tok)
	if err != nil {
		return Standings{}, err
	}
	if len(decisions) == 0 {
		for _, d := range s.campaign(v.slug).Decisions {
			decisions = append(decisions, d.ID)
		}
	}
	standings, err := s.Votes.Results(ctx, v.slug, v.email, decisions)
	if err != nil {
		return Standings{}, err
	}
	out := Standings{CampaignSlug: v.slug, Decisions: map[string]DecisionStanding{}}
	for _, id := range decisions {
		d, err := s.decision(v.slug, id)
		if err != nil {
			return Standings{}, err
		}
		st := standings[id]
		out.Decisions[id] = DecisionStanding{
			HasVoted: st.Choice != "", Choice: st.Choice, Status: string(d.Status(s.Now(), s.Settings.Zone)),
			Results: results(st.Tally), Total: st.Tally.Total,
		}
	}
	return out, nil
}
