package checkout

import (
	"fmt"
	"strings"
	"time"

	"github.com/pledgeworks/pledgeworks/notify/mailtext"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/money"
)

// ConsentVersion identifies the texts below. Change it whenever their wording changes: pledges
// record the version that their supporter accepted.
const ConsentVersion = "2026-11-28"

// Consent is the text that a supporter accepts by saving a card or by changing a
// pledge.
type Consent struct {
	Version string `json:"version"`
	Text    string `json:"text"`
}

// consentTexts are the consent sentences of one language, as format strings.
type consentTexts struct {
	saved, changed, once string
	rules                map[rule]string
	// The sentence for one earlier pledge and the one for several. The Here variants are for
	// pledges that were all made in this browser.
	another, anotherHere, more, moreHere string
	until                                string
}

// rule specifies which other pledges are charged in the same payment.
type rule int

const (
	alone rule = iota
	joined
	inSession
	byEmail
)

var languages = map[string]consentTexts{
	"en": {
		saved: "By saving your card you agree that it is kept with our payment processor and charged " +
			"no more than %s for %s.",
		changed: "By confirming this change you agree that your saved card is charged no more than %s for %s, " +
			"instead of what you agreed to before.",
		once: "Nothing is charged today. Each pledge is charged once, after its campaign's deadline, and only if " +
			"the campaign reached its goal by then. Until the deadline you can change or cancel your pledge with the " +
			"link in your confirmation email.",
		rules: map[rule]string{
			alone: "We won't use it for any other pledge unless you choose that from a link we email you.",
			joined: "The same payment includes your other pledges to the campaign that you combined from a link we " +
				"emailed you. It is charged to the card that you saved most recently from such a link.",
			inSession: "Other pledges to the campaign that you make in this browser with the same email address are " +
				"part of the same payment, charged to the card saved most recently for any of them. We won't use it for " +
				"any other pledge unless you choose that from a link we email you. A pledge is charged separately if " +
				"you save another card for it from such a link.",
			byEmail: "The same payment includes all other pledges to the campaign with your email address, even if " +
				"another person made them. It is charged to the card saved most recently for any of them.",
		},
		another:     "You already pledged %s to %s. We will charge both together: one payment of %s.",
		anotherHere: "You already pledged %s to %s in this browser. We will charge both together: one payment of %s.",
		more:        "You already made %d pledges to %s, %s in total. We will charge them all together: one payment of %s.",
		moreHere:    "You already made %d pledges to %s in this browser, %s in total. We will charge them all together: one payment of %s.",
		until:       "%s (deadline %s)",
	},
	"es": {
		saved: "Al guardar tu tarjeta aceptas que quede guardada con nuestro procesador de pagos y que se " +
			"haga un cargo máximo de %s por %s.",
		changed: "Al confirmar este cambio aceptas un cargo máximo de %s en tu tarjeta guardada por %s, " +
			"en lugar de lo que aceptaste antes.",
		once: "Hoy no te cobramos nada. Cada aportación se cobra una sola vez, después de la fecha límite de su " +
			"campaña y solo si para entonces la campaña alcanzó su meta. Hasta la fecha límite puedes cambiar o " +
			"cancelar tu aportación con el enlace de tu correo de confirmación.",
		rules: map[rule]string{
			alone: "No la usaremos para ninguna otra aportación, salvo que tú lo elijas desde un enlace que te enviemos.",
			joined: "El mismo pago incluye tus otras aportaciones a la campaña que uniste desde un enlace que te " +
				"enviamos. El cargo se hará en la última tarjeta que guardaste desde un enlace así.",
			inSession: "El mismo pago incluye las demás aportaciones a la campaña que hagas en este navegador con el " +
				"mismo correo, y el cargo se hará en la última tarjeta guardada para cualquiera de ellas. No la usaremos para ninguna otra " +
				"aportación, salvo que tú lo elijas desde un enlace que te enviemos. Una aportación se cobra aparte si " +
				"guardas otra tarjeta para ella desde un enlace así.",
			byEmail: "El mismo pago incluye todas las demás aportaciones a la campaña con tu correo, aunque las haya " +
				"hecho otra persona. El cargo se hará en la última tarjeta guardada para cualquiera de ellas.",
		},
		another:     "Ya aportaste %s a %s. Cobraremos las dos aportaciones juntas: un solo pago de %s.",
		anotherHere: "Ya aportaste %s a %s en este navegador. Cobraremos las dos aportaciones juntas: un solo pago de %s.",
		more:        "Ya hiciste %d aportaciones a %s, %s en total. Las cobraremos todas juntas: un solo pago de %s.",
		moreHere:    "Ya hiciste %d aportaciones a %s en este navegador, %s en total. Las cobraremos todas juntas: un solo pago de %s.",
		until:       "%s (fecha límite %s)",
	},
}

