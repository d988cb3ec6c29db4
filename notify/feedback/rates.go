package feedback

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pledgeworks/pledgeworks/kv"
	"github.com/pledgeworks/pledgeworks/notify"
)

// The rates above which a provider may close the account, in 1/10,000, and the minimum number
// of delivered or bounced mails before a rate is reported.
const (
	maxBounced, bouncedOf       = 400, 100
	maxComplained, complainedOf = 8, 1000
)

// countLife is how long counts are kept. RateProblem covers two days.
const countLife = 8 * 24 * time.Hour

// countedKinds are the kinds of event that rates are computed from.
var countedKinds = []notify.EventKind{notify.Delivered, notify.Bounced, notify.Complained}

// countKey is the key of one day's count of a kind of event, kept for eight days.
func countKey(day time.Time, s notify.Stream, k notify.EventKind) string {
	return "email-reports:v1:" + day.UTC().Format(time.DateOnly) + ":" + string(s) + ":" + string(k)
}

// count adds an event to the counts of its stream. It ignores kinds without a rate.
func (s *Service) count(ctx context.Context, stream notify.Stream, k notify.EventKind) error {
	if !slices.Contains(countedKinds, k) {
		return nil
	}
	now := s.Now()
	key := countKey(now, cmp.Or(stream, notify.Transactional), k)
	_, _, err := kv.Increment(ctx, s.Store, now, key, math.MaxInt, now.Add(countLife))
	return err
}

// RateProblem returns a description of the first stream with a high bounce or complaint rate today
// and yesterday (UTC), or "" if there is none. Sending should stop until an operator has checked
// it. A rate is high above 4 % bounces of at least 100 mails, or above 0.08 % complaints of at
// least 1,000.
func (s *Service) RateProblem(ctx context.Context) (string, error) {
	for _, stream := range []notify.Stream{notify.Updates, notify.Reminders, notify.Transactional} {
		n := map[notify.EventKind]int{}
		for _, k := range countedKinds {
			var err error
			if n[k], err = s.recent(ctx, stream, k); err != nil {
				return "", err
			}
		}
		if t := describeRates(stream, n[notify.Delivered], n[notify.Bounced], n[notify.Complained]); t != "" {
			return t, nil
		}
	}
	return "", nil
}

// describeRates describes the stream's bounce or complaint rate if it is too high, or returns "".
func describeRates(stream notify.Stream, delivered, bounced, complained int) string {
	ended := delivered + bounced
	switch {
	case ended >= bouncedOf && bounced*10_000 > ended*maxBounced:
		return fmt.Sprintf("%d of %d mails of the stream %s bounced", bounced, ended, stream)
	case ended >= complainedOf && complained*10_000 > ended*maxComplained:
		return fmt.Sprintf("%d of %d mails of the stream %s were marked as spam", complained, ended, stream)
	}
	return ""
}

// recent returns the number of a stream's events of a kind today and yesterday (UTC).
func (s *Service) recent(ctx context.Context, stream notify.Stream, k notify.EventKind) (int, error) {
	sum := 0
	for _, day := range []time.Time{s.Now(), s.Now().AddDate(0, 0, -1)} {
		c, _, err := kv.Read[kv.Count](ctx, s.Store, countKey(day, stream, k))
		if err != nil {
			return 0, err
		}
		sum += c.N
	}
	return sum, nil
}
