package broadcast

import "slices"

// Segment selects a campaign's supporters with a pledge that matches all lists. An empty list
// matches every pledge.
type Segment struct {
	Rewards   []string `json:"rewards,omitempty"`   // IDs of rewards, any of which the pledge has
	Statuses  []string `json:"statuses,omitempty"`  // of pledges
	Countries []string `json:"countries,omitempty"` // two letters, of the shipping address
	Languages []string `json:"languages,omitempty"` // of the supporter, such as "es"
}

// All reports whether the segment includes all supporters.
func (s Segment) All() bool {
	return len(s.Rewards)+len(s.Statuses)+len(s.Countries)+len(s.Languages) == 0
}

func (s Segment) matches(p Supporter) bool {
	one := func(list []string, value string) bool { return len(list) == 0 || slices.Contains(list, value) }
	chosen := func(id string) bool { return slices.Contains(s.Rewards, id) }
	return one(s.Statuses, p.Status) && one(s.Countries, p.Country) && one(s.Languages, p.Lang) &&
		(len(s.Rewards) == 0 || slices.ContainsFunc(p.Rewards, chosen))
}

// lists returns the segment's lists in a fixed order.
func (s Segment) lists() [4][]string {
	return [...][]string{s.Rewards, s.Statuses, s.Countries, s.Languages}
}

func (s Segment) equal(other Segment) bool {
	theirs := other.lists()
	for i, list := range s.lists() {
		if !slices.Equal(list, theirs[i]) {
			return false
		}
	}
	return true
}

// size returns the total length of the segment's values, in bytes.
func (s Segment) size() (n int) {
	for _, list := range s.lists() {
		for _, value := range list {
			n += len(value)
		}
	}
	return n
}
