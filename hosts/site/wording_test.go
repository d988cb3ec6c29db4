package site_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// replacedWordings lists wordings that were replaced in texts for supporters and must not be used
// again, in lower case.
var replacedWordings = []string{
	"be told when", "shall we email", "runs no scripts", "you are no robot", "want no more of", "not among them",
	"pays for no other pledge", "in all for", "go on where you left off", "is there again", "is it yours?",
	"see what is charged together", "took the payment for one", "haven't joined", "couldn't make your pledge",
	"now or later", "those who run", "what you chose for your pledge", "for the whole pledge", "how things stand",
	"would have been", "fund a part of it", "this is none of your", "type your address", "you get this email because",
	"amount in dollars", "in whole dollars:", "number {orders}", "load the page again", "see your pledge in",
	"be reminded", "nobody voted",
	// Spanish
	"cobramos a tu tarjeta", "le cobramos", "cobrar a tu tarjeta", "que cobrarle",
	"la cobramos en el acto", "ya no se puede cobrar",
	"las tarjetas se cobran", "no paga ninguna otra", "que te avisemos cuando", "vuelve a estar ahí", "cuando empieza",
	"no están entre ellos", "está cambiada", "número {orders}", "tomó el pago",
	"vuelve a cargar", "hasta que las detengas",
	"ver lo que se cobra junto", "cobrando {amount} a tu", "cobraremos a esta tarjeta",
}

// No text for supporters contains a replaced wording.
func TestMessages_ReplacedWordings(t *testing.T) {
	files, err := filepath.Glob("messages/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	mails, err := filepath.Glob("../../notify/mailtext/messages/*.json")
	if err != nil || len(files) < 2 || len(mails) < 2 {
		t.Fatal(files, mails, err)
	}
	for _, name := range append(files, mails...) {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(strings.ToLower(string(body)), "\n") {
			for _, wording := range replacedWordings {
				if strings.Contains(line, wording) {
					t.Errorf("%s:%d has %q: %s", filepath.Base(name), i+1, wording, line)
				}
			}
		}
	}
}
