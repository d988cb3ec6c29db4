package simulation

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"

	"github.com/pledgeworks/pledgeworks/checkout/psp"
)

// chargedAttempt names the attempt that a request charges, "" for any other request.
func chargedAttempt(r *http.Request) string {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/payment_intents" {
		return ""
	}
	return formOf(r).Get("metadata[" + psp.GroupKey + "]")
}

// uncharged are the statuses of a payment that moved no money and is not under way.
var uncharged = []string{"requires_payment_method", "requires_action", "canceled"}

// noteRefusals records the attempts of which the processor answered that they charged nobody.
func (a *watch) noteRefusals(attempt string, res *http.Response) {
	if attempt != "" && slices.Contains([]int{http.StatusBadRequest, http.StatusPaymentRequired, http.StatusNotFound}, res.StatusCode) {
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
	body, broken := peek(res)
	if broken != nil || json.Unmarshal(body, &answer) != nil {
		return
	}
	for _, p := range append(answer.Data, answer.intent) {
		if group := p.Metadata[psp.GroupKey]; group != "" && slices.Contains(uncharged, p.Status) {
			a.refused[group] = true
		}
	}
}

// peek reads the body of an answer, and leaves it as it was.
func peek(res *http.Response) ([]byte, error) {
	body, broken := io.ReadAll(res.Body)
	_ = res.Body.Close()
	res.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), failing{broken}))
	return body, broken
}

// failing ends a body with the error with which it ended before.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
