package httpapi_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/pledgeworks/pledgeworks/checkout"
	"github.com/pledgeworks/pledgeworks/checkout/psp/sim"
	"github.com/pledgeworks/pledgeworks/hosts/httpapi"
	"github.com/pledgeworks/pledgeworks/hosts/memory"
	"github.com/pledgeworks/pledgeworks/pledge"
	"github.com/pledgeworks/pledgeworks/pledge/campaign"
	"github.com/pledgeworks/pledgeworks/pledge/campaign/campaignfile"
)

const (
	game = "tidepool-traders"
	film = "night-ferry"
)

var home = pledge.Address{Name: "A supporter", Line1: "1 Shore Road", City: "Taos",
	State: "NM", PostalCode: "87571", Country: "US"}

// examples contains the example campaigns. It is loaded once and not modified.
var examples = sync.OnceValue(func() *campaign.Catalogue {
	c, err := campaignfile.Load(os.DirFS("../../examples/site"))
	if err != nil {
		panic(err)
	}
	return c
})

// edge is the API on the memory host. Every response is checked against the OpenAPI document.
type edge struct {
	*memory.Host
	t   *testing.T
	doc *openapi3.T

	browsers int // number of browsers
}

func newEdge(t *testing.T, o memory.Options) *edge {
	t.Helper()
	if o.Campaigns == nil {
		o.Campaigns, o.Catalogue = os.DirFS("../../examples/site"), examples()
	}
	if _, set := o.Env["ADMIN_OPERATORS"]; !set {
		env := operators("ada", "ben")
		maps.Copy(env, o.Env)
		o.Env = env
	}
	h, err := memory.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h.Services.DrawPage = drawMinimalPage
	return &edge{Host: h, t: t, doc: loaded(t, document(t, h.API))}
}

// documentCache caches the loaded OpenAPI documents by text.
var documentCache sync.Map

func loaded(t *testing.T, text string) *openapi3.T {
	t.Helper()
	if doc, ok := documentCache.Load(text); ok {
		return doc.(*openapi3.T)
	}
	doc, err := openapi3.NewLoader().LoadFromData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	documentCache.Store(text, doc)
	return doc
}

// do sends a request as the public site does. header contains alternating names and values of
// additional headers.
func (e *edge) do(method, path, query string, body any, header ...string) httpapi.Response {
	e.t.Helper()
	r := e.Request(context.Background(), method, path, query, body, header...)
	e.documented(method, r)
	return r
}

func (e *edge) post(path string, body any, header ...string) httpapi.Response {
	e.t.Helper()
	return e.do("POST", path, "", body, header...)
}

func (e *edge) get(path, query string, header ...string) httpapi.Response {
	e.t.Helper()
	return e.do("GET", path, query, nil, header...)
}

func document(t *testing.T, a *httpapi.API) string {
	t.Helper()
	b, err := a.OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// documented checks a response against the route's OpenAPI description.
func (e *edge) documented(method string, r httpapi.Response) {
	e.t.Helper()
	if r.Route == "" || method == "OPTIONS" || r.Status == 405 {
		e.matches(e.doc.Components.Schemas["Error"], method, r)
		return
	}
	path := e.doc.Paths.Find(strings.Replace(r.Route, ":slug", "{slug}", 1))
	if path == nil || path.GetOperation(strings.Replace(method, "HEAD", "GET", 1)) == nil {
		e.t.Fatalf("%s %s is not in the OpenAPI document", method, r.Route)
	}
	op := path.GetOperation(strings.Replace(method, "HEAD", "GET", 1))
	response := op.Responses.Value(strconv.Itoa(r.Status))
	if response == nil {
		e.t.Errorf("%s %s: status %d is not in the OpenAPI document: %s", method, r.Route, r.Status, r.Body)
		return
	}
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") && r.Status != 204 {
		if response.Value.Content[kind] == nil {
			e.t.Errorf("%s %s: content type %s is not in the OpenAPI document", method, r.Route, kind)
		}
		return
	}
	e.matches(response.Value.Content.Get("application/json").Schema, method, r)
}

func (e *edge) matches(schema *openapi3.SchemaRef, method string, r httpapi.Response) {
	e.t.Helper()
	if r.Status == 204 {
		return
	}
	var v any
	if err := json.Unmarshal(r.Body, &v); err != nil {
		e.t.Fatalf("%s %s: the response is not JSON: %v", method, r.Route, err)
	}
	if err := schema.Value.VisitJSON(v, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors()); err != nil {
		e.t.Errorf("%s %s, status %d, does not match the OpenAPI document: %v\n%s", method, r.Route, r.Status, err, r.Body)
	}
}

func decode[T any](t *testing.T, r httpapi.Response) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		t.Fatalf("status %d: %v\n%s", r.Status, err, r.Body)
	}
	return v
}

// failure is the body of an error response.
type failure struct {
	Error      string
	Code       string
	Field      string
	Remaining  *int
	RetryAfter int
}

// wantFailure checks status and message.
func (e *edge) wantFailure(r httpapi.Response, status int, message string) failure {
	e.t.Helper()
	f := decode[failure](e.t, r)
	if r.Status != status || f.Error != message {
		e.t.Errorf("status %d %q, want %d %q", r.Status, f.Error, status, message)
	}
	return f
}

func (e *edge) wantField(r httpapi.Response, field string) {
	e.t.Helper()
	if f := decode[failure](e.t, r); r.Status != 400 || f.Field != field {
		e.t.Errorf("status %d %+v, want an error with field %s", r.Status, f, field)
	}
}

func (e *edge) wantStatus(r httpapi.Response, status int) {
	e.t.Helper()
	if r.Status != status {
		e.t.Fatalf("%s: status %d, want %d: %s", r.Route, r.Status, status, r.Body)
	}
}

// tip is the tip in the fixtures' carts, in percent.
const tip = 5

func gameCart(quantity int) checkout.Cart {
	return checkout.Cart{
		CampaignSlug: game, Items: []checkout.Item{{ID: game + "__the-game", Quantity: &quantity}},
		ShippingAddress: &home, TipPercent: new(tip),
	}
}

func filmCart() checkout.Cart {
	return checkout.Cart{CampaignSlug: film, Items: []checkout.Item{{ID: film + "__digital-premiere"}},
		TipPercent: new(tip)}
}

// start starts a checkout through the API.
func (e *edge) start(email string, c checkout.Cart) checkout.Started {
	e.t.Helper()
	r := e.post("/checkout-intent/start", checkout.StartRequest{Cart: c, Email: email})
	e.wantStatus(r, 200)
	return decode[checkout.Started](e.t, r)
}

// pledge completes a checkout and returns the token of the manage link.
func (e *edge) pledge(email string, c checkout.Cart, card string) (checkout.Started, string) {
	e.t.Helper()
	started := e.start(email, c)
	if err := e.Sim.Complete(started.SessionID, card); err != nil {
		e.t.Fatal(err)
	}
	r := e.post("/checkout-intent/complete",
		checkout.CompleteRequest{OrderID: started.OrderID, SessionID: started.SessionID})
	e.wantStatus(r, 200)
	token, err := e.Token(started.Campaigns[0].OrderID, email, started.Campaigns[0].CampaignSlug)
	if err != nil {
		e.t.Fatal(err)
	}
	return started, token
}

func (e *edge) admin() []string {
	return []string{"Authorization", "Bearer " + e.Config.Secrets.Admin.Reveal()}
}

func (e *edge) settler() []string {
	return []string{"Authorization", "Bearer " + e.Config.Secrets.AdminSettlement.Reveal()}
}

const cardOK = sim.CardOK
