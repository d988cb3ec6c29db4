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
const ConsentVersion = "2026-11-24"

// Consent is what a supporter agrees to by saving a card, or by changing what it pays for.
type Consent struct {
	Version string `json:"version"`
	Text    string `json:"text"`
}

const (
	savedEnglish = "By saving your card you agree that it is kept with our payment processor and charged " +
		"at most %s in all for %s."
	changedEnglish = "By confirming this change you agree that your saved card is charged at most %s in all for %s, " +
		"instead of what you agreed to before."
	onceEnglish = "Nothing is charged now. Each pledge is charged once, after its campaign's deadline, and only if " +
		"the campaign reached its goal by then. Until the deadline you can change or cancel your pledge with the " +
		"link in your confirmation email."
	aloneEnglish  = "It pays for no other pledge, unless you save it for one with a link that we mail to you."
	joinedEnglish = "In the same payment go your other pledges to the same campaign that you joined with a link " +
		"that we mailed to you; of the cards that you saved with such a link, the newest pays for all."
	savedSpanish = "Al guardar tu tarjeta aceptas que quede guardada con nuestro procesador de pagos y que se " +
		"cobren como máximo %s en total por %s."
	changedSpanish = "Al confirmar este cambio aceptas que se cobren a tu tarjeta guardada como máximo %s en total " +
		"por %s, en lugar de lo que aceptaste antes."
	onceSpanish = "Ahora no se cobra nada. Cada aportación se cobra una sola vez, después de la fecha límite de su " +
		"campaña y solo si para entonces la campaña alcanzó su meta. Hasta la fecha límite puedes cambiar o " +
		"cancelar tu aportación con el enlace de tu correo de confirmación."
	aloneSpanish  = "No paga ninguna otra aportación, salvo que la guardes para ella con un enlace que te enviamos por correo."
	joinedSpanish = "En el mismo pago van tus otras aportaciones a la misma campaña que uniste con un enlace que te " +
		"enviamos por correo; de las tarjetas que guardaste con un enlace así, la más reciente paga todo."
)

// promised is a campaign as the consent text names it.
type promised struct {
	title    string
	deadline time.Time // the instant at which pledging ends
}

// act is what a supporter agrees by.
type act int

const (
	savesCard act = iota
	changesPledge
)

// consent words the promise. What is joined is charged together with other pledges.
func consent(lang string, by act, amount money.Cents, campaigns []promised, zone *time.Location, joined bool) Consent {
	words, until, and := []string{savedEnglish, aloneEnglish, onceEnglish}, "%s (deadline %s)", " and "
	changed, others := changedEnglish, joinedEnglish
	if lang == "es" {
		words, until, and = []string{savedSpanish, aloneSpanish, onceSpanish}, "%s (fecha límite %s)", " y "
		changed, others = changedSpanish, joinedSpanish
	}
	if by == changesPledge {
		words[0] = changed
	}
	if joined {
		words[1] = others
	}
	names := make([]string, 0, len(campaigns))
	for _, c := range campaigns {
		last := c.deadline.Add(-time.Second).In(zone) // the last second that counts
		names = append(names, fmt.Sprintf(until, c.title, notify.Moment(lang, last)))
	}
	words[0] = fmt.Sprintf(words[0], amount, list(names, and))
	return Consent{Version: ConsentVersion, Text: strings.Join(words, " ")}
}

func list(names []string, and string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + and + names[n-1]
	}
	return strings.Join(names, "")
}
