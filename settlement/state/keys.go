package state

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/pledgeworks/pledgeworks/pledge"
)

// GroupKey returns the Store key of a group's copy.
func GroupKey(slug, hash string) string { return "settlement-group:v1:" + slug + ":" + hash }

// JobKey returns the Store key of a job's copy.
func JobKey(slug string) string { return "settlement-job:" + slug }

// hashDigits keeps 192 bits of a group's hash, so that a command identity that contains it and
// a pledge's ID does not exceed the length limit.
const hashDigits = 48

// GroupHash returns the hash of the group of the pledges in a campaign that the holder of an
// address has joined. email is the address as stored in the pledges. The hash does not depend on
// orders, amounts or cards.
func GroupHash(slug, email string) string { return HashOf(slug, pledge.EmailHash(email)) }

// OwnGroupHash returns the hash of the group of a pledge that is charged separately, or that is the
// first of those made in one browser session.
func OwnGroupHash(slug, pledgeID string) string { return HashOf(slug, pledgeID) }

// HashOf returns the hash of the group that is named after a supporter's pledge.EmailHash or after
// a pledge's ID.
func HashOf(slug, supporter string) string {
	sum := sha256.Sum256([]byte(slug + "\x00" + supporter))
	return hex.EncodeToString(sum[:])[:hashDigits]
}

// GroupOf returns the group hash in a payment's metadata, if the payment belongs to the
// campaign.
func GroupOf(mark, slug string) (hash string, ok bool) {
	hash, _, ok = ParseAttemptKey(mark, slug)
	return hash, ok
}

// ParseAttemptKey returns the group and the generation of an attempt of the campaign from its key,
// which is also in the payment's metadata.
func ParseAttemptKey(mark, slug string) (hash string, generation int, ok bool) {
	rest, ok := strings.CutPrefix(mark, "settle:"+slug+":")
	if !ok {
		return "", 0, false
	}
	hash, number, _ := strings.Cut(rest, ":")
	generation, err := strconv.Atoi(number)
	return hash, generation, err == nil && generation > 0 && len(hash) == hashDigits
}

// AttemptKey returns the idempotency key of a group's attempt, which is also stored in the
// payment's metadata to find it again.
func AttemptKey(slug, hash string, generation int) string {
	return fmt.Sprintf("settle:%s:%s:%d", slug, hash, generation)
}
