package psp

import "strings"

// maxMetadataValue is the maximum length of a metadata value in characters:
// https://docs.stripe.com/metadata
const maxMetadataValue = 500

// JoinPledges returns the PledgesKey value for a payment's pledges. It is "" if
// they do not fit into one value; at most 16 do.
func JoinPledges(ids []string) string {
	value := strings.Join(ids, " ")
	if len(value) > maxMetadataValue {
		return ""
	}
	return value
}

// SplitPledges returns the pledges in a PledgesKey value, nil for "".
func SplitPledges(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, " ")
}
