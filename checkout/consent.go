package checkout

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ConsentVersion names the text below. Whoever changes a word of it changes
// the version: pledges pin the one their supporter saw.
const ConsentVersion = "2026-11-23"

// Consent is what a supporter agrees to by saving a card.
type Consent struct {
	Version string `json:"version"`
	Text    string `json:"text"`
}

const (
	consentEnglish = "By saving your card you agree that it is kept with our payment processor and charged " +
		"at most %s in all for %s. %s Nothing is charged now. Each pledge is charged once, after its campaign's " +
		"deadline, and only if the campaign reached its goal by then. Until the deadline you can change or cancel " +
		"your pledge with the link in your confirmation email."
	aloneEnglish  = "It pays for no other pledge, unless you save it for one with a link that we mail to you."
	joinedEnglish = "In the same payment go your other pledges to the same campaign that you joined with a link " +
		"that we mailed to you; of the cards that you saved with such a link, the newest pays for all."
	consentSpanish = "Al guardar tu tarjeta aceptas que quede guardada con nuestro procesador de pagos y que se " +
		"cobren como máximo %s en total por %s. %s Ahora no se cobra nada. Cada aportación se cobra una sola vez, " +
		"después de la fecha límite de su campaña y solo si para entonces la campaña alcanzó su meta. Hasta la " +
		"fecha límite puedes cambiar o cancelar tu aportación con el enlace de tu correo de confirmación."
	aloneSpanish  = "No paga ninguna otra aportación, salvo que la guardes para ella con un enlace que te enviamos por correo."
	joinedSpanish = "En el mismo pago van tus otras aportaciones a la misma campaña que uniste con un enlace que te " +
		"enviamos por correo; de las tarjetas que guardaste con un enlace así, la más reciente paga todo."
)

// promised is a campaign as the consent text names it.
type promised struct {
	title    string
	deadline time.Time // the instant at which pledging ends
}

// consent words the promise. What is joined is charged together with other pledges.
func consent(lang string, amount money.Cents, campaigns []promised, zone *time.Location, joined bool) Consent {
	text, until, and, alone, others := consentEnglish, "%s (deadline %s)", " and ", aloneEnglish, joinedEnglish
	if lang == "es" {
		text, until, and, alone, others = consentSpanish, "%s (fecha límite %s)", " y ", aloneSpanish, joinedSpanish
	}
	names := make([]string, 0, len(campaigns))
	for _, c := range campaigns {
		last := c.deadline.Add(-time.Second).In(zone) // the last second that counts
		names = append(names, fmt.Sprintf(until, c.title, notify.Moment(lang, last)))
	}
	pays := alone
	if joined {
		pays = others
	}
	return Consent{Version: ConsentVersion, Text: fmt.Sprintf(text, amount, list(names, and), pays)}
}

func list(names []string, and string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + and + names[n-1]
	}
	return strings.Join(names, "")
}
