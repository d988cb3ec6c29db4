package checkout

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ConsentVersion names the text below. Whoever changes a word of it changes
// the version: pledges pin the one their supporter saw.
const ConsentVersion = "2026-11-20"

// Consent is what a supporter agrees to by saving a card.
type Consent struct {
	Version string `json:"version"`
	Text    string `json:"text"`
}

const (
	consentEnglish = "By saving your card you agree that it is kept with our payment processor and charged " +
		"at most %s in all for %s. Nothing is charged now. A campaign is charged once, after its deadline, " +
		"and only if it reached its goal by then. Until its deadline you can change or cancel your pledge " +
		"with the link in your confirmation email."
	consentSpanish = "Al guardar tu tarjeta aceptas que quede guardada con nuestro procesador de pagos y que se " +
		"cobren como máximo %s en total por %s. Ahora no se cobra nada. Cada campaña se cobra una sola vez, " +
		"después de su fecha límite y solo si para entonces alcanzó su meta. Hasta su fecha límite puedes " +
		"cambiar o cancelar tu aporte con el enlace de tu correo de confirmación."
)

// promised is a campaign as the consent text names it.
type promised struct {
	title    string
	deadline time.Time // the instant at which pledging ends
}

func consent(lang string, amount money.Cents, campaigns []promised, zone *time.Location) Consent {
	text, until, and := consentEnglish, "%s (deadline %s)", " and "
	if lang == "es" {
		text, until, and = consentSpanish, "%s (fecha límite %s)", " y "
	}
	names := make([]string, 0, len(campaigns))
	for _, c := range campaigns {
		last := c.deadline.Add(-time.Second).In(zone) // the last second that counts
		names = append(names, fmt.Sprintf(until, c.title, last.Format("2006-01-02 15:04 MST")))
	}
	return Consent{Version: ConsentVersion, Text: fmt.Sprintf(text, amount, list(names, and))}
}

func list(names []string, and string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + and + names[n-1]
	}
	return strings.Join(names, "")
}