// promisedCampaign is a campaign as named in the consent text.
type promisedCampaign struct {
	title    string
	deadline time.Time // the instant at which pledging ends
	combined *Combined
}

// consentAction is the action by which a supporter gives consent.
type consentAction int

const (
	savesCard consentAction = iota
	changesPledge
)

// consentSubject holds the values of a consent text.
type consentSubject struct {
	lang      string
	by        consentAction
	amount    money.Cents // cents; of the pledges that are created or changed
	campaigns []promisedCampaign
	zone      *time.Location
	rule      rule
}

// ruleOf returns the rule that applies to a pledge. The session is the hash of the browser session
// whose pledges are combined with it, or "".
func (s *Service) ruleOf(isJoined bool, session string) rule {
	switch {
	case s.Settings.Grouping == pledge.ByEmail:
		return byEmail
	case isJoined:
		return joined
	case session != "":
		return inSession
	}
	return alone
}

// consentText returns the consent text in the subject's language, or in English if there is no
// translation. Its total includes the pledges that are charged in the same payment.
func consentText(a consentSubject) Consent {
	lang, known := languages[a.lang]
	if !known {
		lang = languages["en"]
	}
	first := lang.saved
	if a.by == changesPledge {
		first = lang.changed
	}
	names, before, total := make([]string, 0, len(a.campaigns)), []string{}, a.amount
	for _, c := range a.campaigns {
		last := c.deadline.Add(-time.Second).In(a.zone) // the last second before the deadline
		names = append(names, fmt.Sprintf(lang.until, c.title, mailtext.Moment(a.lang, last)))
		if c.combined != nil {
			total += c.combined.Amount
			before = append(before, lang.earlierPledges(c, a.lang))
		}
	}
	words := append([]string{fmt.Sprintf(first, total.Amount(a.lang), mailtext.List(a.lang, names))}, before...)
	words = append(words, lang.rules[a.rule], lang.once)
	return Consent{Version: ConsentVersion, Text: strings.Join(words, " ")}
}

// earlierPledges returns the sentence about earlier pledges to the campaign, which depends on
// whether they were made in this browser.
func (l consentTexts) earlierPledges(c promisedCampaign, lang string) string {
	before, together := c.combined.Amount.Amount(lang), c.combined.Total.Amount(lang)
	one, several := l.another, l.more
	if c.combined.SameBrowser {
		one, several = l.anotherHere, l.moreHere
	}
	if c.combined.Others == 1 {
		return fmt.Sprintf(one, before, c.title, together)
	}
	return fmt.Sprintf(several, c.combined.Others, c.title, before, together)
}

// AcceptedConsent returns the text that a pledge's supporter accepted, without the sentences about earlier
// pledges, which are not stored. ok is false if the pledge records a version of another release, whose text
// this release does not have.
func (s *Service) AcceptedConsent(p *pledge.Pledge, title string) (c Consent, ok bool) {
	if p.Promise.ConsentVersion != ConsentVersion {
		return Consent{Version: p.Promise.ConsentVersion}, false
	}
	subject := consentSubject{lang: p.PreferredLang, by: savesCard, amount: p.Amount, zone: s.Settings.Zone,
		campaigns: []promisedCampaign{{title: title, deadline: p.Promise.EndsAt}},
		rule:      s.ruleOf(p.JoinedAt != nil, p.Session)}
	if p.Revision > 1 && p.Promise.AcceptedAt.After(p.BookedAt) {
		subject.by = changesPledge
	}
	return consentText(subject), true
}
