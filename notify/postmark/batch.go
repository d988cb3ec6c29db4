package postmark

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
)

// Postmark's limits for a batch
// (https://postmarkapp.com/developer/user-guide/send-email-with-api/batch-emails).
const (
	maxBatch = 500
	maxBody  = 50 << 20 // bytes
)

// MaxBatch implements notify.Batcher.
func (s *Sender) MaxBatch() int { return maxBatch }

// SendBatch implements notify.Batcher. Postmark accepts or refuses each mail separately. It
// does not support idempotency keys, so the batch's key is not used.
func (s *Sender) SendBatch(ctx context.Context, _ string, mails []notify.Mail) ([]notify.Receipt, error) {
	if len(mails) == 0 {
		return nil, nil
	}
	if len(mails) > maxBatch {
		return divideAll("Postmark accepts at most 500 mails per request", len(mails)), nil
	}
	all := make([]email, 0, len(mails))
	for _, m := range mails {
		all = append(all, s.emailOf(m))
	}
	body, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return divideAll("Postmark accepts at most 50 MB per request", len(mails)), nil
	}
	res, err := s.post(ctx, "/email/batch", string(body))
	if err != nil {
		return nil, err
	}
	return receipts(res, len(mails))
}

func divideAll(reason string, n int) []notify.Receipt {
	return slices.Repeat([]notify.Receipt{{Outcome: notify.Divide, Reason: reason}}, n)
}

// receipts converts a response to receipts for n mails. An error response applies to all of
// them; if it refuses the batch, their outcome is Divide.
func receipts(res fetch.Response, n int) ([]notify.Receipt, error) {
	if succeeded(res) {
		return parseResults(res, n)
	}
	r, err := receipt(res)
	if err != nil {
		return nil, err
	}
	if r.Outcome == notify.Refused {
		return divideAll(r.Reason, n), nil
	}
	return slices.Repeat([]notify.Receipt{r}, n), nil
}

// parseResults returns the receipts of the individual mails, in the order of the batch. It fails if
// the response does not have a result for each of the n mails.
func parseResults(res fetch.Response, n int) ([]notify.Receipt, error) {
	var verdicts []mailResult
	if err := json.Unmarshal(res.Body, &verdicts); err != nil || len(verdicts) != n {
		return nil, errors.New("postmark: the response does not have one result per mail of the batch")
	}
	all := make([]notify.Receipt, 0, n)
	for _, v := range verdicts {
		if v.Code == nil {
			return nil, errors.New("postmark: the response does not have a result for every mail of the batch")
		}
		r, err := v.receipt()
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
