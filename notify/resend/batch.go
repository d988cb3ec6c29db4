package resend

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/pledgeworks/pledgeworks/hosts/fetch"
	"github.com/pledgeworks/pledgeworks/notify"
)

// maxBatch is the maximum number of mails in a request
// (https://resend.com/docs/api-reference/emails/send-batch-emails).
const maxBatch = 100

// MaxBatch implements notify.Batcher.
func (s *Sender) MaxBatch() int { return maxBatch }

// SendBatch implements notify.Batcher. Resend accepts all mails of a batch or none, and does
// not report which of them is invalid.
func (s *Sender) SendBatch(ctx context.Context, key string, mails []notify.Mail) ([]notify.Receipt, error) {
	if len(mails) == 0 {
		return nil, nil
	}
	if len(mails) > maxBatch {
		return repeatReceipt(notify.Receipt{Outcome: notify.Divide,
			Reason: "Resend accepts at most " + strconv.Itoa(maxBatch) + " mails per request"}, len(mails)), nil
	}
	all := make([]email, 0, len(mails))
	for _, m := range mails {
		all = append(all, emailOf(m))
	}
	res, err := s.post(ctx, "/emails/batch", key, all)
	if err != nil {
		return nil, err
	}
	r, err := receipt(res)
	switch {
	case err != nil:
		return nil, err
	case r.Outcome == notify.Accepted:
		return withIDs(r, res, len(mails))
	case r.Outcome == notify.Refused:
		r.Outcome = notify.Divide
	}
	return repeatReceipt(r, len(mails)), nil
}

// withIDs returns n copies of r with the IDs that Resend gave the mails of an accepted batch, in
// order. It fails if the response does not have n IDs.
func withIDs(r notify.Receipt, res fetch.Response, n int) ([]notify.Receipt, error) {
	var body struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(res.Body, &body); err != nil || len(body.Data) != n {
		return nil, errors.New("resend: the response does not have one result per mail of the batch")
	}
	all := repeatReceipt(r, n)
	for i, d := range body.Data {
		all[i].ProviderID = d.ID
	}
	return all, nil
}

func repeatReceipt(r notify.Receipt, n int) []notify.Receipt {
	all := make([]notify.Receipt, n)
	for i := range all {
		all[i] = r
	}
	return all
}
