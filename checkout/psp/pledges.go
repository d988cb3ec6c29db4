package psp

import "strings"

// maxMetadataValue is how many characters Stripe keeps of a value:
// https://docs.stripe.com/metadata
const maxMetadataValue = 500

// JoinPledges is the value of PledgesKey for a payment for pledges. It is "" for more than fit
// into one value, which are 16.
func JoinPledges(ids []string) string {
	value := strings.Join(ids, " ")
	if len(value) > maxMetadataValue {
		return ""
	}
	return value
}

// SplitPledges are the pledges of a value of PledgesKey, nil for "".
func SplitPledges(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, " ")
}
