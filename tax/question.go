package tax

import (
	"fmt"
	"strings"
)

// Reason is the reason why a field of the destination prevents a final quote.
type Reason string

// Reasons. They are part of the public API; pages have a sentence for each.
const (
	MissingField      Reason = "missing"
	OtherState        Reason = "other_state"         // the postal code is in States
	SeveralStates     Reason = "several_states"      // the postal code is in several States and none is chosen
	ShortZIP          Reason = "short_zip"           // a ZIP code with fewer than five digits
	UnknownPostalCode Reason = "unknown_postal_code" // the postal code does not exist
)

// Question asks the supporter to enter or correct a field before a quote is final.
type Question struct {
	Field      string   `json:"field"` // of the destination
	Reason     Reason   `json:"reason"`
	PostalCode string   `json:"postalCode,omitempty"` // as entered
	States     []string `json:"states,omitempty"`     // codes
}

// fieldNames contains the fields' names as shown to the supporter.
var fieldNames = map[string]string{
	"country": "country", "state": "state", "postalCode": "postal code", "city": "city", "line1": "street address",
}

// Sentence returns the question as shown to the supporter.
func (q Question) Sentence() string {
	switch q.Reason {
	case OtherState:
		return fmt.Sprintf("The postal code %s is in %s. Correct the state or the postal code.",
			q.PostalCode, strings.Join(q.States, " and "))
	case SeveralStates:
		return fmt.Sprintf("The ZIP code %s is in %s. Choose your state.", q.PostalCode, strings.Join(q.States, " and "))
	case ShortZIP:
		return fmt.Sprintf("The ZIP code %s is too short. Enter all five digits, including a leading 0.",
			q.PostalCode)
	case UnknownPostalCode:
		return fmt.Sprintf("%s is not a valid postal code in this country. Check it and try again.", q.PostalCode)
	case MissingField:
	}
	name := fieldNames[q.Field]
	if name == "" {
		name = q.Field
	}
	return fmt.Sprintf("Enter the %s: the tax depends on it.", name)
}

// Ask returns a quote that is not final until the question is answered.
func Ask(provider string, q Question) Quote {
	out := Quote{Status: NeedsInput, Provider: provider, Breakdown: []Part{}, Missing: []string{q.Field}, Question: &q}
	if q.Reason != MissingField {
		out.Notice = q.Sentence()
	}
	return out
}

// ZIPQuestion returns the question about a ZIP code that is missing, incomplete or not valid.
func ZIPQuestion(code string) Question {
	code = strings.TrimSpace(code)
	digits := strings.NewReplacer("-", "", " ", "").Replace(code)
	switch {
	case digits == "":
		return Question{Field: "postalCode", Reason: MissingField}
	case strings.Trim(digits, "0123456789") != "" || len(digits) > 9:
		return Question{Field: "postalCode", Reason: UnknownPostalCode, PostalCode: code}
	}
	return Question{Field: "postalCode", Reason: ShortZIP, PostalCode: code}
}
