package money

import "strings"

// Display formats of amounts. Languages that are not listed use the English format.
// hosts/site/scripts/words.ts has the same forms for browsers, and testdata/forms.json has
// examples that both must match.

// Price formats c for prices, goals and pledged amounts, with cents only if they are not zero:
// "$45", "$7.50", in Spanish "45 US$".
func (c Cents) Price(lang string) string { return c.format(lang, false) }

// Amount formats c for bills and charges, always with cents: "$45.00", "−$12.00", in Spanish
// "45,00 US$".
func (c Cents) Amount(lang string) string { return c.format(lang, true) }

// Total formats c as a grand total with the currency code: "USD $45.00". In Spanish it is the same
// as Amount, which already includes the currency.
func (c Cents) Total(lang string) string {
	if isSpanish(lang) {
		return c.Amount(lang)
	}
	return "USD\u00a0" + c.Amount(lang)
}

func isSpanish(lang string) bool { return lang == "es" || strings.HasPrefix(lang, "es-") }

func (c Cents) format(lang string, zeroCents bool) string {
	text, negative := strings.CutPrefix(c.String(), "-")
	if !zeroCents {
		text = strings.TrimSuffix(text, ".00")
	}
	if isSpanish(lang) {
		text = spanishSeparators.Replace(strings.TrimPrefix(text, "$")) + "\u00a0US$"
	}
	if negative {
		return "−" + text
	}
	return text
}

var spanishSeparators = strings.NewReplacer(",", ".", ".", ",")

// Percent formats the rate for display: "7.875%", in Spanish "7,875 %".
func (r Rate) Percent(lang string) string {
	text := r.d.Shift(2).String()
	if isSpanish(lang) {
		return spanishSeparators.Replace(text) + "\u00a0%"
	}
	return text + "%"
}
