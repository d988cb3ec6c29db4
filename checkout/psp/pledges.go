package psp

import "strings"

// maxMetadataValue is the maximum length of a metadata value in characters:
// https://docs.stripe.com/metadata
const maxMetadataValue = 500

// JoinPledges returns the PledgesKey value for a payment's pledges, or "" if it would be longer
// than maxMetadataValue, which is enough for 16 pledge IDs.
func JoinPledges(ids []string) string {
	value := strings.Join(ids, " ")
	if len(value) > maxMetadataValue {
		return ""
	}
	return value
}

// SplitPledges returns the pledge IDs in a PledgesKey value, or nil for "".
func SplitPledges(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, " ")
}
