package simulation

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// chargedAttempt returns the attempt that a request charges, or "".
func chargedAttempt(r *http.Request) string {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/payment_intents" {
		return ""
	}
	return formOf(r).Get("metadata[" + psp.GroupKey + "]")
}

// uncharged are the statuses of a payment that moved no money and is not in
// progress.
var uncharged = []string{"requires_payment_method", "requires_action", "canceled"}

// recordRefusals records the attempts for which the processor reported that
// nothing was charged.
func (a *checker) recordRefusals(attempt string, res *http.Response) {
	if attempt != "" &&
		slices.Contains([]int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound}, res.StatusCode) {
		a.refused[attempt] = true
		return
	}
	type intent struct {
		Status   string
		Metadata map[string]string
	}
	answer := struct {
		intent
		Data []intent
	}{}
	body, broken := peekBody(res)
	if broken != nil || json.Unmarshal(body, &answer) != nil {
		return
	}
	for _, p := range append(answer.Data, answer.intent) {
		if group := p.Metadata[psp.GroupKey]; group != "" && slices.Contains(uncharged, p.Status) {
			a.refused[group] = true
		}
	}
}

// peekBody returns a response's body and keeps it readable.
func peekBody(res *http.Response) ([]byte, error) {
	body, broken := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), errorReader{broken}))
	return body, broken
}

// errorReader ends a body that was read before: it fails with the same error, or io.EOF.
type errorReader struct{ err error }

func (f errorReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
