package locale

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// plural holds the plural rules of a language. The first rule that a number satisfies
// determines the form, and numbers that satisfy none have the form "other".
type plural []pluralRule

// pluralRule is a parsed CLDR plural rule: alternatives, each with relations that must all hold.
// See https://www.unicode.org/reports/tr35/tr35-numbers.html#Plural_rules_syntax.
type pluralRule struct {
	form         string
	alternatives [][]relation
}

// relation compares a number, or its remainder, with ranges of values.
type relation struct {
	fraction bool   // compares digits of a fraction or an exponent, which are 0
	modulus  uint64 // 0 for none
	negated  bool
	ranges   [][2]uint64
}

// pluralForms are CLDR's plural forms except "other", in the order in which rules apply.
var pluralForms = []string{"zero", "one", "two", "few", "many"}

// forms returns the forms that the language has.
func (p plural) forms() []string {
	all := []string{other}
	for _, rule := range p {
		all = append(all, rule.form)
	}
	return all
}

// form returns the plural form of a whole number.
func (p plural) form(n uint64) string {
	for _, rule := range p {
		if slices.ContainsFunc(rule.alternatives, func(all []relation) bool { return holdAll(all, n) }) {
			return rule.form
		}
	}
	return other
}

func holdAll(all []relation, n uint64) bool {
	return !slices.ContainsFunc(all, func(r relation) bool { return !r.holds(n) })
}

func (r relation) holds(n uint64) bool {
	if r.fraction {
		n = 0
	}
	if r.modulus > 0 {
		n %= r.modulus
	}
	within := slices.ContainsFunc(r.ranges, func(of [2]uint64) bool { return of[0] <= n && n <= of[1] })
	return within != r.negated
}

// UnmarshalJSON parses an object with a rule for each form.
func (p *plural) UnmarshalJSON(b []byte) error {
	var rules map[string]string
	if err := json.Unmarshal(b, &rules); err != nil {
		return err
	}
	*p = nil
	for _, form := range pluralForms {
		text, ok := rules[form]
		if !ok {
			continue
		}
		rule, err := parseRule(form, text)
		if err != nil {
			return err
		}
		*p = append(*p, rule)
		delete(rules, form)
	}
	for form := range rules {
		return fmt.Errorf("%q is not a plural form with a rule", form)
	}
	return nil
}

// parseRule parses a condition such as "n % 10 = 2..4 and n % 100 != 12..14".
func parseRule(form, text string) (pluralRule, error) {
	rule := pluralRule{form: form}
	for alternative := range strings.SplitSeq(text, " or ") {
		var all []relation
		for condition := range strings.SplitSeq(alternative, " and ") {
			r, err := parseRelation(condition)
			if err != nil {
				return pluralRule{}, fmt.Errorf("%q is not a valid plural rule: %w", text, err)
			}
			all = append(all, r)
		}
		rule.alternatives = append(rule.alternatives, all)
	}
	return rule, nil
}

func parseRelation(text string) (relation, error) {
	var r relation
	var err error
	fields := strings.Fields(text)
	if len(fields) == 5 && fields[1] == "%" {
		if r.modulus, err = strconv.ParseUint(fields[2], 10, 64); err != nil || r.modulus == 0 {
			return r, fmt.Errorf("%q is not a valid modulus", fields[2])
		}
		fields = slices.Delete(fields, 1, 3)
	}
	if len(fields) != 3 || fields[1] != "=" && fields[1] != "!=" {
		return r, fmt.Errorf("%q is not a valid relation", strings.TrimSpace(text))
	}
	switch fields[0] {
	case "n", "i":
	case "v", "w", "f", "t", "c", "e":
		r.fraction = true
	default:
		return r, fmt.Errorf("%q is not a valid operand", fields[0])
	}
	r.negated = fields[1] == "!="
	for values := range strings.SplitSeq(fields[2], ",") {
		low, high, ok := strings.Cut(values, "..")
		if !ok {
			high = low
		}
		from, err := strconv.ParseUint(low, 10, 64)
		to, err2 := strconv.ParseUint(high, 10, 64)
		if err != nil || err2 != nil {
			return r, fmt.Errorf("%q is not a valid range", values)
		}
		r.ranges = append(r.ranges, [2]uint64{from, to})
	}
	return r, nil
}
