package inventory

import (
	"slices"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// MaxPage is the maximum number of pledges, supporters or holds per query.
const MaxPage = 500

// maxDue is more than the longest time between a hold and its due time: sessions end within a day.
const maxDue = 48 * time.Hour

// runDue also returns holds whose due time is more than maxDue in the future, because a server with
// a wrong clock must have created them.
func runDue(tx kv.Tx, _ time.Time, q due) ([]Hold, error) {
	limit := min(q.Limit, MaxPage)
	keys, err := tx.List(duePrefix, "", limit)
	if err != nil {
		return nil, err
	}
	isLater := func(e kv.Entry) bool { return e.Key >= dueAt(q.Before) }
	if n := slices.IndexFunc(keys, isLater); n >= 0 {
		ahead, err := tx.List(duePrefix, dueAt(q.Before.Add(maxDue)), limit-n)
		if err != nil {
			return nil, err
		}
		keys = append(keys[:n], ahead...)
	}
	holds := []Hold{}
	for _, e := range keys {
		h, ok, err := kv.Load[Hold](tx, holdPrefix+strings.SplitN(e.Key, "/", 3)[2])
		if err != nil {
			return nil, err
		}
		if ok {
			holds = append(holds, h)
		}
	}
	return holds, nil
}

func runSnapshot(tx kv.Tx, _ time.Time, _ snapshot) (Snapshot, error) {
	s := Snapshot{Stock: map[string]Stock{}, Support: map[string]money.Cents{}}
	var err error
	if s.Totals, _, err = kv.Load[Totals](tx, totalsKey); err != nil {
		return Snapshot{}, err
	}
	closed, err := tx.Get(closedKey)
	if err != nil {
		return Snapshot{}, err
	}
	s.Closed = closed != nil
	if err := loadAll(tx, stockPrefix, s.Stock); err != nil {
		return Snapshot{}, err
	}
	return s, loadAll(tx, supportPrefix, s.Support)
}

func runTotals(tx kv.Tx, _ time.Time, _ totals) (Totals, error) {
	t, _, err := kv.Load[Totals](tx, totalsKey)
	return t, err
}

// loadAll reads all records with a prefix into a map, by the rest of their keys. It is only for
// prefixes with few records, such as a campaign's items or a holder's shares.
func loadAll[V any](tx kv.Tx, prefix string, into map[string]V) error {
	after := ""
	for {
		entries, err := tx.List(prefix, after, MaxPage)
		if err != nil {
			return err
		}
		for _, e := range entries {
			v, err := kv.Decode[V](e.Key, e.Value)
			if err != nil {
				return err
			}
			into[strings.TrimPrefix(e.Key, prefix)] = v
			after = e.Key
		}
		if len(entries) < MaxPage {
			return nil
		}
	}
}

func runListed(tx kv.Tx, _ time.Time, q listed) ([]string, error) {
	after := ""
	if q.From > 0 {
		after = listKey(q.From - 1)
	}
	entries, err := tx.List(listPrefix, after, min(q.Limit, MaxPage))
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(entries))
	for _, e := range entries {
		ids = append(ids, string(e.Value))
	}
	return ids, nil
}

// Supporter is one supporter's pledges to a campaign.
type Supporter struct {
	Hash    string   `json:"hash"` // pledge.EmailHash
	Pledges []string `json:"pledges"`
}

// SupporterPage is a page of supporters. Next is the argument after for the next page, or "" on the
// last page.
type SupporterPage struct {
	Supporters []Supporter `json:"supporters"`
	Next       string      `json:"next"`
}

func runSupporters(tx kv.Tx, _ time.Time, q supporters) (SupporterPage, error) {
	if q.Active {
		totals, _, err := kv.Load[Totals](tx, totalsKey)
		if err != nil {
			return SupporterPage{}, err
		}
		if totals.Indexed >= totals.Statuses[pledge.Active] {
			return activeSupporters(tx, q)
		}
	}
	page, err := allSupporters(tx, q)
	if err != nil || !q.Failed {
		return page, err
	}
	return failedOf(tx, page)
}

// failedOf returns the page with only those supporters who have a failed payment.
func failedOf(tx kv.Tx, page SupporterPage) (SupporterPage, error) {
	found := SupporterPage{Supporters: []Supporter{}, Next: page.Next}
	for _, s := range page.Supporters {
		for _, id := range s.Pledges {
			account, _, err := kv.Load[Account](tx, accountPrefix+id)
			if err != nil {
				return SupporterPage{}, err
			}
			if account.Status == pledge.PaymentFailed {
				found.Supporters = append(found.Supporters, s)
				break
			}
		}
	}
	return found, nil
}

// allSupporters reads limit pledges and then the remaining pledges of the last supporter, so that
// no supporter's pledges are split over pages.
func allSupporters(tx kv.Tx, q supporters) (SupporterPage, error) {
	page := SupporterPage{Supporters: []Supporter{}}
	after, pledges, limit := supporterPrefix+q.After, 0, max(min(q.Limit, MaxPage), 1)
	for {
		entries, err := tx.List(supporterPrefix, after, limit+1)
		if err != nil {
			return SupporterPage{}, err
		}
		for _, e := range entries {
			hash, id, _ := strings.Cut(strings.TrimPrefix(e.Key, supporterPrefix), "/")
			if n := len(page.Supporters); n == 0 || page.Supporters[n-1].Hash != hash {
				if pledges >= limit {
					page.Next = page.Supporters[n-1].Hash + "0" // "0" sorts directly after "/"
					return page, nil
				}
				page.Supporters = append(page.Supporters, Supporter{Hash: hash})
			}
			s := &page.Supporters[len(page.Supporters)-1]
			s.Pledges = append(s.Pledges, id)
			pledges++
			after = e.Key
		}
		if len(entries) <= limit {
			return page, nil
		}
	}
}

// activeSupporters reads supporters from the index of active pledges until they have
// limit pledges.
func activeSupporters(tx kv.Tx, q supporters) (SupporterPage, error) {
	page, after := SupporterPage{Supporters: []Supporter{}}, q.After
	limit := max(min(q.Limit, MaxPage), 1)
	for pledges := 0; ; {
		entries, err := tx.List(activePrefix, activePrefix+after, 1)
		if err != nil || len(entries) == 0 {
			return page, err
		}
		if pledges >= limit {
			page.Next = after
			return page, nil
		}
		hash, _, _ := strings.Cut(strings.TrimPrefix(entries[0].Key, activePrefix), "/")
		s, err := pledgesOf(tx, hash)
		if err != nil {
			return SupporterPage{}, err
		}
		page.Supporters = append(page.Supporters, s)
		pledges += len(s.Pledges)
		after = hash + "0" // "0" sorts directly after "/"
	}
}

func runOfSupporter(tx kv.Tx, _ time.Time, q ofSupporter) (Supporter, error) {
	return pledgesOf(tx, q.Hash)
}

func pledgesOf(tx kv.Tx, hash string) (Supporter, error) {
	s := Supporter{Hash: hash, Pledges: []string{}}
	prefix, after := supporterPrefix+hash+"/", ""
	for {
		entries, err := tx.List(prefix, after, MaxPage)
		if err != nil {
			return Supporter{}, err
		}
		for _, e := range entries {
			s.Pledges = append(s.Pledges, strings.TrimPrefix(e.Key, prefix))
			after = e.Key
		}
		if len(entries) < MaxPage {
			return s, nil
		}
	}
}
