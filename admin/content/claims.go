package content

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
	"github.com/pledgeworks/pledgeworks/pledge/inventory"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// Affected describes how many supporters, units or cents rely on the old value of a changed field.
type Affected struct {
	// Supporters is the number of the campaign's supporters, if the field concerns all of them,
	// such as the goal. It is 0 for list entries, which set Units or Amount instead.
	Supporters int `json:"supporters,omitempty"`
	// Units is how many units of the reward, add-on or variant are claimed.
	Units int `json:"units,omitempty"`
	// Amount is the sum pledged to the support item, in cents.
	Amount money.Cents `json:"amount,omitempty"`
	// Words is a sentence for the author that contains the count.
	Words string `json:"words"`
}

// claimsOf returns the claims of a file's offers: a campaign's, or the platform's. Settings
// have none.
func (s *Service) claimsOf(ctx context.Context, file string) (inventory.Snapshot, error) {
	switch file {
	case SettingsFile:
		return inventory.Snapshot{}, nil
	case campaign.AddOnsFile:
		return s.Claims(ctx, inventory.Platform)
	}
	return s.Claims(ctx, s.slugOf(file))
}

// slugOf returns the slug of a campaign's file.
func (s *Service) slugOf(file string) string {
	for _, c := range s.Catalogue().Campaigns() {
		if c.File == file {
			return c.Slug
		}
	}
	return fileName(file)
}

// claimed returns the claimed units of the entry at a path such as "tiers[poster]" or, for a
// support item, the amount pledged to it.
func claimed(path string, claims inventory.Snapshot) (units int, amount money.Cents) {
	list, id, rest, ok := cutEntry(path)
	if !ok {
		return 0, 0
	}
	switch list {
	case "tiers":
		return claims.Stock["tier/"+id].Committed, 0
	case "support_items":
		return 0, claims.Support[id]
	case "campaign_add_ons", "products":
		item := "add-on/" + id
		if inner, variant, _, ok := cutEntry(rest); ok && inner == "variants" {
			return claims.Stock[item+"/"+variant].Committed, 0
		}
		units = claims.Stock[item].Committed
		for key, stock := range claims.Stock {
			if strings.HasPrefix(key, item+"/") {
				units += stock.Committed
			}
		}
	}
	return units, 0
}

// affectedBy returns how many supporters, units or cents rely on the old value of a change, or nil
// if none do.
func (s *Service) affectedBy(d campaignfile.Difference, item string, claims inventory.Snapshot) *Affected {
	if !isPromise(d) {
		return nil
	}
	if promisedFields[d.Path] {
		n := claims.Totals.Supporters()
		if n == 0 {
			return nil
		}
		what := bilingual{"goal", "la meta"}
		if d.Path != "goal_amount" {
			what = bilingual{"deadline", "la fecha límite"}
		}
		return &Affected{Supporters: n, Words: bilingual{
			pluralize(n, "supporter", "supporters") + " pledged under the old " + what.en +
				". They will see the change and your reason.",
			pluralize(n, "mecenas aportó", "mecenas aportaron") + " con " + what.es + " anterior. Verán el cambio y tu motivo.",
		}.in(s.lang)}
	}
	units, amount := claimed(d.Path, claims)
	switch {
	case units > 0:
		return &Affected{Units: units, Words: bilingual{
			fmt.Sprintf("%s was claimed %s before this change. Its supporters can read your reason.",
				item, pluralize(units, "time", "times")),
			fmt.Sprintf("%s se eligió %s antes de este cambio. Sus mecenas pueden leer tu motivo.",
				item, pluralize(units, "vez", "veces")),
		}.in(s.lang)}
	case amount > 0:
		return &Affected{Amount: amount, Words: bilingual{
			fmt.Sprintf("%s was pledged to %s before this change. Its supporters can read your reason.", amount, item),
			fmt.Sprintf("Se aportaron %s a %s antes de este cambio. Sus mecenas pueden leer tu motivo.", amount, item),
		}.in(s.lang)}
	}
	return nil
}

var limitPath = regexp.MustCompile(`\.(?:limit_total|inventory)$`)

// checkClaims returns problems for changes that contradict existing claims: a limit below the
// claimed units, and the removal of a claimed entry.
func checkClaims(file string, changes []campaignfile.Difference, claims inventory.Snapshot) campaign.Problems {
	var problems campaign.Problems
	for _, d := range changes {
		units, amount := claimed(d.Path, claims)
		fail := func(format string, args ...any) {
			problems = append(problems, campaign.Problem{File: file, Field: d.Path, Message: fmt.Sprintf(format, args...)})
		}
		switch {
		case isEntry(d.Path) && d.After == nil && units > 0:
			fail("cannot be deleted: %d claimed", units)
		case isEntry(d.Path) && d.After == nil && amount > 0:
			fail("cannot be deleted: %s was pledged to it", amount)
		case limitPath.MatchString(d.Path) && d.After != nil:
			if n, err := strconv.Atoi(strings.Trim(string(d.After), `"`)); err == nil && n < units {
				fail("is below the %d already claimed", units)
			}
		}
	}
	return problems
}

// checkAnswers returns problems for removing a decision that supporters have voted on, or for
// changing the texts of its answers, by which votes are counted.
func (s *Service) checkAnswers(ctx context.Context, file string,
	changes []campaignfile.Difference) (campaign.Problems, error) {
	var given map[string]int // loaded at the first change of a decision
	var problems campaign.Problems
	for _, d := range changes {
		list, id, field, ok := cutEntry(d.Path)
		if !ok || list != "decisions" || d.Before == nil || field != "" && (field != "options" || sameAnswers(d)) {
			continue
		}
		if given == nil {
			var err error
			if given, err = s.Answers(ctx, s.slugOf(file)); err != nil {
				return nil, err
			}
		}
		if given[id] == 0 {
			continue
		}
		message := "cannot change: supporters have answered"
		if field == "" {
			message = "cannot be deleted: supporters have answered"
		}
		problems = append(problems, campaign.Problem{File: file, Field: d.Path, Message: message})
	}
	return problems, nil
}

// sameAnswers reports whether the texts of a decision's answers are unchanged.
func sameAnswers(d campaignfile.Difference) bool {
	return slices.Equal(answersIn(d.Before), answersIn(d.After))
}

// answersIn returns the texts of answers, each a text or an object with a label.
func answersIn(options json.RawMessage) []string {
	var all []json.RawMessage
	_ = json.Unmarshal(options, &all) // anything but a list has no answers
	texts := make([]string, len(all))
	for i, one := range all {
		var option struct{ Label string }
		if json.Unmarshal(one, &texts[i]) != nil && json.Unmarshal(one, &option) == nil {
			texts[i] = option.Label
		}
	}
	return texts
}

// isOrder reports whether a difference only reorders a list's entries.
func isOrder(d campaignfile.Difference) bool {
	var ids []string
	return entryNames[d.Path].en != "" && d.Before != nil && d.After != nil && json.Unmarshal(d.After, &ids) == nil
}
