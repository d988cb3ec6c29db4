package smtp_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/notify/notifytest"
)

func TestSend_InternationalAddresses(t *testing.T) {
	for name, tt := range map[string]struct {
		to, from         string
		offered          bool
		outcome          notify.Outcome
		envelope, header string // the recipient
		sender           string
		utf8             bool // SMTPUTF8 requested
	}{
		"domain in Unicode": {to: "zoe@übung.example", outcome: notify.Accepted,
			envelope: "zoe@xn--bung-zra.example", header: "zoe@xn--bung-zra.example"},
		"domain in Unicode, UTF8": {to: "zoe@пример.рф", offered: true, outcome: notify.Accepted,
			envelope: "zoe@xn--e1afmkfd.xn--p1ai", header: "zoe@xn--e1afmkfd.xn--p1ai"},
		"plain, UTF8": {to: "zoe@example.net", offered: true, outcome: notify.Accepted,
			envelope: "zoe@example.net", header: "zoe@example.net"},
		"non-ASCII local part": {to: "zoë@übung.example", outcome: notify.Refused},
		"non-ASCII local part, UTF8": {to: "zoë@übung.example", offered: true, outcome: notify.Accepted,
			envelope: "zoë@xn--bung-zra.example", header: "zoë@xn--bung-zra.example", utf8: true},
		"sender's domain": {to: "zoe@example.net", from: "Übung <hallo@übung.example>", outcome: notify.Accepted,
			envelope: "zoe@example.net", header: "zoe@example.net", sender: "Übung <hallo@xn--bung-zra.example>"},
		"sender's local part": {to: "zoe@example.net", from: "señor@example.net", outcome: notify.Refused},
		"invalid domain":      {to: "zoe@ü..example", outcome: notify.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			p := serveUTF8(t, tt.offered)
			m := notifytest.MailTo("ana")
			if m.To = tt.to; tt.from != "" {
				m.From = tt.from
			}
			r, err := open(t, p).Send(t.Context(), m)
			if err != nil || r.Outcome != tt.outcome {
				t.Fatalf("%+v, %v", r, err)
			}
			if tt.outcome == notify.Refused {
				if len(p.recipients) != 0 || len(p.delivered) != 0 {
					t.Errorf("recipients %q", p.recipients)
				}
				if unsupported := strings.Contains(r.Reason, "SMTPUTF8"); unsupported != !strings.Contains(tt.to, "..") {
					t.Errorf("the reason is %q", r.Reason)
				}
				return
			}
			if diff := cmp.Diff([]string{tt.envelope}, p.recipients); diff != "" || p.declared != tt.utf8 {
				t.Errorf("%s, UTF-8 declared: %t", diff, p.declared)
			}
			got := p.Delivered()[0]
			if got.To != tt.header || tt.sender != "" && got.From != tt.sender {
				t.Errorf("from %s to %s", got.From, got.To)
			}
		})
	}
}
